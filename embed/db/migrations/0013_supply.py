"""When the supply of a token was read, and tags whose wallets are left out of the sums."""

from typing import Any

from peewee import BigIntegerField, BooleanField, ForeignKeyField, TextField
from playhouse.migrate import SchemaMigrator, migrate

from embed.db.frozen_tables import FrozenRow, add_columns


class Page(FrozenRow):
    pass


class Tag(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    name = TextField()
    color = TextField()
    is_counted = BooleanField(default=True)

    class Meta:
        indexes = ((("page", "name"), True),)


LOST = "which tags are not counted in sums"


def up(migrator: SchemaMigrator, _: Any) -> None:
    migrate(migrator.add_column("token", "supply_observed_at", BigIntegerField(null=True)))
    add_columns(migrator, Tag)


def down(_: SchemaMigrator, db: Any) -> None:
    # Not by peewee, as in 0007.
    db.execute_sql('ALTER TABLE "tag" DROP COLUMN "is_counted"')
    db.execute_sql('ALTER TABLE "token" DROP COLUMN "supply_observed_at"')
