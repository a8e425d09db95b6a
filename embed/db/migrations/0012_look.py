"""How a page's widget looks, as its owner chose."""

from typing import Any

from peewee import TextField
from playhouse.migrate import SchemaMigrator, migrate


def up(migrator: SchemaMigrator, _: Any) -> None:
    migrate(migrator.add_column("page", "look", TextField(null=True)))


LOST = "the looks of pages"


def down(_: SchemaMigrator, db: Any) -> None:
    # Not by peewee: on SQLite, it would copy the table without its checks.
    db.execute_sql('ALTER TABLE "page" DROP COLUMN "look"')
