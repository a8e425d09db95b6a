"""Changes of a page: each is one transaction with an entry in the activity log."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from peewee import Model, ModelSelect

from embed.db.batches import in_batches
from embed.db.connection import db, lock_rows
from embed.db.models import Activity, ApiKey, Page, Person, Receiver, Tag, Wallet
from embed.domain.clients import UNKNOWN, Client
from embed.errors import InvalidInput, NotFound
from embed.events.kinds import Facts, find_address
from embed.events.messages import send_messages
from embed.serializers import write_json
from embed.settings import Settings

RowOfPage = TypeVar("RowOfPage", ApiKey, Receiver, Tag, Wallet)
_NAMES: Mapping[type[Model], str] = {
    ApiKey: "key",
    Receiver: "receiver",
    Tag: "tag",
    Wallet: "wallet",
}

COMMAND_LINE = "command line"  # the actor of changes made by a command


@dataclass(frozen=True, slots=True)
class Change:
    """Who changes something, when, with which settings, and from which browser."""

    actor: str  # a person's email address, or what isn't a person, such as COMMAND_LINE
    now: datetime
    settings: Settings
    client: Client = UNKNOWN  # as it is for commands and background work


class Edit:
    """A change in progress; `page` is locked until it ends."""

    def __init__(self, page: Page, change: Change) -> None:
        self.page = page
        self.change = change
        self._entries: list[dict[str, Any]] = []
        self._messages: list[tuple[str, Mapping[str, Any]]] = []

    def log(self, action: str, facts: Facts) -> None:
        """Add an action to the activity log, and notify the page's receivers if it concerns them.

        Without an entry, the page keeps its version.
        """
        if action not in facts.sentences:
            raise ValueError(action)
        data = facts.write()
        self._entries.append(
            {
                "page": self.page,
                "actor": self.change.actor,
                "action": action,
                "data": write_json(data, is_compact=True).decode(),
                "address": find_address(data),
                "created_at": self.change.now,
            }
        )
        if action in facts.message_types:
            self.tell(facts.message_types[action], data)

    def tell(self, message_type: str, data: Mapping[str, Any]) -> None:
        """Send the page's receivers a message about something that isn't logged."""
        self._messages.append((message_type, data))

    def write(self) -> None:
        """Write what was logged, at the end of the change."""
        for batch in in_batches(self._entries):
            Activity.insert_many(batch).execute()
        if self._messages:
            send_messages(self.page.id, self._messages, self.change.now)
        if self._entries:
            # Increment only once per change: entering balances may have done so already.
            Page.update(version=Page.version + 1).where(
                Page.id == self.page.id, Page.version == self.page.version
            ).execute()


@contextmanager
def editing(page_id: str, change: Change, *, next_owner_id: str | None = None) -> Iterator[Edit]:
    """Lock a page for a change; its log raises the version, on which every cache rests.

    The block is one transaction. The page's owner is locked first: an owner's pages share balances,
    so no page may join or leave them while balances are entered. Handing a page over concerns two
    owners; no owner may be locked after a page.
    Raises NotFound, and InvalidInput if the page changes hands or the next owner is removed at the
    same moment.
    """
    with db.atomic():
        owner_id = _read_page(Page.select(Page.owner), page_id).owner_id
        lock_owners(owner_id, next_owner_id or owner_id)
        if next_owner_id is not None:
            check_owner_is_there(next_owner_id)
        page = lock_page(page_id)
        if page.owner_id != owner_id:
            raise InvalidInput("The page now belongs to another owner.")
        edit = Edit(page, change)
        yield edit
        edit.write()


@contextmanager
def editing_row(
    model: type[RowOfPage], row_id: str, change: Change
) -> Iterator[tuple[Edit, RowOfPage]]:
    """Like `editing`, for a row that belongs to a page: lock the page, then read the row.

    Raises NotFound.
    """
    with editing(_get_row(model, row_id).page_id, change) as edit:
        yield edit, _get_row(model, row_id)


def _get_row(model: type[RowOfPage], row_id: str) -> RowOfPage:
    row: RowOfPage | None = model.get_or_none(model.id == row_id)
    if row is None:
        raise NotFound(f"There is no {_NAMES[model]} {row_id}.")
    return row


def lock_owners(*owner_ids: str) -> None:
    """Lock owners until the transaction ends; always before any page, to avoid deadlocks."""
    if db.for_update:  # SQLite locks the whole database
        # Rows that refer to an owner needn't wait. Postgres checks the reference again for a page
        # that one transaction updates twice, but that holds the page's lock by then.
        owners = Person.select(Person.id).where(Person.id.in_(owner_ids)).order_by(Person.id)
        list(lock_rows(owners, "FOR NO KEY UPDATE"))


def check_owner_is_there(owner_id: str) -> None:
    """Raise InvalidInput if the owner has been removed; call this after `lock_owners`.

    While they're locked, the owner can't be removed.
    """
    if not Person.select().where(Person.id == owner_id).exists():
        raise InvalidInput("The owner has just been removed.")


def lock_page(page_id: str, *columns: Any) -> Page:
    """Read a page, or these columns of it, and lock it until the transaction ends.

    Raises NotFound.
    """
    return _read_page(lock_rows(Page.select(*columns)), page_id)


def _read_page(query: "ModelSelect[Page]", page_id: str) -> Page:
    page = query.where(Page.id == page_id).get_or_none()
    if page is None:
        raise NotFound(f"There is no tracking page {page_id}.")
    return page


def bump_version(page_id: str) -> None:
    """Increment the version; call this in the transaction that changes the public payload."""
    Page.update(version=Page.version + 1).where(Page.id == page_id).execute()
