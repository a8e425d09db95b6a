"""Tracking pages: what an owner configures."""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from embed import events
from embed.db.connection import db
from embed.db.models import Owner, Page
from embed.domain.addresses import is_address
from embed.domain.amounts import format_amount, parse_amount
from embed.domain.policy import Policy
from embed.domain.texts import parse_optional_text, parse_text
from embed.errors import InvalidInput, NotFound
from embed.events import COMMAND_LINE

RESTORE_WITHIN = timedelta(days=30)
MAX_WHOLE_NUMBER = 2**31 - 1  # what an integer column holds


def create_page(
    owner: Owner, fields: dict[str, Any], now: datetime, *, actor: str = COMMAND_LINE
) -> Page:
    """Make a page from raw fields, named as in `_PARSERS`. Raises InvalidInput."""
    parsed = parse_fields(fields)
    with db.atomic():
        page = Page.create(owner=owner, created_at=now, **parsed)
        events.record(page.id, actor, "create page", page.token_name, now)
    return page


def list_pages() -> list[Page]:
    query = Page.select(Page, Owner).join(Owner)
    return list(query.order_by(Page.created_at, Page.id))


def get_page(page_id: str) -> Page:
    """Raises NotFound."""
    page = find_page(page_id)
    if page is None:
        raise NotFound(f"There is no tracking page {page_id}.")
    return page


def find_page(page_id: str) -> Page | None:
    return Page.get_or_none(Page.id == page_id)


def lock_page(page_id: str) -> Page:
    """Read a page and keep everybody else from changing it until the transaction ends.

    Raises NotFound.
    """
    query = Page.select().where(Page.id == page_id)
    page = (query.for_update() if db.for_update else query).get_or_none()
    if page is None:
        raise NotFound(f"There is no tracking page {page_id}.")
    return page


def update_page(
    page_id: str, fields: dict[str, Any], now: datetime, *, actor: str = COMMAND_LINE
) -> Page:
    """Change only the fields given. Raises NotFound, InvalidInput."""
    parsed = parse_fields(fields)
    with db.atomic():
        page = lock_page(page_id)
        changes = {name: value for name, value in parsed.items() if getattr(page, name) != value}
        if changes:
            Page.update(changes).where(Page.id == page.id).execute()
            bump_version(page.id)
            events.record(page.id, actor, "change page", _describe(changes), now)
    return get_page(page_id)


def _describe(changes: dict[str, Any]) -> str:
    return ", ".join(f"{name}: {_say(value)}" for name, value in changes.items())


def _say(value: Any) -> str:
    if isinstance(value, Owner):
        return value.email
    return format_amount(value) if isinstance(value, Decimal) else str(value)


def delete_page(page_id: str, now: datetime, *, actor: str = COMMAND_LINE) -> Page:
    """Mark a page deleted: its keys answer 404 from now on. Raises NotFound."""
    with db.atomic():
        page = lock_page(page_id)
        if page.deleted_at is None:
            page.deleted_at = now
            page.save(only=[Page.deleted_at])
            events.record(page.id, actor, "delete page", page.token_name, now)
    return page


def restore_page(page_id: str, now: datetime, *, actor: str = COMMAND_LINE) -> Page:
    """Take a deletion back. Raises NotFound, InvalidInput after 30 days."""
    with db.atomic():
        page = lock_page(page_id)
        if page.deleted_at is None:
            return page
        if now > page.deleted_at + RESTORE_WITHIN:
            raise InvalidInput("The page was deleted more than 30 days ago.")
        page.deleted_at = None
        page.save(only=[Page.deleted_at])
        events.record(page.id, actor, "restore page", page.token_name, now)
    return page


def purge_page(page_id: str) -> Page:
    """Remove a page with all that belongs to it, for good. Raises NotFound."""
    with db.atomic():
        page = lock_page(page_id)
        Page.delete().where(Page.id == page.id).execute()
    return page


def bump_version(page_id: str) -> None:
    """Say that the public payload has changed; in the transaction of the change itself."""
    Page.update(version=Page.version + 1).where(Page.id == page_id).execute()


def read_policy(page: Page) -> Policy:
    return Policy(
        auto_approve=page.auto_approve,
        min_balance=page.min_balance,
        queue_capacity=page.queue_capacity,
        cooldown=timedelta(seconds=page.cooldown_s),
        trust_after=page.trust_after,
    )


def parse_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields as they are kept. Raises InvalidInput."""
    return {name: _PARSERS[name](value) for name, value in fields.items()}


def _parse_mint(raw: str) -> str:
    if not is_address(raw):
        raise InvalidInput(f"{raw!r} is not a mint address (base58 of 32 bytes).")
    return raw


def _whole_number(name: str) -> Callable[[int], int]:
    def parse(raw: int) -> int:
        if not 0 <= raw <= MAX_WHOLE_NUMBER:
            raise InvalidInput(f"The {name} is a whole number, 0 to {MAX_WHOLE_NUMBER}.")
        return raw

    return parse


_PARSERS: dict[str, Callable[[Any], Any]] = {
    "owner": lambda owner: owner,
    "token_name": lambda raw: parse_text(raw, "token name", max_length=100),
    "token_symbol": lambda raw: parse_text(raw, "token symbol", max_length=20),
    "token_mint": _parse_mint,
    "public_title": lambda raw: parse_optional_text(raw, "title", max_length=200),
    "public_comments": lambda raw: parse_optional_text(
        raw, "comment", max_length=2000, may_have_lines=True
    ),
    "is_public": bool,
    "is_embeddable": bool,
    "auto_approve": bool,
    "min_balance": lambda raw: parse_amount(raw, "The minimum balance"),
    "queue_capacity": _whole_number("queue capacity"),
    "cooldown_s": _whole_number("cooldown in seconds"),
    "trust_after": _whole_number("number of approvals for trust"),
}
