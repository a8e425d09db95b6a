"""Take over a database of version 0.6.0."""

from typing import Any

from embed.db.schema_version import LATER_MIGRATIONS_OF_0_6_0
from embed.domain.identifiers import make_token
from embed.domain.passwords import hash_password


def up(_: Any, db: Any) -> None:
    _forget_migrations(db)
    _leave_password_and_passkeys(db)


def _forget_migrations(db: Any) -> None:
    for name in LATER_MIGRATIONS_OF_0_6_0:
        db.execute_sql(f"DELETE FROM schema_migration WHERE name = '{name}'")  # noqa: S608 -- names of ours


def _leave_password_and_passkeys(db: Any) -> None:
    """Drop the other ways to sign in, and give people who had their password off an unknown one.

    Unlike none, it makes no earlier one-time link valid again; a new one replaces it.
    """
    for table in ("linked_wallet", "recovery_code"):
        db.execute_sql(f"DROP TABLE {table}")
    for (person_id,) in db.execute_sql(
        "SELECT id FROM person WHERE password_hash LIKE 'off:%%'"
    ).fetchall():
        db.execute_sql(
            f"UPDATE person SET password_hash = {db.param} WHERE id = {db.param}",  # noqa: S608
            (hash_password(make_token(32)), person_id),
        )
