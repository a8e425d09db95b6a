"""Earlier decisions on a wallet or a session, for the cooldown and the trust ladder."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, Self

from peewee import fn

from embed.db.models import Page, Submission
from embed.domain.policy import TrackRecord

# For conditions combined with one on the wallet. Without statistics SQLite would use the page's
# index, which may match 100,000 submissions, instead of the wallet's, which matches a few.
_PAGE_WITHOUT_INDEX = fn.COALESCE(Submission.page, "")


class History:
    """Submissions that were approved or rejected by hand.

    Those of wallets are from all of the owner's pages, those of sessions from one page.
    """

    def __init__(
        self,
        page_id: str,
        of_wallets: Iterable[Submission] = (),
        of_sessions: Iterable[Submission] = (),
    ) -> None:
        self._page_id = page_id
        self._by_wallet: defaultdict[str, list[Submission]] = defaultdict(list)
        self._by_session: defaultdict[str | None, list[Submission]] = defaultdict(list)
        for one in of_wallets:
            self._by_wallet[one.wallet_address].append(one)
        for one in of_sessions:
            self._by_session[one.session_id].append(one)

    @classmethod
    def read(
        cls, page: Page, wallet_addresses: Collection[str], session_ids: Collection[str]
    ) -> Self:
        """Read all decisions on these wallets and sessions, in a statement for each."""
        is_of_wallet = Submission.wallet_address.in_(wallet_addresses)
        of_wallets = _select_decided(is_of_wallet, is_on_pages_of(page.owner_id))
        is_of_session = Submission.session_id.in_(session_ids)
        counts = Submission.is_outweighed.is_null()
        of_sessions = _select_decided(is_of_session, Submission.page == page, counts)
        return cls(page.id, of_wallets, of_sessions if session_ids else ())

    @classmethod
    def read_for_cooldown(cls, page: Page, wallet_address: str) -> Self:
        """Read only the decisions on a wallet on this page; the trust ladder needs more."""
        is_of_wallet = Submission.wallet_address == wallet_address
        return cls(page.id, _select_decided(is_of_wallet, _PAGE_WITHOUT_INDEX.in_([page.id])))

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
                one.id: one.decided_at
                for one in decisions
                if one.status == status and (as_of is None or _precedes(one, as_of))
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
                and (as_of is None or _precedes(one, as_of))
            ),
            default=None,
        )


def _precedes(decided: Submission, other: Submission) -> bool:
    """Tell whether it was decided before another one was sent, or at the same time."""
    return bool(decided.decided_at <= other.created_at) and decided.id != other.id


def _select_decided(*conditions: Any) -> Iterable[Submission]:
    query: Iterable[Submission] = Submission.select(
        Submission.id,
        Submission.page,
        Submission.wallet_address,
        Submission.session_id,
        Submission.status,
        Submission.decided_at,
    ).where(
        # Not `in_`: SQLite would then use the index on status instead of the one on sessions.
        *conditions,
        Submission.status.not_in(("pending", "auto_approved", "soft_rejected")),
    )
    return query


def is_on_pages_of(owner_id: Any) -> Any:
    """Return the condition for submissions to the owner's pages; combine it with one on wallets."""
    return _PAGE_WITHOUT_INDEX.in_(Page.select(Page.id).where(Page.owner == owner_id))
