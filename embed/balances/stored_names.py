"""The domain names of wallets as they are stored: which to read again, and which are too old."""

from collections.abc import Container, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from peewee import EXCLUDED, JOIN

from embed.balances.observations import BELIEVED_FOR_MS, bump_pages
from embed.db.batches import BATCH, in_batches
from embed.db.connection import db, lock_rows
from embed.db.models import DomainName, Page, Wallet
from embed.domain.times import CLOCKS_DIFFER_BY
from embed.events.editing import lock_owners

READ_AGAIN_AFTER = timedelta(hours=1)
KEPT_FOR = timedelta(days=1)  # at least, if a name cannot be read again

_CLOCKS_DIFFER_BY_MS = CLOCKS_DIFFER_BY // timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class NameObservation:
    """Which name a wallet has."""

    address: str
    name: str | None  # None: it has none, or one that is not shown
    slot: int
    observed_at: datetime


def find_due(now: datetime) -> set[str]:
    """Return the addresses whose names are to be read, as pages show them."""
    read_at = DomainName.observed_at
    is_old = (read_at <= now - READ_AGAIN_AFTER) | (read_at > now + CLOCKS_DIFFER_BY)
    is_due = read_at.is_null() | is_old  # or from before the clock went back
    found: set[str] = set()
    for batch in in_batches(_list_pages()):
        rows: Any = (
            Wallet.select(Wallet.address)
            .join(DomainName, JOIN.LEFT_OUTER, on=DomainName.address == Wallet.address)
            .where(Wallet.page.in_(batch), is_due)
        )
        found |= {address for (address,) in rows.tuples()}
    return found


def find_of_page(page: Page) -> set[str]:
    """Return all addresses of a page, if it shows names."""
    rows: Any = Wallet.select(Wallet.address).where(Wallet.page == page).tuples()
    return {address for (address,) in rows} if page.look.has_names else set()


def _list_pages(*conditions: Any) -> list[str]:
    """Return the pages that show names."""
    looks = Page.select(Page.id, Page.look).where(
        Page.look.is_null(False), Page.deleted_at.is_null(), *conditions
    )
    return [page.id for page in looks if page.look.has_names]


def find_name(address: str) -> str | None:
    """Return the stored name of an address."""
    row = DomainName.get_or_none(DomainName.address == address)
    return None if row is None else row.name


def store_names(rows: Sequence[NameObservation]) -> None:
    """Store names of wallets that are on a page that shows them; an address is given at most once.

    Pages on which a name has changed get a new version.
    """
    for batch in in_batches(rows):
        with db.atomic():
            # Whoever removes a wallet waits here, or has removed it.
            lock_owners(
                *{owner_id for _, _, owner_id in _list_shown([one.address for one in batch])}
            )
            changed = _upsert(batch)
            bumped = _bump_pages_with(changed)
        # Pages that came to one of the wallets meanwhile may show what was stored before.
        _bump_pages_with(changed, excluding=bumped)


def _list_shown(addresses: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return where names of these addresses are shown: the address, the page and its owner."""
    rows: Any = (
        Wallet.select(Wallet.address, Page.id, Page.owner, Page.look)
        .join(Page)
        .where(Wallet.address.in_(addresses), Page.look.is_null(False), Page.deleted_at.is_null())
    )
    return [(address, *page) for address, *page, look in rows.tuples() if look.has_names]


def _upsert(rows: Sequence[NameObservation]) -> list[str]:
    """Store what is not older than what is known, and return the addresses with another name."""
    shown = {address for address, _, _ in _list_shown([row.address for row in rows])}
    fresh = sorted((row for row in rows if row.address in shown), key=lambda row: row.address)
    if not fresh:
        return []
    known: Any = DomainName.select(DomainName.address, DomainName.name).where(
        DomainName.address.in_(shown)
    )
    before = dict(known.tuples())
    query: Any = DomainName.insert_many(map(asdict, fresh)).on_conflict(
        conflict_target=[DomainName.address],
        preserve=[DomainName.name, DomainName.slot, DomainName.observed_at],
        where=(EXCLUDED.slot >= DomainName.slot)
        | (DomainName.observed_at < EXCLUDED.observed_at - BELIEVED_FOR_MS)
        | (DomainName.observed_at > EXCLUDED.observed_at + _CLOCKS_DIFFER_BY_MS),
    )
    written = query.returning(DomainName.address, DomainName.name).tuples().execute()
    return [address for address, name in written if name != before.get(address)]


def drop_old_names(before: datetime) -> int:
    """Forget names that were last read before then, and return how many.

    They could not be read again, or no page shows them any more.
    """
    old = DomainName.select().where(DomainName.observed_at < before)
    dropped, count = 0, BATCH
    while count == BATCH:
        with db.atomic():
            rows = list(lock_rows(old.order_by(DomainName.address).limit(BATCH)))
            DomainName.delete().where(
                DomainName.address.in_([one.address for one in rows])
            ).execute()
            named = [one.address for one in rows if one.name is not None]
            bumped = _bump_pages_with(named)
        _bump_pages_with(named, excluding=bumped)
        count = len(rows)
        dropped += count
    return dropped


def _bump_pages_with(addresses: Sequence[str], *, excluding: Container[str] = ()) -> list[str]:
    """Give the pages that show names of these addresses a new version; return their ids."""
    pages = {page_id for _, page_id, _ in _list_shown(addresses)} if addresses else set()
    return bump_pages(Page.id.in_(sorted(pages)), excluding=excluding) if pages else []
