"""Sessions of people who are signed in, which were only in cookies before."""

from typing import Any

from peewee import BigIntegerField, CharField, ForeignKeyField, TextField
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow


class Person(FrozenRow):
    pass


class Session(FrozenRow):
    person = ForeignKeyField(Person, on_delete="CASCADE")
    secret_hash = CharField(max_length=64)
    seen_at = BigIntegerField()
    browser = TextField(null=True)
    system = TextField(null=True)
    network = TextField(null=True)
    confirmed_at = BigIntegerField()


LOST = "who is signed in"


def up(_: SchemaMigrator, db: Any) -> None:
    with db.bind_ctx([Session]):
        db.create_tables([Session], safe=False)


def down(_: SchemaMigrator, db: Any) -> None:
    db.execute_sql('DROP TABLE "session"')
