"""Passkeys, linked wallets and recovery codes, which sign people in besides a password."""

from typing import Any

from peewee import BigIntegerField, CharField, ForeignKeyField, TextField
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow


class Person(FrozenRow):
    pass


class Passkey(FrozenRow):
    person = ForeignKeyField(Person, on_delete="CASCADE")
    name = CharField(max_length=50)
    credential_id = TextField(unique=True)
    credential = TextField()
    host = TextField()
    sign_count = BigIntegerField()
    used_at = BigIntegerField(null=True)


class LinkedWallet(FrozenRow):
    person = ForeignKeyField(Person, on_delete="CASCADE")
    address = CharField(max_length=44, unique=True)
    used_at = BigIntegerField(null=True)


class RecoveryCode(FrozenRow):
    person = ForeignKeyField(Person, on_delete="CASCADE")
    code_hash = CharField(max_length=64, unique=True)


LOST = "people's passkeys, linked wallets and recovery codes"
TABLES = (Passkey, LinkedWallet, RecoveryCode)


def up(_: SchemaMigrator, db: Any) -> None:
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES, safe=False)


def down(_: SchemaMigrator, db: Any) -> None:
    for table in reversed(TABLES):
        db.execute_sql(f'DROP TABLE "{table._meta.table_name}"')
