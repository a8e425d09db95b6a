"""Delete the last run of the job that is named "listings" now."""

from typing import Any


def up(_: Any, db: Any) -> None:
    db.execute_sql("DELETE FROM job WHERE name = 'feed'")
