"""What an owner decided by hand on earlier submissions: who earns trust, and who is on cooldown."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple, Self

from peewee import fn

from embed.db.models import Page, Submission
from embed.domain.policy import TrackRecord

# For conditions beside a wallet's: SQLite keeps no statistics, and would rather search the
# page's index, which may hold 100,000 submissions, than the wallet's, which holds a few.
_unsearched_page = fn.COALESCE(Submission.page, "")


class Decision(NamedTuple):
    """A submission that was approved or rejected by hand."""

    submission_id: str
    page_id: str
    wallet_address: str
    session_id: str | None
    status: str
    decided_at: datetime

    def precedes(self, other: Submission) -> bool:
        """Tell whether it was made by the time that another submission was sent."""
        return self.decided_at <= other.created_at and self.submission_id != other.id


class History:
    """The decisions on some wallets, on all pages of the owner, and on some sessions, on a page."""

    def __init__(
        self, page: Page, by_wallet: Collection[Decision], by_session: Collection[Decision]
    ) -> None:
        self._page_id = page.id
        self._by_wallet: defaultdict[str, list[Decision]] = defaultdict(list)
        self._by_session: defaultdict[str | None, list[Decision]] = defaultdict(list)
        for one in by_wallet:
            self._by_wallet[one.wallet_address].append(one)
        for one in by_session:
            self._by_session[one.session_id].append(one)

    @classmethod
    def read(
        cls, page: Page, wallet_addresses: Collection[str], session_ids: Collection[str]
    ) -> Self:
        """Ask the database, in at most two statements."""
        by_wallet = _list_decisions(
            Submission.wallet_address.in_(list(wallet_addresses)), is_on_pages_of(page.owner_id)
        )
        by_session = (
            _list_decisions(Submission.session_id.in_(list(session_ids)), Submission.page == page)
            if session_ids
            else []
        )
        return cls(page, by_wallet, by_session)

    def build_track_record(
        self, wallet_address: str, session_id: str | None, *, as_of: Submission | None = None
    ) -> TrackRecord:
        """Count what the trust ladder counts for whoever submits this wallet in this session.

        A decision on both the wallet and the session counts once. `as_of` leaves out what was
        not decided yet when that submission was sent.
        """
        decisions = list(self._by_wallet[wallet_address])
        if session_id is not None:
            decisions += self._by_session[session_id]
        approved, rejected = (
            {
                one.submission_id: one.decided_at
                for one in decisions
                if one.status == status and (as_of is None or one.precedes(as_of))
            }
            for status in ("approved", "rejected")
        )
        return TrackRecord(
            len(approved),
            max(approved.values(), default=None),
            max(rejected.values(), default=None),
        )

    def find_rejected_at(
        self, wallet_address: str, *, as_of: Submission | None = None
    ) -> datetime | None:
        """Return when the wallet was last rejected on this page; `as_of` as above."""
        return max(
            (
                one.decided_at
                for one in self._by_wallet[wallet_address]
                if one.page_id == self._page_id
                and one.status == "rejected"
                and (as_of is None or one.precedes(as_of))
            ),
            default=None,
        )


def is_on_pages_of(owner_id: str) -> Any:
    """Return the condition, for submissions found by their wallet."""
    return _unsearched_page.in_(Page.select(Page.id).where(Page.owner == owner_id))


def _list_decisions(*conditions: Any) -> list[Decision]:
    rows: Any = (
        Submission.select(
            Submission.id,
            Submission.page,
            Submission.wallet_address,
            Submission.session_id,
            Submission.status,
            Submission.decided_at,
        )
        # Said as what it is not: SQLite would rather search by status than by session.
        .where(*conditions, Submission.status.not_in(("pending", "auto_approved", "soft_rejected")))
        .tuples()
    )
    return [Decision(*row) for row in rows]
