"""Which tables and columns a database has, which migrations made them, and their names in SQL."""

from collections.abc import Generator, Iterable, Sequence
from typing import Any

from embed.db import schema_version
from embed.db.models import MODELS
from embed.errors import InvalidInput

Schema = dict[str, tuple[str, ...]]  # the columns of each table, sorted
RowStream = Generator[tuple[Any, ...], None, None]

LIST_MIGRATIONS = "SELECT name FROM schema_migration ORDER BY name"


def quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def join_names(names: Iterable[str]) -> str:
    return ", ".join(quote_name(name) for name in names)


def describe_newest() -> Schema:
    """Return the schema of this version; tables come after those that they refer to."""
    return {
        model._meta.table_name: tuple(
            sorted(field.column_name for field in model._meta.sorted_fields)
        )
        for model in MODELS
    }


def check_migrations(migrations: Sequence[str], refusal: str) -> None:
    """Raises InvalidInput, with the refusal first, unless these are known as the first ones."""
    known = schema_version.list_migrations()
    if not migrations:
        raise InvalidInput(f"{refusal} It has no tables of this service.")
    if list(migrations) != known[: len(migrations)]:
        unknown = next((name for name in migrations if name not in known), "history")
        raise InvalidInput(
            f"{refusal} It was made by another, probably newer version of this service: the"
            f" migration {unknown} is not known here."
        )


def is_newest(migrations: Sequence[str]) -> bool:
    return list(migrations) == schema_version.list_migrations()
