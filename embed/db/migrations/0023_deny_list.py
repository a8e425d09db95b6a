"""Deny lists: what an owner keeps out of one page, or of all of them."""

from typing import Any

from peewee import CharField, Check, ForeignKeyField, TextField
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow


class Page(FrozenRow):
    pass


class Person(FrozenRow):
    pass


class Submission(FrozenRow):
    pass


class Block(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE", null=True, index=False)
    person = ForeignKeyField(Person, on_delete="CASCADE", null=True, index=False)
    kind = CharField(max_length=7, constraints=[Check("kind IN ('wallet', 'name', 'network')")])
    pattern = CharField(max_length=64)
    created_by = TextField()
    submission = ForeignKeyField(Submission, on_delete="SET NULL", null=True)

    class Meta:
        constraints = (Check("(page_id IS NULL) <> (person_id IS NULL)"),)
        indexes = ((("page", "kind", "pattern"), True), (("person", "kind", "pattern"), True))


LOST = "deny lists"


def up(_: SchemaMigrator, db: Any) -> None:
    with db.bind_ctx([Block]):
        db.create_tables([Block], safe=False)


def down(_: SchemaMigrator, db: Any) -> None:
    db.execute_sql('DROP TABLE "block"')
