"""Receivers of single people: who asked for mails about a page."""

from typing import Any

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    Check,
    ForeignKeyField,
    IntegerField,
    SqliteDatabase,
    TextField,
)
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow, add_columns, rebuild_table


class Page(FrozenRow):
    pass


class Person(FrozenRow):
    pass


class OldReceiver(FrozenRow):
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

    class Meta:
        table_name = "receiver"
        constraints = (Check("(kind = 'webhook') = (secret IS NOT NULL)"),)


class Receiver(OldReceiver):
    person = ForeignKeyField(Person, on_delete="CASCADE", null=True, index=False)

    class Meta:
        indexes = ((("person", "page"), True),)


LOST = "which people get mails about a page"


def up(migrator: SchemaMigrator, db: Any) -> None:
    add_columns(migrator, Receiver)
    table: Any = Receiver
    with db.bind_ctx([table]):
        table._schema.create_indexes(safe=True)  # on Postgres, the others are there already


def down(_: SchemaMigrator, db: Any) -> None:
    # Without its person, it would be a channel of the owner that leads nowhere.
    db.execute_sql(
        "DELETE FROM delivery WHERE receiver_id IN"
        " (SELECT id FROM receiver WHERE person_id IS NOT NULL)"
    )
    db.execute_sql("DELETE FROM receiver WHERE person_id IS NOT NULL")
    if isinstance(db, SqliteDatabase):
        rebuild_table(db, OldReceiver)
    else:
        db.execute_sql('ALTER TABLE "receiver" DROP COLUMN "person_id"')
