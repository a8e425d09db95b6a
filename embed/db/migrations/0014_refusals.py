"""Counts of submissions without a session that policy refused."""

from typing import Any

from peewee import BigAutoField, CharField, ForeignKeyField, IntegerField
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow, FrozenTable


class Page(FrozenRow):
    pass


class RefusalCount(FrozenTable):
    id = BigAutoField()
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    day = IntegerField()
    reason = CharField(max_length=12)
    count = IntegerField()

    class Meta:
        indexes = ((("page", "day", "reason"), True),)


LOST = "how many submissions without a session were refused"


def up(_: SchemaMigrator, db: Any) -> None:
    with db.bind_ctx([RefusalCount]):
        db.create_tables([RefusalCount], safe=False)


def down(_: SchemaMigrator, db: Any) -> None:
    db.execute_sql('DROP TABLE "refusal_count"')
