"""The log of a page: who did what when. Entries are only ever added."""

from datetime import datetime

from embed.models import Activity

COMMAND_LINE = "command line"
MAX_LISTED = 100


def record(page_id: str, actor: str, action: str, subject: str, now: datetime) -> None:
    """Add an entry, in the transaction of the deed itself.

    `action` is a verb and its object, such as ``approve submission``.
    """
    Activity.create(page=page_id, actor=actor, action=action, subject=subject, created_at=now)


def list_of_page(page_id: str, *, limit: int = MAX_LISTED) -> list[Activity]:
    """Return the newest entries first."""
    query = Activity.select().where(Activity.page == page_id)
    return list(query.order_by(Activity.created_at.desc(), Activity.id.desc()).limit(limit))
