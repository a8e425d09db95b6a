"""What the policy's decision on a submission depends on, read in one statement."""

from dataclasses import dataclass

from peewee import JOIN, SQL, fn

from embed.db.models import Block, Page, Receiver, Submission
from embed.db.statements import Parameter, Statement, read_row
from embed.db.used_nonces import select_uses
from embed.domain.policy import Policy
from embed.errors import ApiError
from embed.pages import read_policy
from embed.submissions.history import History, select_decisions
from embed.submissions.queries import is_waiting


@dataclass(frozen=True, slots=True)
class PolicyInputs:
    """All of it stays true while the page is locked."""

    rules: Policy
    is_nonce_used: bool
    pending: int  # submissions of the page that wait for a decision
    has_receivers: bool
    has_blocks: bool  # the page's deny list, or its owner's for all pages, has an entry
    history: History  # of the wallet and the session


def read_policy_inputs(
    page_id: str, *, wallet_address: str, session_id: str | None, nonce_token: str
) -> PolicyInputs:
    """Read the inputs for a wallet; call this while the page is locked.

    Raises ApiError `page_not_found`.
    """
    found = _READ_INPUTS.execute(
        page_id=page_id,
        wallet_address=wallet_address,
        session_id=session_id,
        nonce_token=nonce_token,
    ).fetchall()
    if not found:
        raise ApiError("page_not_found")
    # A row for each decision, or one without any; all begin with the same columns.
    row = read_row(_COLUMNS, found[0])
    decisions = [one[len(_COLUMNS) :] for one in found] if row.has_decisions else []
    return PolicyInputs(
        rules=read_policy(row),
        is_nonce_used=bool(row.is_nonce_used),
        pending=row.pending,
        has_receivers=bool(row.has_receivers),
        has_blocks=bool(row.has_blocks),
        history=History(page_id, decisions),
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
    "is_nonce_used": fn.EXISTS(select_uses(Parameter("nonce_token"))),
    "pending": Submission.select(fn.COUNT(1)).where(*is_waiting(_page_id)),
    "has_receivers": fn.EXISTS(Receiver.select(1).where(Receiver.page == _page_id)),
    "has_blocks": fn.EXISTS(Block.select(1).where(Block.page == _page_id))
    | fn.EXISTS(Block.select(1).where(Block.person == Page.owner)),
    "has_decisions": _decision.c.id.is_null(False),
}
_READ_INPUTS = Statement(
    Page.select(*_COLUMNS.values(), SQL("decision.*"))
    .join(_decision, JOIN.LEFT_OUTER, on=SQL("1 = 1"))
    .where(Page.id == _page_id)
)
