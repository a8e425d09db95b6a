"""Labels by which owners tell their keys apart."""

from peewee import Database, TextField
from playhouse.migrate import SchemaMigrator, migrate


def up(migrator: SchemaMigrator, _: Database) -> None:
    migrate(migrator.add_column("api_key", "label", TextField(null=True)))
