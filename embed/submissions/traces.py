"""What a page keeps about a wallet beside its submissions and its place on the list.

Balances on the chain are public, belong to no page, and are not among these.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from peewee import chunked, fn

from embed.db.models import Activity, Listing, Message, Page, Receiver
from embed.events.kinds import DecisionUndone, SubmissionApproved, SubmissionRejected
from embed.events.outbox import lock_receivers

_BATCH = 25  # names per statement: they are nested in it, and SQLite parses no more than 100 levels
ERASED = "withdrawn by the wallet's holder"  # the subject of an entry that named the wallet

_DECISIONS = [one.action for one in (SubmissionApproved, SubmissionRejected, DecisionUndone)]
_WALLET_CHANGES = ["add wallet", "change wallet", "remove wallet", "flag wallet", "unflag wallet"]
# Types of messages, and how their data name a wallet.
_NAMED_AS = {
    "submission.created": "walletAddress",
    "submission.decided": "walletAddress",
    "wallet.flagged": "address",
}


def is_activity_about(page: Page, address: str) -> Any:
    """Return the condition that an entry of the log is about a wallet.

    Other wallets' aliases, which may be any text, do not count; see the subjects of events.
    """
    actions = _DECISIONS + _WALLET_CHANGES
    subject = Activity.subject
    names_it = (
        (subject == address)
        | subject.endswith(f"({address})")
        | subject.startswith(f"{address}: holds ")
        | subject.contains(f"({address}): holds ")
    )
    is_candidate = Activity.action.in_(actions) & holds(subject, address)
    return (Activity.page == page) & is_candidate & names_it


def is_message_about(page: Page, address: str) -> Any:
    """Return the condition that a message for the page's receivers is about a wallet."""
    named = [
        (Message.type == message_type) & Message.data.contains(f'"{field}":"{address}"')
        for message_type, field in _NAMED_AS.items()
    ]
    return (Message.page == page) & holds(Message.data, address) & reduce(or_, named)


def holds(field: Any, address: str) -> Any:
    """Return the condition that a text holds an address, in whatever words.

    LIKE ignores case, which makes it ten times as slow on Postgres.
    """
    return fn.REPLACE(field, address, "") != field


def is_listing_of(page: Page, address: str) -> Any:
    return (Listing.page == page) & (Listing.address == address)


def erase_traces(
    page: Page,
    address: str,
    *,
    nicknames: Collection[str],
    stays_listed: bool,
    before: datetime | None,
) -> None:
    """Erase what names a wallet whose submissions are withdrawn, while the page is locked.

    What the owner did with an entry of their own stays, if the wallet `stays_listed`. So does what
    happened since `before`, when the wallet was sent anew.
    """
    activity = is_activity_about(page, address)
    messages = is_message_about(page, address)
    listings = is_listing_of(page, address)
    if stays_listed:
        listings &= Listing.left_at.is_null(False) & Listing.name.in_(list(nicknames))
    if before is not None:
        activity &= Activity.created_at < before
        messages &= Message.created_at < before
    for condition in _name_holder(address, nicknames) if stays_listed else [activity]:
        Activity.update(subject=ERASED).where(activity, condition).execute()
    lock_receivers(Receiver.page == page)  # before their deliveries, which go with the messages
    Message.delete().where(messages).execute()
    Listing.delete().where(listings).execute()


def _name_holder(address: str, nicknames: Collection[str]) -> Iterator[Any]:
    """Yield the conditions that an entry is about a submission, or has a nickname as the alias."""
    yield Activity.action.in_(_DECISIONS)
    for batch in chunked(nicknames, _BATCH):
        named = [Activity.subject.startswith(f"{nickname} ({address})") for nickname in batch]
        yield reduce(or_, named)
