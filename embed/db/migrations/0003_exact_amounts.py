"""Amounts as exact text instead of doubles: a frozen copy of the two tables that hold them."""

from decimal import Decimal
from typing import Any

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    Check,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    SqliteDatabase,
    TextField,
)
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow, FrozenTable, is_amount, rebuild_table


class Owner(FrozenRow):
    pass


class Page(FrozenRow):
    owner = ForeignKeyField(Owner, on_delete="RESTRICT")
    token_name = TextField()
    token_symbol = TextField()
    token_mint = CharField(max_length=44, index=True)
    public_title = TextField(null=True)
    public_comments = TextField(null=True)
    is_public = BooleanField()
    is_embeddable = BooleanField()
    auto_approve = BooleanField()
    min_balance = TextField(constraints=[Check(is_amount("min_balance"))])
    queue_capacity = IntegerField(constraints=[Check("queue_capacity >= 0")])
    cooldown_s = IntegerField(constraints=[Check("cooldown_s >= 0")])
    trust_after = IntegerField(constraints=[Check("trust_after >= 0")])
    version = IntegerField()
    deleted_at = BigIntegerField(null=True)


class Balance(FrozenTable):
    owner = ForeignKeyField(Owner, on_delete="CASCADE", index=False)
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    amount = TextField(constraints=[Check(is_amount("amount"))])
    observed_at = BigIntegerField()
    slot = BigIntegerField(null=True)

    class Meta:
        primary_key = CompositeKey("owner", "mint", "address")


def up(migrator: SchemaMigrator, db: Any) -> None:
    if isinstance(db, SqliteDatabase):
        db.register_function(write_double, "exact_amount", 1)
        rebuild_table(db, Page, min_balance='exact_amount("min_balance")')
        rebuild_table(db, Balance, amount='exact_amount("amount")')
    else:
        # Since Postgres 12 this is the shortest text that says the same double.
        db.execute_sql("SET LOCAL extra_float_digits = 1")
        alter_column(db, "page", "min_balance")
        alter_column(db, "balance", "amount")


def write_double(amount: float) -> str:
    """Return the shortest text that says the same double, without an exponent."""
    text = f"{Decimal(repr(abs(amount))):f}"
    return text.removesuffix(".0")


def alter_column(db: Any, table: str, column: str) -> None:
    check = f"{table}_{column}_check"
    db.execute_sql(
        f'ALTER TABLE "{table}" DROP CONSTRAINT "{check}",'
        f' ALTER COLUMN "{column}" TYPE text USING "{column}"::text::numeric::text,'
        f' ADD CONSTRAINT "{check}" CHECK ({is_amount(column)})'
    )
