"""Take over a database of version 0.6.0."""

import json
from typing import Any

from embed.db.apprise_addresses import read_fields
from embed.db.schema_version import LATER_MIGRATIONS_OF_0_6_0


def up(_: Any, db: Any) -> None:
    _forget_migrations(db)
    _name_fields_of_channels(db)


def _forget_migrations(db: Any) -> None:
    for name in LATER_MIGRATIONS_OF_0_6_0:
        db.execute_sql(f"DELETE FROM schema_migration WHERE name = '{name}'")  # noqa: S608 -- names of ours


def _name_fields_of_channels(db: Any) -> None:
    """Store a channel's fields in place of its address; one that cannot be read stays as it is."""
    channels = db.execute_sql(
        "SELECT id, target FROM receiver WHERE kind = 'channel' AND person_id IS NULL"
    ).fetchall()
    for receiver_id, address in channels:
        fields = read_fields(address)
        if fields is not None:
            db.execute_sql(
                f"UPDATE receiver SET target = {db.param} WHERE id = {db.param}",  # noqa: S608
                (json.dumps(fields), receiver_id),
            )
