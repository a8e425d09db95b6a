"""Add the columns in which wallets and submissions are searched, and fill them."""

from typing import Any

from peewee import TextField

from embed.db import folded


def up(migrator: Any, db: Any) -> None:
    for table in ("wallet", "submission"):
        migrator.migrate(migrator.add_column(table, folded.COLUMN, TextField(null=True)))
    folded.fill(db)
