"""Receivers whose messages have links that decide."""

from typing import Any

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    Check,
    ForeignKeyField,
    IntegerField,
    TextField,
)
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow, add_columns


class Page(FrozenRow):
    pass


class Person(FrozenRow):
    pass


class Receiver(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE")
    kind = CharField(max_length=7, constraints=[Check("kind IN ('webhook', 'channel')")])
    target = TextField()
    event_types = TextField()
    secret = TextField(null=True)
    previous_secret = TextField(null=True)
    previous_secret_expires_at = BigIntegerField(null=True)
    signing_key = TextField(null=True)
    next_attempt_at = BigIntegerField(null=True)
    failed_attempts = IntegerField()
    is_slow = BooleanField()
    first_failed_at = BigIntegerField(null=True)
    person = ForeignKeyField(Person, on_delete="CASCADE", null=True, index=False)
    may_decide = BooleanField(default=False)

    class Meta:
        indexes = ((("person", "page"), True),)
        constraints = (Check("(kind = 'webhook') = (secret IS NOT NULL)"),)


LOST = "which channels may decide on submissions"


def up(migrator: SchemaMigrator, _: Any) -> None:
    add_columns(migrator, Receiver)


def down(_: SchemaMigrator, db: Any) -> None:
    db.execute_sql('ALTER TABLE "receiver" DROP COLUMN "may_decide"')
