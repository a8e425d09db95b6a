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
    Model,
    SqliteDatabase,
    TextField,
)
from playhouse.migrate import SchemaMigrator

# Digits, and perhaps a point and more digits. No LIKE: drivers take its % for a parameter.
_IS_AMOUNT = (
    "ltrim({0}, '0123456789') <> {0} AND rtrim(ltrim({0}, '0123456789'), '0123456789') IN ('', '.')"
)


class Owner(Model):
    id = CharField(max_length=20, primary_key=True)

    class Meta:
        legacy_table_names = False


class Page(Model):
    id = CharField(max_length=20, primary_key=True)
    created_at = BigIntegerField()
    owner = ForeignKeyField(Owner, on_delete="RESTRICT")
    token_name = TextField()
    token_symbol = TextField()
    token_mint = CharField(max_length=44, index=True)
    public_title = TextField(null=True)
    public_comments = TextField(null=True)
    is_public = BooleanField()
    is_embeddable = BooleanField()
    auto_approve = BooleanField()
    min_balance = TextField(constraints=[Check(_IS_AMOUNT.format("min_balance"))])
    queue_capacity = IntegerField(constraints=[Check("queue_capacity >= 0")])
    cooldown_s = IntegerField(constraints=[Check("cooldown_s >= 0")])
    trust_after = IntegerField(constraints=[Check("trust_after >= 0")])
    version = IntegerField()
    deleted_at = BigIntegerField(null=True)

    class Meta:
        legacy_table_names = False


class Balance(Model):
    owner = ForeignKeyField(Owner, on_delete="CASCADE", index=False)
    mint = CharField(max_length=44)
    address = CharField(max_length=44)
    amount = TextField(constraints=[Check(_IS_AMOUNT.format("amount"))])
    observed_at = BigIntegerField()
    slot = BigIntegerField(null=True)

    class Meta:
        legacy_table_names = False
        primary_key = CompositeKey("owner", "mint", "address")


def up(migrator: SchemaMigrator, db: Any) -> None:
    with db.bind_ctx([Owner, Page, Balance]):
        if isinstance(db, SqliteDatabase):
            rebuild_table(db, Page, "min_balance")
            rebuild_table(db, Balance, "amount")
        else:
            # Since Postgres 12 this is the shortest text that says the same double.
            db.execute_sql("SET LOCAL extra_float_digits = 1")
            alter_column(db, "page", "min_balance")
            alter_column(db, "balance", "amount")


def write_double(amount: float) -> str:
    """Return the shortest text that says the same double, without an exponent."""
    text = f"{Decimal(repr(abs(amount))):f}"
    return text.removesuffix(".0")


def rebuild_table(db: Any, model: Any, column: str) -> None:
    """Copy a table into one of the new form, and put that in its place.

    schema_version.upgrade has foreign keys off, so what refers to the table stays as it is.
    """
    db.connection().create_function("exact_amount", 1, write_double)
    table = model._meta.table_name
    copy = f"{table}_exact"
    fields = [f'"{field.column_name}"' for field in model._meta.sorted_fields]
    columns = ", ".join(fields)
    values = columns.replace(f'"{column}"', f'exact_amount("{column}")')
    model._meta.set_table_name(copy)
    model._schema.create_table(safe=False)
    db.execute_sql(f'INSERT INTO "{copy}" ({columns}) SELECT {values} FROM "{table}"')  # noqa: S608 -- names of ours
    db.execute_sql(f'DROP TABLE "{table}"')
    db.execute_sql(f'ALTER TABLE "{copy}" RENAME TO "{table}"')
    model._meta.set_table_name(table)
    model._schema.create_indexes(safe=False)


def alter_column(db: Any, table: str, column: str) -> None:
    check = f"{table}_{column}_check"
    db.execute_sql(
        f'ALTER TABLE "{table}" DROP CONSTRAINT "{check}",'
        f' ALTER COLUMN "{column}" TYPE text USING "{column}"::text::numeric::text,'
        f' ADD CONSTRAINT "{check}" CHECK ({_IS_AMOUNT.format(column)})'
    )
