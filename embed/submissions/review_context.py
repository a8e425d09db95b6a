"""What stands next to a waiting submission: all that the owner's decision needs.

A fixed number of statements, however many submissions are on the screen.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from peewee import fn

from embed.balances.observations import read_observations
from embed.db.connection import db
from embed.db.models import Balance, Page, Submission, Wallet
from embed.domain.lookalikes import skeleton
from embed.domain.policy import TrackRecord
from embed.submissions.history import is_on_pages_of_owner

# How many of the page's names are compared: the newest.
MAX_ALIASES = 20_000
MAX_WAITING = 2_000
MAX_FOUND = 20


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Another wallet under a name that looks alike."""

    name: str
    address: str
    is_tracked: bool  # False: it waits, too


@dataclass(frozen=True, slots=True)
class Past:
    """How other submissions of one wallet, or of one session, came out."""

    counts: Counter[str]
    approved_at: datetime | None = None  # the newest by hand
    rejected_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Note:
    balance: Balance | None  # None: never observed
    wallet: Past
    session: Past | None  # None: it was sent without a session
    lookalikes: list[Lookalike]

    @property
    def record(self) -> TrackRecord:
        """What the trust ladder counts (as submissions.py does for a new one).

        Nothing counts twice: while a wallet waits on a page, none of its submissions there is
        approved (the live wallet's index), so session and wallet share no approval.
        """
        pasts = [self.wallet] if self.session is None else [self.wallet, self.session]
        return TrackRecord(
            sum(past.counts["approved"] for past in pasts),
            max((past.approved_at for past in pasts if past.approved_at), default=None),
            max((past.rejected_at for past in pasts if past.rejected_at), default=None),
        )


def write_notes(page: Page, waiting: Sequence[Submission]) -> dict[str, Note]:
    """Return a note for each of the page's waiting submissions, by id."""
    addresses = {one.wallet_address for one in waiting}
    sessions = {one.session_id for one in waiting if one.session_id is not None}
    balances = read_observations(page, addresses)
    by_wallet = _read_pasts(
        Submission.wallet_address,
        Submission.wallet_address.in_(list(addresses)),
        is_on_pages_of_owner(page.owner_id),
    )
    by_session = _read_pasts(
        Submission.session_id,
        Submission.session_id.in_(list(sessions)),
        Submission.page == page,
    )
    lookalikes = find_lookalikes(page, waiting)
    return {
        one.id: Note(
            balances.get(one.wallet_address),
            _leave_out_itself(by_wallet[one.wallet_address]),
            None if one.session_id is None else _leave_out_itself(by_session[one.session_id]),
            lookalikes[one.id],
        )
        for one in waiting
    }


def find_lookalikes(page: Page, waiting: Sequence[Submission]) -> dict[str, list[Lookalike]]:
    """Find who else is on the page, or waits for it, under a name that looks alike."""
    wanted = {skeleton(one.nickname) for one in waiting}
    found: defaultdict[str, list[Lookalike]] = defaultdict(list)
    for is_tracked, rows in ((True, _read_aliases(page)), (False, _read_waiting_names(page))):
        for name, address in rows:
            look = skeleton(name)
            if look in wanted and len(found[look]) < MAX_FOUND:
                found[look].append(Lookalike(name, address, is_tracked))
    return {
        one.id: [
            other for other in found[skeleton(one.nickname)] if other.address != one.wallet_address
        ]
        for one in waiting
    }


def _read_aliases(page: Page) -> Iterable[tuple[str, str]]:
    query = Wallet.select(Wallet.public_alias, Wallet.address).where(
        Wallet.page == page, Wallet.public_alias.is_null(False)
    )
    rows: Any = db.execute(query.order_by(Wallet.created_at.desc()).limit(MAX_ALIASES))
    return rows  # type: ignore[no-any-return]


def _read_waiting_names(page: Page) -> Iterable[tuple[str, str]]:
    query = Submission.select(Submission.nickname, Submission.wallet_address).where(
        Submission.page == page, Submission.status == "pending"
    )
    rows: Any = db.execute(query.order_by(Submission.created_at.desc()).limit(MAX_WAITING))
    return rows  # type: ignore[no-any-return]


def _read_pasts(key: Any, *conditions: Any) -> defaultdict[str, Past]:
    """Count submissions by the key and outcome."""
    query = (
        Submission.select(key, Submission.status, fn.COUNT(1), fn.MAX(Submission.decided_at))
        .where(*conditions)
        .group_by(key, Submission.status)
    )
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    newest: dict[tuple[str, str], datetime] = {}
    rows: Any = query.tuples()
    for owner_of_past, status, count, decided_at in rows:
        counts[owner_of_past][status] = count
        newest[owner_of_past, status] = decided_at
    return defaultdict(
        lambda: Past(Counter()),
        {
            one: Past(count, newest.get((one, "approved")), newest.get((one, "rejected")))
            for one, count in counts.items()
        },
    )


def _leave_out_itself(past: Past) -> Past:
    counts = +(past.counts - Counter({"pending": 1}))
    return Past(counts, past.approved_at, past.rejected_at)
