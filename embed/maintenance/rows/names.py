"""Names of tables and columns in statements, and the type of what these return."""

from collections.abc import Generator, Iterable
from typing import Any

RowStream = Generator[tuple[Any, ...], None, None]

LIST_MIGRATIONS = "SELECT name FROM schema_migration ORDER BY name"


def quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def join_names(names: Iterable[str]) -> str:
    return ", ".join(quote_name(name) for name in names)
