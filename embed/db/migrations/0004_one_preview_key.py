"""At most one preview key for each page, which is renewed in place."""

from typing import Any

from playhouse.migrate import SchemaMigrator

# Deleting a key deletes its submissions, so they go over to the key that stays: the newest.
_MOVE_SUBMISSIONS = """
    UPDATE submission SET api_key_id = (
        SELECT id FROM api_key WHERE api_key.page_id = submission.page_id AND is_preview
        ORDER BY created_at DESC, id LIMIT 1
    )
    WHERE api_key_id IN (SELECT id FROM api_key WHERE is_preview)
"""
_DELETE_OLDER = """
    DELETE FROM api_key WHERE is_preview AND id <> (
        SELECT id FROM api_key AS other WHERE other.page_id = api_key.page_id AND is_preview
        ORDER BY created_at DESC, id LIMIT 1
    )
"""


def up(migrator: SchemaMigrator, db: Any) -> None:
    db.execute_sql(_MOVE_SUBMISSIONS)
    db.execute_sql(_DELETE_OLDER)
    db.execute_sql(
        'CREATE UNIQUE INDEX "api_key_preview" ON "api_key" ("page_id") WHERE "is_preview"'
    )
