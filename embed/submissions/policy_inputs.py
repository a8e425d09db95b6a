"""The policy's inputs: the page's rules, and earlier decisions on a wallet or a session."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Self

from peewee import JOIN, SQL, fn

from embed.db.connection import db
from embed.db.models import Page, Receiver, Submission
from embed.db.statements import Parameter, Statement, read_row
from embed.db.used_nonces import select_uses
from embed.domain.nonces import Nonce
from embed.domain.policy import Policy, TrackRecord
from embed.domain.times import from_ms, to_ms
from embed.errors import ApiError
from embed.pages import read_policy
from embed.submissions.queries import is_waiting

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
    """Decisions on wallets, for all of the owner's pages, and on sessions, for one page.

    `rows` come from `select_decisions`.
    """

    def __init__(self, page_id: str, rows: Iterable[Sequence[Any]]) -> None:
        self._page_id = page_id
        self._by_wallet: defaultdict[str, list[Decision]] = defaultdict(list)
        self._by_session: defaultdict[str | None, list[Decision]] = defaultdict(list)
        for row in rows:
            one = Decision._make([*row[:-1], from_ms(row[-1])])
            self._by_wallet[one.wallet_address].append(one)
            if one.page_id == page_id:
                self._by_session[one.session_id].append(one)

    @classmethod
    def read(
        cls, page: Page, wallet_addresses: Collection[str], session_ids: Collection[str]
    ) -> Self:
        """Read all decisions on these wallets and sessions, in one statement."""
        decisions = select_decisions(
            page.id,
            Submission.wallet_address.in_(list(wallet_addresses)),
            Submission.session_id.in_(list(session_ids)),
        )
        return cls(page.id, db.execute(decisions))

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


def select_decisions(page_id: Any, is_of_wallet: Any, is_of_session: Any) -> Any:
    """Return the query for decisions that meet the condition on wallets or the one on sessions.

    Its columns are Decision's fields. A decision that meets both is found twice.
    """
    its_page = Page.alias()
    owner_id = its_page.select(its_page.owner).where(its_page.id == page_id)
    of_wallet = _select_decided(is_of_wallet, is_on_pages_of(owner_id))
    of_session = _select_decided(is_of_session, Submission.page == page_id)
    return of_wallet.union_all(of_session)


def is_on_pages_of(owner_id: Any) -> Any:
    """Return the condition for submissions to the owner's pages; combine it with one on wallets."""
    return _unindexed_page.in_(Page.select(Page.id).where(Page.owner == owner_id))


def _select_decided(*conditions: Any) -> Any:
    return Submission.select(
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


@dataclass(frozen=True, slots=True)
class PolicyInputs:
    """What the policy decides by; valid while the page is locked."""

    rules: Policy
    is_nonce_used: bool
    pending: int  # the page's pending submissions
    has_receivers: bool
    history: History  # of the wallet and the session


def read_policy_inputs(nonce: Nonce, session_id: str | None) -> PolicyInputs:
    """Read the inputs for a nonce's wallet; call this while its page is locked.

    Raises ApiError `page_not_found`.
    """
    found = _READ_INPUTS.execute(
        page_id=nonce.page_id,
        wallet_address=nonce.wallet_address,
        session_id=session_id,
        token=nonce.token,
        wallet_token=Nonce.make_wallet_token(nonce.page_id, nonce.wallet_address),
        expires_at=to_ms(nonce.expires_at),
    ).fetchall()
    if not found:
        raise ApiError("page_not_found")
    # One row per decision, or a single row without any; all begin with the same columns.
    row = read_row(_COLUMNS, found[0])
    decisions = [one[len(_COLUMNS) :] for one in found] if row.has_decisions else []
    return PolicyInputs(
        rules=read_policy(row),
        is_nonce_used=bool(row.is_nonce_used),
        pending=row.pending,
        has_receivers=bool(row.has_receivers),
        history=History(nonce.page_id, decisions),
    )


_page_id = Parameter("page_id")
_decision = select_decisions(
    _page_id,
    Submission.wallet_address == Parameter("wallet_address"),
    Submission.session_id == Parameter("session_id"),
).alias("decision")
_COLUMNS = {
    "auto_approve": Page.auto_approve,
    "min_balance": Page.min_balance,
    "queue_capacity": Page.queue_capacity,
    "cooldown_s": Page.cooldown_s,
    "trust_after": Page.trust_after,
    "is_nonce_used": fn.EXISTS(select_uses()),
    "pending": Submission.select(fn.COUNT(1)).where(*is_waiting(_page_id)),
    "has_receivers": fn.EXISTS(Receiver.select(1).where(Receiver.page == _page_id)),
    "has_decisions": _decision.c.id.is_null(False),
}
_READ_INPUTS = Statement(
    Page.select(*_COLUMNS.values(), SQL("decision.*"))
    .join(_decision, JOIN.LEFT_OUTER, on=SQL("1 = 1"))
    .where(Page.id == _page_id)
)
