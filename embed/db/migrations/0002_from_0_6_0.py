"""Take over a database of version 0.6.0."""

from typing import Any

from embed.db.schema_version import LATER_MIGRATIONS_OF_0_6_0


def up(_: Any, db: Any) -> None:
    _forget_migrations(db)


def _forget_migrations(db: Any) -> None:
    for name in LATER_MIGRATIONS_OF_0_6_0:
        db.execute_sql(f"DELETE FROM schema_migration WHERE name = '{name}'")  # noqa: S608 -- names of ours
