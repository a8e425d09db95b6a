"""Add what the erasure of old rejections needs, and store signed texts once."""

from typing import Any

from peewee import BooleanField


def up(migrator: Any, db: Any) -> None:
    migrator.migrate(migrator.add_column("submission", "is_outweighed", BooleanField(null=True)))
    of_raw = f"UPDATE proof SET signed_bytes = {db.param} WHERE form = 'raw'"  # noqa: S608 -- the database's mark
    db.execute_sql(of_raw, (b"",))
