"""Balances that a page's file brought, apart from those that the service observed itself."""

import time
from typing import Any

from peewee import (
    BigAutoField,
    BigIntegerField,
    CharField,
    Check,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    TextField,
)
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow, FrozenTable, is_amount


class Page(FrozenRow):
    pass


class ImportedBalance(FrozenTable):
    id = BigAutoField()
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    mint = CharField(max_length=44)
    address = CharField(max_length=44)

    class Meta:
        indexes = ((("page", "mint", "address"), True),)


class ImportedDay(FrozenTable):
    balance = ForeignKeyField(ImportedBalance, on_delete="CASCADE", index=False)
    day = IntegerField()
    amount = TextField(constraints=[Check(is_amount("amount"))])
    observed_at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("balance", "day")


# Imports wrote what they said of the chain for all pages, also of times that have not come yet.
# An hour is more than clocks differ by.
_AHEAD_MS = 60 * 60 * 1000
_DELETIONS = (
    "DELETE FROM daily_balance WHERE observed_at > {latest} OR balance_id IN"
    " (SELECT id FROM chain_balance WHERE observed_at > {latest} OR all_observed_at > {latest})",
    "DELETE FROM chain_balance WHERE observed_at > {latest} OR all_observed_at > {latest}",
    "DELETE FROM token WHERE observed_at > {latest}",
)

LOST = "the balances that pages' files brought"


def up(_: SchemaMigrator, db: Any) -> None:
    tables = [ImportedBalance, ImportedDay]
    with db.bind_ctx(tables):
        db.create_tables(tables, safe=False)
    latest = int(time.time() * 1000) + _AHEAD_MS
    for statement in _DELETIONS:
        db.execute_sql(statement.format(latest=latest))


def down(_: SchemaMigrator, db: Any) -> None:
    for table in ("imported_day", "imported_balance"):
        db.execute_sql(f'DROP TABLE "{table}"')
