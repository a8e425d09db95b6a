"""An owner's change of a page: whole or not at all, and never without a trace in the log."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from embed.db.connection import db
from embed.db.models import Activity, Page
from embed.errors import NotFound
from embed.events.kinds import Event

COMMAND_LINE = "command line"  # the actor of changes that name no owner


class Edit:
    """A change under way; `page` is locked until it ends."""

    def __init__(self, page: Page, actor: str, now: datetime) -> None:
        self.page = page
        self.actor = actor
        self.now = now
        self.has_changed = False

    def record(self, event: Event) -> None:
        """Log what was done. What is not recorded counts as no change."""
        self.has_changed = True
        Activity.create(
            page=self.page,
            actor=self.actor,
            action=event.action,
            subject=event.subject,
            created_at=self.now,
        )


@contextmanager
def editing(page_id: str, actor: str, now: datetime) -> Iterator[Edit]:
    """Lock a page for a change by `actor`; what is recorded also gives it a new version.

    Everything inside the block is one transaction. Raises NotFound.
    """
    with db.atomic():
        edit = Edit(lock_page(page_id), actor, now)
        yield edit
        if edit.has_changed:
            # Once a change: what it did may have given the page a new version already.
            Page.update(version=Page.version + 1).where(
                Page.id == page_id, Page.version == edit.page.version
            ).execute()


def lock_page(page_id: str) -> Page:
    """Read a page and keep everybody else from changing it until the transaction ends.

    Raises NotFound.
    """
    query = Page.select().where(Page.id == page_id)
    page = (query.for_update() if db.for_update else query).get_or_none()
    if page is None:
        raise NotFound(f"There is no tracking page {page_id}.")
    return page


def bump_version(page_id: str) -> None:
    """Say that the public payload has changed; in the transaction of the change itself."""
    Page.update(version=Page.version + 1).where(Page.id == page_id).execute()
