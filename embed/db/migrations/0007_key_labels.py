"""Labels by which owners tell their keys apart."""

from typing import Any

from peewee import TextField
from playhouse.migrate import SchemaMigrator, migrate


def up(migrator: SchemaMigrator, _: Any) -> None:
    migrate(migrator.add_column("api_key", "label", TextField(null=True)))


LOST = "the labels of keys"


def down(_: SchemaMigrator, db: Any) -> None:
    # Not by peewee: on SQLite, it would copy the table without its partial index.
    db.execute_sql('ALTER TABLE "api_key" DROP COLUMN "label"')
