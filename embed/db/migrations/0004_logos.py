"""Create the table of logos, and an index that finds who joined lately."""

from typing import Any

from embed.db.models import Logo


def up(_: Any, db: Any) -> None:
    with db.bind_ctx([Logo]):
        db.create_tables([Logo], safe=False)
    db.execute_sql(
        'CREATE INDEX "submission_approved" ON "submission" ("page_id", "decided_at")'
        """ WHERE ("status" IN ('approved', 'auto_approved'))"""
    )
