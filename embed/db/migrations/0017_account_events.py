"""What happened with each person's account."""

from typing import Any

from peewee import CharField, ForeignKeyField, TextField
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow


class Person(FrozenRow):
    pass


class AccountEvent(FrozenRow):
    person = ForeignKeyField(Person, on_delete="CASCADE", index=False)
    kind = CharField(max_length=30)
    data = TextField()
    network = TextField(null=True)

    class Meta:
        indexes = ((("person", "created_at"), False),)


LOST = "what happened with people's accounts"


def up(_: SchemaMigrator, db: Any) -> None:
    with db.bind_ctx([AccountEvent]):
        db.create_tables([AccountEvent], safe=False)


def down(_: SchemaMigrator, db: Any) -> None:
    db.execute_sql('DROP TABLE "account_event"')
