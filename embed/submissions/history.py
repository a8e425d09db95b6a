"""What was decided on earlier submissions of a wallet or a session."""

from typing import Any

from peewee import fn

from embed.db.models import Page, Submission

# For conditions beside a wallet's: SQLite keeps no statistics, and would rather search the
# page's index, which may hold 100,000 submissions, than the wallet's, which holds a few.
unsearched_page = fn.COALESCE(Submission.page, "")


def is_on_pages_of_owner(owner_id: str) -> Any:
    """Return the condition, for submissions found by their wallet."""
    return unsearched_page.in_(Page.select(Page.id).where(Page.owner == owner_id))
