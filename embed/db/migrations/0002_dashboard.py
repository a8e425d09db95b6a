"""What the owner's dashboard needs: passwords, last use, refused origins and a log."""

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    CompositeKey,
    Database,
    ForeignKeyField,
    IntegerField,
    TextField,
)
from playhouse.migrate import SchemaMigrator, migrate

from embed.db.frozen_tables import FrozenRow, FrozenTable


class Page(FrozenRow):
    pass


class ApiKey(FrozenRow):
    pass


class RefusedOrigin(FrozenTable):
    api_key = ForeignKeyField(ApiKey, on_delete="CASCADE", index=False)
    origin = CharField(max_length=300)
    count = IntegerField()
    refused_at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("api_key", "origin")


class Activity(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    actor = TextField()
    action = CharField(max_length=30)
    subject = TextField()

    class Meta:
        indexes = ((("page", "created_at"), False),)


TABLES = [RefusedOrigin, Activity]


def up(migrator: SchemaMigrator, db: Database) -> None:
    migrate(
        migrator.add_column("owner", "password_hash", TextField(null=True)),
        migrator.add_column("api_key", "last_used_at", BigIntegerField(null=True)),
        migrator.add_column("api_key", "is_preview", BooleanField(default=False)),
        migrator.add_column("submission", "has_added_wallet", BooleanField(default=False)),
    )
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES, safe=False)
