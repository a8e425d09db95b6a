"""Taking over a page from a file: all of it or nothing."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice
from typing import IO, Any

from msgspec import UNSET
from peewee import EXCLUDED, IntegrityError, chunked, fn

from embed import owners
from embed.balances.history import count_days
from embed.balances.observations import bump_pages_of
from embed.db.connection import db
from embed.db.constraints import find_unique_index
from embed.db.models import (
    APPROVED,
    Balance,
    ChainBalance,
    DailyBalance,
    Delivery,
    Message,
    Owner,
    Page,
    Proof,
    RefusedOrigin,
    Submission,
    Token,
    UsedNonce,
    Wallet,
    WalletTag,
)
from embed.errors import InvalidInput, NotFound
from embed.events.editing import check_owner_is_there, lock_owners
from embed.maintenance.page_file import records
from embed.maintenance.page_file.lines import Row
from embed.maintenance.page_file.reading import get_type, read_records
from embed.maintenance.page_file.records import OwnerRecord, PageRecord
from embed.pages import find_page, get_page
from embed.wallets.tracking import PageFull

_BATCH = 500  # rows per statement
_Numbered = tuple[int, Row]  # a line's number and its record

# Why a unique index refuses a row.
_REASONS = {
    "api_key_key_hash": "this key belongs to another page here",
    "api_key_preview": "a page has only one preview key",
    "tag_page_id_name": "another tag has the same name",
    "wallet_page_id_address": "another wallet has the same address",
    "submission_nonce": "another submission used the same nonce",
    "submission_live_wallet": "another submission of this wallet is pending or approved",
    "submission_soft_rejected": "there is another refusal of this wallet with the same reason",
    "listing_current": "the address is on the list twice",
}


@dataclass(frozen=True, slots=True)
class Imported:
    page: Page
    is_owner_new: bool
    counts: Counter[str]  # lines by type


def import_page(
    file: IO[bytes], now: datetime, *, max_wallets: int, owner_email: str | None = None
) -> Imported:
    """Add the page of a file, which is read twice: checked as a whole, then added.

    The page goes to the owner in the file, who is created without a password if there is none of
    this address, or to the owner `owner_email`. Raises InvalidInput, NotFound.
    """
    counts = Counter(get_type(record) for _, record in read_records(file))
    if counts["wallet"] > max_wallets:
        raise PageFull(max_wallets)
    file.seek(0)
    with db.atomic():
        numbered: Iterator[Any] = read_records(file)
        _, of_owner = next(numbered)  # read_records has checked that these two come first
        _, of_page = next(numbered)
        owner, is_new = _find_owner(owner_email, of_owner, now)
        page = _add_page(of_page, owner)
        _add_all(page, numbered)
        bump_pages_of([page.token_mint], but_not=[page.id])
    return Imported(get_page(page.id), is_new, counts)


def _find_owner(email: str | None, found: OwnerRecord, now: datetime) -> tuple[Owner, bool]:
    if email is not None:
        return owners.get_owner(email), False
    try:
        return owners.get_owner(found.email), False
    except NotFound:
        return owners.create_owner(found.email, now, language=found.language), True


def _add_page(record: PageRecord, owner: Owner) -> Page:
    """Add the page alone, after locking all who share its balances, as record_chain does."""
    sharing: Any = Page.select(Page.owner).where(Page.token_mint == record.token_mint).distinct()
    lock_owners(owner.id, *[owner_id for (owner_id,) in sharing.tuples()])
    check_owner_is_there(owner.id)
    if find_page(record.id) is not None:
        raise InvalidInput(
            f"There is a page {record.id} here. To replace it by that of the file, remove it"
            f" first: flask pages purge {record.id} --yes"
        )
    return Page.create(owner=owner, **record.read_columns())


def _add_all(page: Page, numbered: Iterator[_Numbered]) -> None:
    for kind, of_kind in groupby(numbered, key=lambda each: type(each[1])):
        while batch := list(islice(of_kind, _BATCH)):
            try:
                _add(page, kind, batch)
            except IntegrityError:
                _find_culprit(page, kind, batch)


def _find_culprit(page: Page, kind: type[Row], batch: Sequence[_Numbered]) -> None:
    """Add row by row what was refused together. Raises InvalidInput at the line that is wrong."""
    for number, record in batch:
        try:
            _add(page, kind, [(number, record)])
        except IntegrityError as error:
            index = find_unique_index(error)
            reason = _REASONS.get(index or "", "its id is used already, here or in the file")
            raise InvalidInput(f"Line {number}: {reason}.") from None


def _add(page: Page, kind: type[Row], batch: Sequence[_Numbered]) -> None:
    rows = [record for _, record in batch]
    with db.atomic():  # a savepoint
        _ADD.get(kind, _add_rows)(page, rows)


def _add_rows(page: Page, rows: Sequence[Row]) -> None:
    model = rows[0].model
    of_page = {"page": page.id} if "page" in model._meta.fields else {}
    _insert(model, [of_page | row.read_columns() for row in rows])


def _insert(model: Any, rows: Sequence[Mapping[str, Any]], *, keep_present: bool = False) -> None:
    for batch in chunked(rows, _BATCH):
        query = model.insert_many(batch)
        (query.on_conflict_ignore() if keep_present else query).execute()


def _add_keys(page: Page, rows: Sequence[records.KeyRecord]) -> None:
    _add_rows(page, rows)
    _insert(
        RefusedOrigin,
        [
            {"api_key": row.id, **refused.read_columns()}
            for row in rows
            for refused in row.refused_origins
        ],
    )


def _add_wallets(page: Page, rows: Sequence[records.WalletRecord]) -> None:
    _add_rows(page, rows)
    _insert(
        WalletTag, [{"wallet": row.id, "tag": tag_id} for row in rows for tag_id in row.tag_ids]
    )


def _add_submissions(page: Page, rows: Sequence[records.SubmissionRecord]) -> None:
    _add_rows(page, rows)
    _insert(
        Proof,
        [
            {"submission": row.id, **row.proof.read_columns()}
            for row in rows
            if row.proof is not None
        ],
    )
    _link_wallets(page, rows)


def _link_wallets(page: Page, rows: Sequence[records.SubmissionRecord]) -> None:
    """Let wallets name these submissions, of a file whose wallets come first and name none.

    An approval that put its wallet on the page gave both the same time.
    """
    old = [row for row in rows if row.has_added_wallet is not UNSET and row.status in APPROVED]
    of_wallet = Submission.select(Submission.id).where(
        Submission.id.in_([row.id for row in old]),
        Submission.wallet_address == Wallet.address,
        Submission.decided_at == Wallet.created_at,
    )
    Wallet.update(submission=of_wallet).where(
        Wallet.page == page,
        Wallet.address.in_([row.wallet_address for row in old]),
        fn.EXISTS(of_wallet),
    ).execute()


def _add_messages(page: Page, rows: Sequence[records.MessageRecord]) -> None:
    _add_rows(page, rows)
    query: Any = Message.select(Message.id, Message.number)
    numbers = dict(query.where(Message.id.in_([row.id for row in rows])).tuples())
    _insert(
        Delivery,
        [
            {"message": numbers[row.id], **delivery.read_columns()}
            for row in rows
            for delivery in row.deliveries
        ],
    )


def _add_used_nonces(_page: Page, rows: Sequence[Row]) -> None:
    _insert(UsedNonce, [row.read_columns() for row in rows], keep_present=True)


def _add_token(page: Page, rows: Sequence[Row]) -> None:
    mint = {"mint": page.token_mint}
    _insert(Token, [mint | row.read_columns() for row in rows], keep_present=True)


def _add_entered(page: Page, rows: Sequence[Row]) -> None:
    """Add what the owner entered, unless they have entered something newer here."""
    of_owner = {"owner": page.owner_id, "mint": page.token_mint}
    Balance.insert_many([of_owner | row.read_columns() for row in rows]).on_conflict(
        conflict_target=[Balance.owner, Balance.mint, Balance.address],
        preserve=[Balance.amount, Balance.observed_at],
        where=EXCLUDED.observed_at > Balance.observed_at,
    ).execute()


def _add_observed(page: Page, rows: Sequence[records.ObservedBalanceRecord]) -> None:
    """Add what is not known here yet: other pages rely on what was observed for them."""
    mint = {"mint": page.token_mint}
    _insert(ChainBalance, [mint | row.read_columns() for row in rows], keep_present=True)
    query: Any = ChainBalance.select(ChainBalance.address, ChainBalance.id).where(
        ChainBalance.mint == page.token_mint,
        ChainBalance.address.in_([row.address for row in rows]),
    )
    ids = dict(query.tuples())
    _insert(
        DailyBalance,
        [
            {"balance": ids[row.address], "day": count_days(columns["observed_at"]), **columns}
            for row in rows
            for columns in (day.read_columns() for day in row.days)
        ],
        keep_present=True,
    )


_ADD: dict[type[Row], Callable[[Page, Any], None]] = {
    records.KeyRecord: _add_keys,
    records.WalletRecord: _add_wallets,
    records.SubmissionRecord: _add_submissions,
    records.MessageRecord: _add_messages,
    records.UsedNonceRecord: _add_used_nonces,
    records.TokenRecord: _add_token,
    records.BalanceRecord: _add_entered,
    records.ObservedBalanceRecord: _add_observed,
}
