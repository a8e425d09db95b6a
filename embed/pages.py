"""Tracking pages and their settings."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from msgspec import UNSET, UnsetType
from peewee import JOIN, SQL, fn

from embed.db.batches import in_batches
from embed.db.connection import db
from embed.db.models import (
    LOW_IN_A_ROW,
    UNMARKED,
    ApiKey,
    ChainBalance,
    Invitation,
    Member,
    Page,
    Person,
    Receiver,
    Submission,
    Wallet,
)
from embed.db.statements import Parameter, Statement, read_model
from embed.domain.addresses import parse_mint
from embed.domain.amounts import parse_amount
from embed.domain.policy import Policy
from embed.domain.roles import OWNER
from embed.domain.texts import gettext_noop, parse_optional_text, parse_text, parse_ticker
from embed.domain.times import from_ms
from embed.errors import InvalidInput, NotFound
from embed.events import account_log
from embed.events.editing import (
    Change,
    check_owner_is_there,
    editing,
    lock_owners,
    lock_page,
)
from embed.events.kinds import ChangeFacts, PageFacts
from embed.logos import store_logo

RESTORE_WITHIN = timedelta(days=30)
MAX_WHOLE_NUMBER = 2**31 - 1  # what an integer column holds


def create_page(owner: Person, fields: dict[str, Any], change: Change) -> Page:
    """Create a page from raw fields, named as in `_PARSERS`. Raises InvalidInput."""
    parsed = parse_fields(fields)
    with db.atomic():
        lock_owners(owner.id)
        check_owner_is_there(owner.id)
        page = Page.create(owner=owner, created_at=change.now, **parsed)
        with editing(page.id, change) as edit:
            edit.log("create page", PageFacts(page.token_name))
    return get_page(page.id)


def list_pages() -> list[Page]:
    query = Page.select(Page, Person).join(Person)
    return list(query.order_by(Page.created_at, Page.id))


def list_of_owner(owner: Person, *conditions: Any) -> list[Page]:
    """Return an owner's pages that meet all conditions, newest first, including deleted ones."""
    query = Page.select().where(Page.owner == owner, *conditions)
    return list(query.order_by(Page.created_at.desc(), Page.id))


@dataclass(frozen=True, slots=True)
class OwnPage:
    """A page of a person, and its pending submissions."""

    page: Page
    role: str  # of the person
    waiting: int
    oldest_at: datetime | None  # of the pending ones


def is_page_of(person: Any) -> Any:
    """Return the condition that a person owns a page, or is a member of it."""
    owned = Page.alias()
    return Page.id.in_(owned.select(owned.id).where(owned.owner == person)) | Page.id.in_(
        Member.select(Member.page).where(Member.person == person)
    )


def list_with_waiting(person: Person) -> list[OwnPage]:
    """Return a person's pages, without deleted ones: most pending first, then the newest.

    Uses one statement, as every page of the dashboard shows them.
    """
    # One by one on the index: joining and grouping them takes five times as long.
    waiting, oldest_at = (
        Submission.select(found).where(Submission.page == Page.id, Submission.status == "pending")
        for found in (fn.COUNT(1), fn.MIN(Submission.created_at))
    )
    is_membership = (Member.page == Page.id) & (Member.person == person)
    pages: Any = (
        Page.select(Page, Member.role, waiting.alias("waiting"), oldest_at.alias("oldest_at"))
        .join(Member, JOIN.LEFT_OUTER, on=is_membership)
        .where(is_page_of(person), Page.deleted_at.is_null())
        .order_by(SQL("waiting").desc(), Page.created_at.desc(), Page.id)
    )
    return [
        OwnPage(one, one.role or OWNER, one.waiting, one.oldest_at and from_ms(one.oldest_at))
        for one in pages.objects()
    ]


def count_tracked_wallets(pages: Iterable[Page]) -> dict[str, int]:
    """Count by page; pages without any are absent."""
    # Joining the pages takes twice as long. The id is not in the index.
    counts = Wallet.select(Wallet.page, fn.COUNT(1)).group_by(Wallet.page)
    rows: Any = counts.where(Wallet.page.in_([one.id for one in pages]))
    return dict(rows.tuples())


def count_live_keys(owner: Person) -> dict[str, int]:
    """Count by page, for the pages that a person owns; pages without any are absent."""
    counts = ApiKey.select(ApiKey.page, fn.COUNT(1)).group_by(ApiKey.page)
    is_live = ApiKey.revoked_at.is_null()
    rows: Any = counts.join(Page).where(Page.owner == owner, is_live, ApiKey.purpose == "sites")
    return dict(rows.tuples())


def get_page(page_id: str) -> Page:
    """Raises NotFound."""
    page = find_page(page_id)
    if page is None:
        raise NotFound(f"There is no tracking page {page_id}.")
    return page


def find_page(page_id: str) -> Page | None:
    row = _FIND_PAGE.execute(page_id=page_id).fetchone()
    page: Page | None = row and read_model(Page, row)
    return page


_FIND_PAGE = Statement(Page.select().where(Page.id == Parameter("page_id")))


def update_page(page_id: str, fields: dict[str, Any], change: Change) -> Page:
    """Change only the fields given. Raises NotFound, InvalidInput."""
    parsed = parse_fields(fields)
    next_owner_id = parsed["owner"].id if "owner" in parsed else None
    with editing(page_id, change, next_owner_id=next_owner_id) as edit:
        changes = {
            name: value for name, value in parsed.items() if getattr(edit.page, name) != value
        }
        if changes:
            Page.update(changes).where(Page.id == page_id).execute()
            if "owner" in changes:
                _tell_owners(edit.page, changes["owner"], change.now)
                _end_roles(edit.page, changes["owner"])
                changes["owner"] = changes["owner"].email
            _renew_marks(get_page(page_id), changes)
            edit.log("change page", ChangeFacts(changes))
    return get_page(page_id)


def _tell_owners(page: Page, owner: Person, now: datetime) -> None:
    """Log in both accounts that a page changed hands; `page` is as it was before."""
    account_log.store(page.owner, "page handed over", now, page=page.token_name, owner=owner.email)
    account_log.store(owner, "page taken over", now, page=page.token_name)


def _end_roles(page: Page, owner: Person) -> None:
    """End what was tied to the former owner of a page that changed hands.

    The new owner is no longer a member, and the former owner's invitations to take the page over
    end. So do the former owner's emails, unless they're a member by now, and the channels' right to
    decide, which the new owner can grant again.
    """
    is_member = Member.select().where(Member.page == page, Member.person == page.owner)
    own_mail = (Receiver.page == page) & (Receiver.person == page.owner)
    Receiver.delete().where(own_mail, ~fn.EXISTS(is_member)).execute()
    is_channel = (Receiver.page == page) & Receiver.person.is_null()
    Receiver.update(may_decide=False).where(is_channel, Receiver.may_decide).execute()
    Member.delete().where(Member.page == page, Member.person == owner).execute()
    Invitation.delete().where(Invitation.page == page, Invitation.role == OWNER).execute()


def change_look(
    page_id: str,
    texts: Mapping[str, str],
    change: Change,
    *,
    logo: bytes | UnsetType | None = UNSET,
) -> Page:
    """Change only what is given; `logo` is as `draw_logo` returns it, None removes it.

    Raises NotFound, InvalidInput.
    """
    with editing(page_id, change) as edit:
        before, look = edit.page.look.write_texts(), edit.page.look.change(texts)
        changes: dict[str, Any] = {
            name: text for name, text in look.write_texts().items() if text != before[name]
        }
        if changes:
            Page.update(look=look).where(Page.id == page_id).execute()
        if logo is not UNSET and store_logo(edit.page, logo):
            changes["logo"] = logo is not None
        if changes:
            edit.log("change look", ChangeFacts(changes))
    return get_page(page_id)


def _renew_marks(page: Page, changed: Container[str]) -> None:
    """Update the marks of wallets below the minimum after a change, where that's certain.

    `page` is locked and in its new state; `changed` names the changed fields. Wallets below a
    raised minimum are found later, as that takes two new observations.
    """
    is_marked = (Wallet.page == page) & ((Wallet.low_count > 0) | Wallet.is_withheld)
    if page.holding_watch == "leave" or not page.min_balance or "token_mint" in changed:
        Wallet.update(UNMARKED).where(is_marked).execute()
        return
    if "min_balance" in changed:
        _unmark_holders(page, is_marked)
    if "holding_watch" in changed:
        Wallet.update(is_withheld=page.holding_watch == "hide").where(
            Wallet.page == page, Wallet.low_count >= LOW_IN_A_ROW
        ).execute()


def _unmark_holders(page: Page, is_marked: Any) -> None:
    """Unmark wallets whose last observation is enough for the page's minimum."""
    rows: Any = (
        Wallet.select(Wallet.id, ChainBalance.amount)
        .join(
            ChainBalance,
            on=(ChainBalance.address == Wallet.address) & (ChainBalance.mint == page.token_mint),
        )
        .where(is_marked)
    )
    ids = [wallet_id for wallet_id, amount in rows.tuples() if amount >= page.min_balance]
    for batch in in_batches(ids):
        Wallet.update(UNMARKED).where(Wallet.id.in_(batch)).execute()


def delete_page(page_id: str, change: Change) -> Page:
    """Mark a page deleted: its keys answer 404 from now on. Raises NotFound."""
    with editing(page_id, change) as edit:
        if edit.page.deleted_at is None:
            _set_deleted_at(edit.page, change.now)
            edit.log("delete page", PageFacts(edit.page.token_name))
    return edit.page


def restore_page(page_id: str, change: Change) -> Page:
    """Undo a deletion. Raises NotFound, InvalidInput after 30 days."""
    with editing(page_id, change) as edit:
        if edit.page.deleted_at is not None:
            if not can_be_restored(edit.page, change.now):
                raise InvalidInput("The page was deleted more than 30 days ago.")
            _set_deleted_at(edit.page, None)
            edit.log("restore page", PageFacts(edit.page.token_name))
    return edit.page


def can_be_restored(page: Page, now: datetime) -> bool:
    return page.deleted_at is not None and now <= page.deleted_at + RESTORE_WITHIN


def _set_deleted_at(page: Page, deleted_at: datetime | None) -> None:
    page.deleted_at = deleted_at
    page.save(only=[Page.deleted_at])


def purge_page(page_id: str) -> Page:
    """Delete a page and all its data permanently. Raises NotFound."""
    with db.atomic():
        page = lock_page(page_id)
        Page.delete().where(Page.id == page.id).execute()
    return page


def read_policy(page: Page) -> Policy:
    return Policy(
        auto_approve=page.auto_approve,
        min_balance=page.min_balance,
        queue_capacity=page.queue_capacity,
        cooldown=timedelta(seconds=page.cooldown_s),
        trust_after=page.trust_after,
    )


def parse_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields as they are stored. Raises InvalidInput."""
    return {name: _PARSERS[name](value) for name, value in fields.items()}


def _make_number_parser(label: str, field: str) -> Callable[[int], int]:
    def parse(raw: int) -> int:
        if not 0 <= raw <= MAX_WHOLE_NUMBER:
            raise InvalidInput(
                "The %(label)s must be a whole number from 0 to %(max)s.",
                field=field,
                label=label,
                max=MAX_WHOLE_NUMBER,
            )
        return raw

    return parse


_PARSERS: dict[str, Callable[[Any], Any]] = {
    "owner": lambda owner: owner,
    "token_name": lambda raw: parse_text(
        raw, gettext_noop("token name"), field="token_name", max_length=100
    ),
    "token_symbol": parse_ticker,
    "token_mint": parse_mint,
    "public_title": lambda raw: parse_optional_text(
        raw, gettext_noop("title"), field="public_title", max_length=200
    ),
    "public_comments": lambda raw: parse_optional_text(
        raw, gettext_noop("comment"), field="public_comments", max_length=2000, may_have_lines=True
    ),
    "is_public": bool,
    "is_embeddable": bool,
    "auto_approve": bool,
    "min_balance": lambda raw: parse_amount(
        raw, gettext_noop("The minimum balance"), field="min_balance"
    ),
    "queue_capacity": _make_number_parser(gettext_noop("queue size"), "queue_capacity"),
    "cooldown_s": _make_number_parser(gettext_noop("cooldown in seconds"), "cooldown_s"),
    "trust_after": _make_number_parser(
        gettext_noop("number of approvals for trust"), "trust_after"
    ),
    "holding_watch": str,
}
