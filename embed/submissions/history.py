"""Earlier decisions by hand, which determine trust and cooldown."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple, Self

from peewee import fn

from embed.db.models import Page, Submission
from embed.domain.policy import TrackRecord

# For conditions combined with one on the wallet. Without statistics SQLite would use the page's
# index, which may match 100,000 submissions, instead of the wallet's, which matches a few.
_unindexed_page = fn.COALESCE(Submission.page, "")


class Decision(NamedTuple):
    """A submission that was approved or rejected by hand."""

    submission_id: str
    page_id: str
    wallet_address: str
    session_id: str | None
    status: str
    decided_at: datetime

    def precedes(self, other: Submission) -> bool:
        """Tell whether it was made before another submission was sent, or at the same time."""
        return self.decided_at <= other.created_at and self.submission_id != other.id


class History:
    """Decisions on wallets, on all pages of the owner, and on sessions, on one page."""

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
        """Read from the database, in at most two statements."""
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
        """Count the decisions on this wallet or this session, for the trust ladder.

        A decision on both the wallet and the session counts once. `as_of` excludes decisions
        made after that submission was sent.
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
    """Return the condition that a submission is on a page of the owner, for use with a wallet's."""
    return _unindexed_page.in_(Page.select(Page.id).where(Page.owner == owner_id))


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
        # Not `in_`: with it SQLite would use the index on status instead of that on sessions.
        .where(*conditions, Submission.status.not_in(("pending", "auto_approved", "soft_rejected")))
        .tuples()
    )
    return [Decision(*row) for row in rows]
