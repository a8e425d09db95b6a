"""What the owner needs to know to decide on a pending submission.

Read in a fixed number of statements, however many submissions are shown.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cachetools import LRUCache, cached
from peewee import fn

from embed.balances.known import BalanceSource, KnownBalance
from embed.db.models import APPROVED, Page, Submission, Wallet
from embed.domain.nicknames import skeleton
from embed.domain.policy import TrackRecord
from embed.domain.reasons import NO_REASON, Reason
from embed.submissions.history import History, is_on_pages_of
from embed.submissions.queries import is_waiting

# How many of the page's names are compared, starting with the newest.
MAX_ALIASES = 20_000
MAX_WAITING = 10_000
MAX_FOUND = 20
MAX_CACHED = 2 * MAX_ALIASES  # skeletons, in each process; some 10 MB


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Another wallet with a similar-looking name."""

    name: str
    address: str
    is_tracked: bool  # False: pending


@dataclass(frozen=True, slots=True)
class ReviewContext:
    """What is known about one pending submission; the counts leave it out."""

    balance: KnownBalance | None  # None: never observed
    wallet: Counter[str]  # the wallet's other submissions by status
    session: Counter[str] | None  # the session's, likewise; None: sent without a session
    record: TrackRecord
    lookalikes: list[Lookalike]
    last_reason: Reason  # why the wallet was last rejected on this page

    def count_before(self) -> tuple[int, int, int, int]:
        """Count the wallet's or the session's other submissions, whichever has more of a kind.

        Returns how many were rejected, refused and approved, and how many are pending.
        """
        wallet, session = self.wallet, self.session or Counter()
        return (
            max(wallet["rejected"], session["rejected"]),
            max(wallet["soft_rejected"], session["soft_rejected"]),
            max(sum(counts[status] for status in APPROVED) for counts in (wallet, session)),
            max(wallet["pending"], session["pending"]),
        )


def build_review_context(
    page: Page, waiting: Sequence[Submission], balances: BalanceSource
) -> dict[str, ReviewContext]:
    """Return the context of each of these pending submissions, by its id."""
    addresses = list({one.wallet_address for one in waiting})
    sessions = list({one.session_id for one in waiting if one.session_id is not None})
    known = balances.read(page, addresses)
    # Only the trust ladder needs it.
    history = History.read(page, addresses, sessions) if page.trust_after else History(page.id)
    wallet, session = Submission.wallet_address, Submission.session_id
    by_wallet = _count_outcomes(wallet, wallet.in_(addresses), is_on_pages_of(page.owner_id))
    by_session = _count_outcomes(session, session.in_(sessions), Submission.page == page)
    lookalikes = find_lookalikes(page, waiting)
    rejected = [address for address in addresses if by_wallet[address]["rejected"]]
    reasons = _read_last_reasons(page, rejected) if rejected else {}
    return {
        one.id: ReviewContext(
            known.get(one.wallet_address),
            _exclude_itself(by_wallet[one.wallet_address]),
            None if one.session_id is None else _exclude_itself(by_session[one.session_id]),
            history.build_track_record(one.wallet_address, one.session_id),
            lookalikes[one.id],
            reasons.get(one.wallet_address, NO_REASON),
        )
        for one in waiting
    }


def list_clear(page: Page, balances: BalanceSource, *conditions: Any) -> list[str]:
    """Return the ids of pending submissions that nothing speaks against, oldest first.

    A lookalike, an earlier rejection or refusal, and a balance that's unknown or below the minimum
    do. `conditions` choose some of the pending submissions; names are compared with all.
    """
    wallet, session = Submission.wallet_address, Submission.session_id
    query = Submission.select(Submission.id, Submission.nickname, wallet, session)
    newest = query.order_by(Submission.created_at.desc(), Submission.id.desc()).limit(MAX_WAITING)
    rows = list(newest.where(*is_waiting(page), *conditions))[::-1]
    # Not as subqueries: Postgres took two minutes for the balances before it had statistics.
    addresses = [one.wallet_address for one in rows]
    sessions = [one.session_id for one in rows if one.session_id is not None]
    is_against = Submission.status.not_in(("pending", *APPROVED))
    is_own = is_on_pages_of(page.owner_id)
    by_wallet = _count_outcomes(wallet, wallet.in_(addresses), is_own, is_against)
    by_session = _count_outcomes(
        session, session.in_(sessions), Submission.page == page, is_against
    )
    known = balances.read(page, addresses) if page.min_balance else {}
    enough = {address for address, one in known.items() if one.amount >= page.min_balance}
    lookalikes = find_lookalikes(page, rows)
    return [
        one.id
        for one in rows
        if one.wallet_address not in by_wallet
        and one.session_id not in by_session
        and (one.wallet_address in enough or not page.min_balance)
        and not lookalikes[one.id]
    ]


def find_lookalikes(page: Page, waiting: Sequence[Submission]) -> dict[str, list[Lookalike]]:
    """Find tracked and pending wallets with names like those in `waiting`, by submission id."""
    tracked = _find_tracked(page.id, page.version)
    query = Submission.select(Submission.nickname, Submission.wallet_address)
    newest = query.where(*is_waiting(page)).order_by(Submission.created_at.desc())
    pending = _group_by_look(newest.limit(MAX_WAITING), is_tracked=False)
    looks = {one.id: skeleton(one.nickname) for one in waiting}
    return {
        one.id: [
            other
            for other in [*tracked.get(looks[one.id], ()), *pending[looks[one.id]]][:MAX_FOUND]
            if other.address != one.wallet_address
        ]
        for one in waiting
    }


@cached(LRUCache(maxsize=MAX_CACHED, getsizeof=lambda by_look: 1 + len(by_look)), lock=Lock())
def _find_tracked(page_id: str, version: int) -> dict[str, list[Lookalike]]:
    """Return the page's tracked wallets by their names' skeletons; `version` is the page's."""
    query = Wallet.select(Wallet.public_alias, Wallet.address).order_by(Wallet.created_at.desc())
    named = query.where(Wallet.page == page_id, Wallet.public_alias.is_null(False))
    return _group_by_look(named.limit(MAX_ALIASES), is_tracked=True)


def _group_by_look(query: Any, *, is_tracked: bool) -> defaultdict[str, list[Lookalike]]:
    by_look: defaultdict[str, list[Lookalike]] = defaultdict(list)
    for name, address in list(query.tuples()):
        found = by_look[skeleton(name)]
        if len(found) < MAX_FOUND:
            found.append(Lookalike(name, address, is_tracked))
    return by_look


def _count_outcomes(key: Any, *conditions: Any) -> defaultdict[str, Counter[str]]:
    """Count submissions by status for each wallet or session; `key` is its column."""
    query = Submission.select(key, Submission.status, fn.COUNT(1)).where(*conditions)
    rows: Any = query.group_by(key, Submission.status).tuples()
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for value, status, count in rows:
        counts[value][status] = count
    return counts


def _read_last_reasons(page: Page, addresses: list[str]) -> dict[str, Reason]:
    query = Submission.select(
        Submission.wallet_address, Submission.reason_code, Submission.reason_text
    ).where(
        Submission.page == page,
        Submission.wallet_address.in_(addresses),
        Submission.status == "rejected",
    )
    rows: Any = query.order_by(Submission.decided_at).tuples()
    return {address: Reason(code, text) for address, code, text in rows}


def _exclude_itself(counts: Counter[str]) -> Counter[str]:
    return Counter({**counts, "pending": counts["pending"] - 1})
