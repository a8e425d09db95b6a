"""What the owner's dashboard needs: passwords, last use, refused origins and a log."""

from peewee import (
    BigIntegerField,
    BooleanField,
    CharField,
    CompositeKey,
    Database,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)
from playhouse.migrate import SchemaMigrator, migrate


class Page(Model):
    id = CharField(max_length=20, primary_key=True)

    class Meta:
        legacy_table_names = False


class ApiKey(Model):
    id = CharField(max_length=20, primary_key=True)

    class Meta:
        legacy_table_names = False


class RefusedOrigin(Model):
    api_key = ForeignKeyField(ApiKey, on_delete="CASCADE", index=False)
    origin = CharField(max_length=300)
    count = IntegerField()
    refused_at = BigIntegerField()

    class Meta:
        legacy_table_names = False
        primary_key = CompositeKey("api_key", "origin")


class Activity(Model):
    id = CharField(max_length=20, primary_key=True)
    created_at = BigIntegerField()
    page = ForeignKeyField(Page, on_delete="CASCADE", index=False)
    actor = TextField()
    action = CharField(max_length=30)
    subject = TextField()

    class Meta:
        legacy_table_names = False
        indexes = ((("page", "created_at"), False),)


def up(migrator: SchemaMigrator, db: Database) -> None:
    migrate(
        migrator.add_column("owner", "password_hash", TextField(null=True)),
        migrator.add_column("api_key", "last_used_at", BigIntegerField(null=True)),
        migrator.add_column("api_key", "is_preview", BooleanField(default=False)),
        migrator.add_column("submission", "has_added_wallet", BooleanField(default=False)),
    )
    with db.bind_ctx([RefusedOrigin, Activity, Page, ApiKey]):
        db.create_tables([RefusedOrigin, Activity], safe=False)
