"""What keys are for: the key of a page that is public by link, beside that of the preview."""

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

from embed.db.frozen_tables import FrozenRow, add_columns, rebuild_table


class Page(FrozenRow):
    pass


class OldKey(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE")
    tier = CharField(max_length=6, constraints=[Check("tier IN ('public', 'secret')")])
    key_hash = CharField(max_length=64, unique=True)
    display_prefix = CharField(max_length=12)
    origins = TextField()
    allow_null_origin = BooleanField()
    revoked_at = BigIntegerField(null=True)
    last_used_at = BigIntegerField(null=True)
    is_preview = BooleanField(default=False)
    label = TextField(null=True)

    class Meta:
        table_name = "api_key"


class ApiKey(FrozenRow):
    page = ForeignKeyField(Page, on_delete="CASCADE")
    tier = CharField(max_length=6, constraints=[Check("tier IN ('public', 'secret')")])
    key_hash = CharField(max_length=64, unique=True)
    display_prefix = CharField(max_length=12)
    origins = TextField()
    allow_null_origin = BooleanField()
    revoked_at = BigIntegerField(null=True)
    last_used_at = BigIntegerField(null=True)
    purpose = CharField(
        max_length=7,
        default="sites",
        constraints=[Check("purpose IN ('sites', 'preview', 'link')")],
    )
    label = TextField(null=True)


OldKey.add_index(OldKey.page, unique=True, where=OldKey.is_preview, name="api_key_preview")
ApiKey.add_index(
    ApiKey.page,
    ApiKey.purpose,
    unique=True,
    where=ApiKey.purpose != "sites",
    name="api_key_derived",
)

LOST = "which pages are public by link"

_PURPOSE = "CASE WHEN is_preview THEN 'preview' ELSE 'sites' END"
_IS_PREVIEW = "purpose = 'preview'"
# Submissions refer to its key, which stays as one that was revoked. Its hash becomes that of no
# key, since the same key is made again after another upgrade.
_REVOKE_LINKS = """
    UPDATE api_key SET revoked_at = coalesce(revoked_at, created_at), label = 'Public by link',
    key_hash = substr(key_hash, 2) || substr(key_hash, 1, 1)
    WHERE purpose = 'link'
"""


def up(migrator: SchemaMigrator, db: Any) -> None:
    _replace(migrator, db, ApiKey, "is_preview", purpose=_PURPOSE)


def down(migrator: SchemaMigrator, db: Any) -> None:
    db.execute_sql(_REVOKE_LINKS)
    _replace(migrator, db, OldKey, "purpose", is_preview=_IS_PREVIEW)


def _replace(
    migrator: SchemaMigrator, db: Any, model: Any, replaced: str, **converted: str
) -> None:
    """Put a column, whose values an SQL expression gives, in the place of another."""
    if isinstance(db, SqliteDatabase):
        rebuild_table(db, model, **converted)
        return
    add_columns(migrator, model)
    ((name, expression),) = converted.items()
    db.execute_sql(f"UPDATE api_key SET {name} = ({expression})")  # noqa: S608 -- words of this file
    db.execute_sql(f'ALTER TABLE api_key DROP COLUMN "{replaced}"')  # and its index
    with db.bind_ctx([model]):
        model._schema.create_indexes(safe=True)  # the others are there already
