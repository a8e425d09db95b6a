"""Taking over a page from a file: all of it or nothing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from itertools import groupby, islice
from typing import IO, Any

from peewee import EXCLUDED, IntegrityError, chunked

from embed.db.batches import count_rows_anew
from embed.db.connection import db
from embed.db.constraints import find_unique_index
from embed.db.models import (
    Balance,
    ChainBalance,
    ImportedDay,
    Page,
    Person,
    Submission,
    Token,
    Wallet,
    WalletTag,
    Withdrawal,
)
from embed.domain.times import count_days
from embed.errors import InvalidInput, NotFound
from embed.events.editing import check_owner_is_there, lock_owners
from embed.maintenance.page_file.reading import PageFile, Row
from embed.maintenance.page_file.tables import SHARED, TABLES, Columns, Table, list_page_columns
from embed.notifications.receivers import MAX_RECEIVERS
from embed.pages import find_page, get_page
from embed.people import accounts
from embed.submissions.deny_list import MAX_BLOCKS
from embed.wallets.tracking import PageFull

_BATCH = 500  # rows per statement

# Why a unique index refuses a row.
_REASONS = {
    "api_key_key_hash": "this key belongs to another page here",
    "api_key_derived": "a page has only one key for its preview, and one for its link",
    "tag_page_id_name": "another tag has the same name",
    "wallet_page_id_address": "another wallet has the same address",
    "submission_nonce": "another submission used the same nonce",
    "submission_live_wallet": "another submission of this wallet is pending or approved",
    "submission_soft_rejected": "there is another refusal of this wallet with the same reason",
    "refusal_count_page_id_day_reason": "refusals of one reason are counted twice for a day",
    "block_page_id_kind_pattern": "this is blocked twice",
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
    this address, or to the owner `owner_email`. No page of another owner is changed.
    Raises InvalidInput, NotFound.
    """
    counts = Counter(row.table.name for _, row in PageFile(file, now).read_rows())
    if counts["wallet"] > max_wallets:
        raise PageFull(max_wallets)
    if counts["receiver"] > MAX_RECEIVERS:
        raise InvalidInput(f"A page can have at most {MAX_RECEIVERS} webhooks and channels.")
    if counts["block"] > MAX_BLOCKS:
        raise InvalidInput(f"A page's deny list can have at most {MAX_BLOCKS} entries.")
    file.seek(0)
    with db.atomic():
        again = PageFile(file, now)
        rows = again.read_rows()
        (_, of_owner), (_, of_page) = islice(rows, 2)  # as has been checked
        owner, is_new = _find_owner(owner_email, of_owner.columns, now)
        page = _add_page(of_page.columns, owner)
        if owner_email is None:
            _check_siblings(page)
        for table, of_table in groupby(rows, key=lambda each: each[1].table):
            while batch := list(islice(of_table, _BATCH)):
                _add_or_name(page, table, batch)
        if again.version < 8:
            _link_wallets(page)
        _check_withdrawals(page)
        Page.update(version=Page.version + 1).where(_is_sibling(page)).execute()
        count_rows_anew(Wallet, WalletTag, Balance)
    return Imported(get_page(page.id), is_new, counts)


def _find_owner(email: str | None, columns: Columns, now: datetime) -> tuple[Person, bool]:
    if email is not None:
        return accounts.get_person(email), False
    try:
        return accounts.get_person(columns["email"]), False
    except NotFound:
        owner = accounts.create_person(columns.pop("email"), now)
        Person.update(**columns).where(Person.id == owner.id).execute()
        return owner, True


def _add_page(columns: Columns, owner: Person) -> Page:
    """Add the page alone, after locking its owner, as store_entered does."""
    page = Page(owner=owner, **columns)
    lock_owners(owner.id)
    check_owner_is_there(owner.id)
    if find_page(page.id) is not None:
        raise InvalidInput(
            f"There is a page {page.id} here. To replace it by that of the file, remove it"
            f" first: flask pages purge {page.id} --yes"
        )
    page.save(force_insert=True)
    return page


def _is_sibling(page: Page) -> Any:
    """Return the condition that a page shares entered balances with this one."""
    return (
        (Page.owner == page.owner_id) & (Page.token_mint == page.token_mint) & (Page.id != page.id)
    )


def _check_siblings(page: Page) -> None:
    """Let nobody's file change what counts on pages of an owner who is only named in it."""
    if Page.select().where(_is_sibling(page)).exists():
        raise InvalidInput(
            f"{page.owner} has pages of this token here, which would share the balances that the"
            " file says were entered. If the page is to be theirs, name them: --owner"
            f" {page.owner}"
        )


def _check_withdrawals(page: Page) -> None:
    """What is withdrawn according to one page must be no submission of another."""
    mismatch = (
        Withdrawal.select(Withdrawal.submission_id)
        .join(Submission, on=(Submission.id == Withdrawal.submission_id))
        .where(
            Withdrawal.page != Submission.page,
            (Withdrawal.page == page) | (Submission.page == page),
        )
        .first()
    )
    if mismatch is not None:
        raise InvalidInput(
            f"The submission {mismatch.submission_id} is of one page, and withdrawn on another."
        )


def _link_wallets(page: Page) -> None:
    """Let wallets name their submissions, as migration 8 does."""
    migration: Any = import_module("embed.db.migrations.0008_wallet_submission")
    for statement in migration.FILLINGS:
        of_page = f"{statement} AND wallet.page_id = {db.obj.param}"
        db.execute_sql(of_page, (page.id,))


def _add_or_name(page: Page, table: Table, batch: Sequence[tuple[int, Row]]) -> None:
    """Add rows together, or one by one if that is refused. Raises InvalidInput for one of them."""
    try:
        _add(page, table, [row for _, row in batch])
    except IntegrityError as error:
        for each in batch if len(batch) > 1 else ():
            _add_or_name(page, table, [each])
        index = find_unique_index(error)
        reason = _REASONS.get(index or "", "its id is used already, here or in the file")
        raise InvalidInput(f"Line {batch[0][0]}: {reason}.") from None


def _add(page: Page, table: Table, rows: Sequence[Row]) -> None:
    """Add rows and their parts. Of those that pages share, what is here already stays."""
    if table.model is Token:
        return  # as all owners share it, only the chain itself is believed
    if table.model is ChainBalance:
        _keep_as_history(page, rows)
        return
    with db.atomic():  # a savepoint
        of_page = list_page_columns(table.model, page)
        _insert(table, [of_page | row.columns for row in rows])
        for part in table.parts:
            keys = _find_keys(table, of_page, [row.key for row in rows])
            of_rows = [
                {part.parent.name: keys[row.key]} | columns
                for row in rows
                for columns in row.parts[part]
            ]
            _insert(part, of_rows)


def _keep_as_history(page: Page, rows: Sequence[Row]) -> None:
    """Add what the file says that the chain held: for this page alone, as owners share the chain's.

    Where the owner entered nothing, the newest counts as entered, until the chain is asked.
    """
    table = TABLES["importedBalance"]
    (part,) = table.parts
    imported = []
    for row in rows:
        (days,) = row.parts.values()
        newest = {name: row.columns[name] for name in ("amount", "observed_at")}
        newest["day"] = count_days(newest["observed_at"])
        imported.append(Row(table, {"address": row.key}, {part: [newest, *days]}))
    _add(page, table, imported)
    entered = [
        list_page_columns(Balance, page)
        | {name: row.columns[name] for name in ("address", "amount", "observed_at")}
        for row in rows
    ]
    Balance.insert_many(entered).on_conflict_ignore().execute()


def _find_keys(table: Table, of_page: Columns, keys: Sequence[str]) -> dict[str, Any]:
    """Return the primary keys of rows by what names these in the file."""
    query = table.model.select(table.key, table.model._meta.primary_key)
    return dict(query.where(table.key.in_(keys)).filter(**of_page).tuples())


def _insert(table: Table, rows: Sequence[Columns]) -> None:
    for batch in chunked(rows, _BATCH):
        query = table.model.insert_many(batch)
        if table.model is Balance:  # what was entered later counts
            query = query.on_conflict(
                conflict_target=[Balance.owner, Balance.mint, Balance.address],
                preserve=[Balance.amount, Balance.observed_at],
                where=EXCLUDED.observed_at > Balance.observed_at,
            )
        elif table.model in SHARED or table.model is ImportedDay:
            query = query.on_conflict_ignore()
        query.execute()
