"""When wallets joined and left a page's public list."""

from collections import Counter
from contextlib import suppress
from datetime import datetime, timedelta

from peewee import Value, fn

from embed.db.batches import delete_in_batches
from embed.db.connection import db
from embed.db.models import IS_VISIBLE, Listing, Page, Wallet
from embed.domain.times import to_ms
from embed.errors import NotFound
from embed.events.editing import lock_page

KEPT_FOR = timedelta(days=365)  # after the wallet has left


def update_listings(now: datetime) -> str:
    """Bring the listings of all changed pages up to date, and return what was done as a sentence.

    A page that nobody can read is skipped until it can be read again, so wallets that were added
    and removed in the meantime were never listed.
    """
    counts: Counter[str] = Counter()
    for page_id in _list_changed_pages():
        with suppress(NotFound), db.atomic():  # it may be purged meanwhile
            counts += _update_page(lock_page(page_id), now)
            counts["pages"] += 1
    if not counts["pages"]:
        return "No list has changed."
    where = "1 page" if counts["pages"] == 1 else f"{counts['pages']} pages"
    return f"{counts['joined']} joined and {counts['left']} left, on {where}."


def _list_changed_pages() -> list[str]:
    rows = Page.select(Page.id).where(
        Page.version != Page.listed_version,
        Page.deleted_at.is_null(),
        Page.is_public,
        Page.is_embeddable,
    )
    return [page.id for page in rows.order_by(Page.id)]


def _update_page(page: Page, now: datetime) -> Counter[str]:
    """Update the listings of a locked page; return how many wallets joined and left."""
    counts = Counter(left=_close_listings(page, now), joined=_open_listings(page, now))
    _rename_listings(page)
    Page.update(listed_version=page.version).where(Page.id == page.id).execute()
    return counts


def _close_listings(page: Page, now: datetime) -> int:
    visible = Wallet.select(Value(1)).where(
        Wallet.page == page, Wallet.address == Listing.address, IS_VISIBLE
    )
    return int(
        Listing.update(left_at=now)
        .where(Listing.page == page, Listing.left_at.is_null(), ~fn.EXISTS(visible))
        .execute()
    )


def _open_listings(page: Page, now: datetime) -> int:
    # On a page that has no listings yet, wallets joined when they were added.
    joined_at = Wallet.created_at if page.listed_version == 0 else Value(to_ms(now))
    current = Listing.select(Value(1)).where(
        Listing.page == page, Listing.left_at.is_null(), Listing.address == Wallet.address
    )
    joined = Wallet.select(Wallet.page, Wallet.address, Wallet.public_alias, joined_at).where(
        Wallet.page == page, IS_VISIBLE, ~fn.EXISTS(current)
    )
    fields = [Listing.page, Listing.address, Listing.name, Listing.joined_at]
    return int(Listing.insert_from(joined, fields).as_rowcount().execute())


def _rename_listings(page: Page) -> None:
    """Give the current listings their wallets' current aliases."""
    is_listed = (Wallet.page == page) & (Wallet.address == Listing.address)
    alias = Wallet.select(Wallet.public_alias).where(is_listed)
    renamed = Wallet.select(Value(1)).where(
        is_listed, fn.COALESCE(Wallet.public_alias, "") != fn.COALESCE(Listing.name, "")
    )
    Listing.update(name=alias).where(
        Listing.page == page, Listing.left_at.is_null(), fn.EXISTS(renamed)
    ).execute()


def find_listed_since(wallet: Wallet) -> datetime:
    """Return since when a visible wallet has been on its page's public list."""
    is_current = (Listing.page == wallet.page_id) & Listing.left_at.is_null()
    joined_at: datetime | None = (
        Listing.select(Listing.joined_at)
        .where(is_current, Listing.address == wallet.address)
        .scalar()
    )
    # The background work may not have opened its listing yet.
    return joined_at or wallet.created_at


def prune_listings(now: datetime) -> int:
    """Delete listings that ended more than KEPT_FOR ago; return how many."""
    # The first condition excludes nothing, but only it can use the index.
    is_old = Listing.page.in_(Page.select(Page.id)) & (Listing.left_at < now - KEPT_FOR)
    return delete_in_batches(Listing.id, is_old)
