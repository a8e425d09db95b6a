"""People besides a page's owner: members, and invitations to become one."""

from typing import Any

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    Check,
    ForeignKeyField,
    SqliteDatabase,
    TextField,
)
from playhouse.migrate import SchemaMigrator

from embed.db.frozen_tables import FrozenRow, add_columns


class Page(FrozenRow):
    pass


class Person(FrozenRow):
    email = CharField(max_length=254, unique=True)
    password_hash = TextField(null=True)
    language = CharField(max_length=10, null=True)
    is_guest = BooleanField(default=False)


class Member(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    person = ForeignKeyField(Person, on_delete="CASCADE")
    role = CharField(max_length=8, constraints=[Check("role IN ('viewer', 'reviewer', 'editor')")])

    class Meta:
        indexes = ((("page", "person"), True),)


class Invitation(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    email = CharField(max_length=254)
    role = CharField(
        max_length=8, constraints=[Check("role IN ('viewer', 'reviewer', 'editor', 'owner')")]
    )
    invited_by = CharField(max_length=254)
    token_hash = CharField(max_length=64, unique=True)
    expires_at = BigIntegerField()

    class Meta:
        indexes = ((("page", "email"), True),)


LOST = "members of pages, and invitations"


def up(migrator: SchemaMigrator, db: Any) -> None:
    _rename(db, "owner", "person")
    add_columns(migrator, Person)
    with db.bind_ctx([Member, Invitation]):
        db.create_tables([Member, Invitation], safe=False)


def down(_: SchemaMigrator, db: Any) -> None:
    db.execute_sql('DROP TABLE "invitation"')
    db.execute_sql('DROP TABLE "member"')
    db.execute_sql('ALTER TABLE "person" DROP COLUMN "is_guest"')
    _rename(db, "person", "owner")


def _rename(db: Any, old: str, new: str) -> None:
    """Rename the table of people, which all had pages in versions before, and its indexes."""
    db.execute_sql(f'ALTER TABLE "{old}" RENAME TO "{new}"')
    db.execute_sql(f'DROP INDEX "{old}_email"')
    db.execute_sql(f'CREATE UNIQUE INDEX "{new}_email" ON "{new}" ("email")')
    if not isinstance(db, SqliteDatabase):
        db.execute_sql(f'ALTER INDEX "{old}_pkey" RENAME TO "{new}_pkey"')
