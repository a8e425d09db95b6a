"""The activity log of a page: who did what when."""

from embed.db.models import Activity
from embed.db.pagination import Cursor, Slice, make_slice, read_rows

MAX_LISTED = 100
SLICE_SIZE = 50


def list_of_page(page_id: str, *, limit: int = MAX_LISTED) -> list[Activity]:
    """Return the newest entries first."""
    return read_rows(Activity, Activity.page == page_id, limit=limit)


def read_log(page_id: str, *, after: Cursor | None) -> Slice[Activity]:
    """Return a slice of the log, newest first."""
    return make_slice(
        read_rows(Activity, Activity.page == page_id, limit=SLICE_SIZE + 1, after=after), SLICE_SIZE
    )
