"""Finds and erases everything stored about a wallet, on every page.

A wallet's holder can withdraw it from one page; see submissions/withdrawal.py. This is for the
operator, and erases everything, including rejections and owners' own entries.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from peewee import CharField, SqliteDatabase, TextField, Value, fn

from embed.db.connection import db
from embed.db.fields import AmountField
from embed.db.models import (
    MODELS,
    Activity,
    Balance,
    Block,
    ChainBalance,
    DailyBalance,
    Job,
    Listing,
    Message,
    Page,
    Submission,
    Wallet,
    Withdrawal,
)
from embed.db.used_nonces import revoke_nonces
from embed.domain.nonces import Nonce
from embed.errors import NotFound
from embed.events.editing import Change, Edit, editing, lock_owners
from embed.events.kinds import ErasureFacts
from embed.submissions.withdrawal import (
    delete_sent,
    erase_traces,
    leave_out_soft_rejections,
    report_withdrawn,
)

_CUT = "…"  # replaces the address in entries about others, such as another wallet's alias


@dataclass(frozen=True, slots=True)
class StoredRows:
    what: str
    page_id: str | None  # None: for all pages
    count: int


def find_stored(address: str) -> list[StoredRows]:
    observed = ChainBalance.select(ChainBalance.id).where(ChainBalance.address == address)
    conditions: dict[str, tuple[Any, Any]] = {
        "entry in the list": (Wallet, Wallet.address == address),
        "submissions": (Submission, Submission.wallet_address == address),
        "times in the public list": (Listing, Listing.address == address),
        "entries in the log": (Activity, _holds(Activity.data, address)),
        "messages": (Message, _holds(Message.data, address)),
        "balances that were entered": (Balance, Balance.address == address),
        "balances from the chain": (ChainBalance, ChainBalance.id.in_(observed)),
        "balances of past days": (DailyBalance, DailyBalance.balance.in_(observed)),
        "entries of deny lists": (Block, _blocks(address)),
        "reports of background work": (Job, _reported(address)),
    }
    stored = []
    for what, (model, condition) in conditions.items():
        pages = [model.page] if "page" in model._meta.fields else []
        counts = model.select(*pages or [Value(None)], fn.COUNT(Value(1))).where(condition)
        rows = counts.group_by(*pages).tuples()
        stored += [StoredRows(what, page_id, count) for page_id, count in rows if count]
    return sorted(stored, key=lambda one: (one.page_id is None, one.page_id or ""))


def _blocks(address: str) -> Any:
    return (Block.kind == "wallet") & (Block.pattern == address)


def _reported(address: str) -> Any:
    return _holds(Job.summary, address) | _holds(Job.failure, address)


def find_mentions(address: str) -> list[tuple[str, int]]:
    """Return the text columns that contain an address, and in how many rows.

    After an erasure, only owners' own words are left, such as a page's comment.
    """
    fields = [
        field
        for model in MODELS
        for field in model._meta.sorted_fields
        if isinstance(field, CharField | TextField) and not isinstance(field, AmountField)
    ]
    return [
        (f"{field.model._meta.table_name}.{field.column_name}", count)
        for field in fields
        if (count := field.model.select().where(_holds(field, address)).count())
    ]


def _holds(field: Any, address: str) -> Any:
    """Return the condition that a text contains an address.

    LIKE ignores case, which makes it ten times slower on Postgres.
    """
    return fn.REPLACE(field, address, "") != field


def erase_wallet(address: str, change: Change) -> list[StoredRows]:
    """Erase a wallet, in one transaction per page, and return what was stored.

    If it's interrupted, it can be repeated.
    """
    stored = find_stored(address)
    for page_id in sorted({one.page_id for one in stored if one.page_id is not None}):
        with suppress(NotFound), editing(page_id, change) as edit:  # may be purged
            _erase_on_page(edit, address)
    with db.atomic():
        _erase_balances(address)
        Block.delete().where(_blocks(address)).execute()  # those for all of an owner's pages
        Job.update(summary=None, failure=None).where(_reported(address)).execute()
    return stored


def _erase_on_page(edit: Edit, address: str) -> None:
    page, change = edit.page, edit.change
    wallet = Wallet.get_or_none(Wallet.page == page, Wallet.address == address)
    this = (Submission.page == page) & (Submission.wallet_address == address)
    sent = list(Submission.select().where(this).order_by(Submission.created_at, Submission.id))
    sent_ids = Submission.select(Submission.id).where(this)
    earlier = Withdrawal.select().where(Withdrawal.submission_id.in_(sent_ids))
    withdrawn = {one.submission_id for one in earlier}
    reported = [one for one in leave_out_soft_rejections(sent) if one.id not in withdrawn]
    erase_traces(page, address, erased_by="operator")
    for model in (Activity, Message):
        model.update(data=fn.REPLACE(model.data, address, _CUT)).where(
            model.page == page, _holds(model.data, address)
        ).execute()
    Wallet.delete().where(Wallet.page == page, Wallet.address == address).execute()
    Block.delete().where(Block.page == page, _blocks(address)).execute()
    delete_sent(sent, change)
    revoke_nonces(
        Nonce.make_wallet_token(page.id, address), change.now + change.settings.nonce_lifetime
    )
    report_withdrawn(edit, reported, wallet)
    edit.log("erase wallet", ErasureFacts())


def _erase_balances(address: str) -> None:
    """Erase balances; no page that shares them has the wallet anymore."""
    mints = ChainBalance.select(ChainBalance.mint).where(ChainBalance.address == address)
    entered: Any = Balance.select(Balance.owner).where(Balance.address == address).tuples()
    observed: Any = Page.select(Page.owner).where(Page.token_mint.in_(mints)).tuples()
    # As everything that writes balances does.
    lock_owners(*{owner_id for query in (entered, observed) for (owner_id,) in query})
    Balance.delete().where(Balance.address == address).execute()
    ChainBalance.delete().where(ChainBalance.address == address).execute()


def clear_deleted_content() -> bool:
    """Rewrite SQLite's file, whose free pages still contain deleted data, and empty its journal.

    Writers wait until it's done. Return False if another connection is still reading the journal.
    On Postgres it does nothing; that's up to its operator. Raises OperationalError, for example
    if the disk has no room for a second copy.
    """
    if not isinstance(db.obj, SqliteDatabase):
        return True
    db.execute_sql("VACUUM")
    is_busy, *_ = db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy
