"""Proofs of the wallets on a page's public list, and who may read them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from peewee import fn

from embed.db.models import APPROVED, IS_VISIBLE, LIVE, Page, Proof, Submission, Wallet, Withdrawal
from embed.db.statements import Parameter, Statement
from embed.domain.identifiers import is_id
from embed.domain.times import format_instant
from embed.errors import InvalidInput, NotFound
from embed.pages import get_page

_IS_ERASED = (Submission.status == "rejected") & (Submission.nickname == "")
_IS_OF_WALLET = (Wallet.page == Submission.page) & (Wallet.address == Submission.wallet_address)


def read_visible_proofs(page: Page, wallet_ids: Sequence[str]) -> dict[str, Proof]:
    """Return the proofs with their submissions by wallet, in one statement.

    Hidden wallets are absent, as are those without an approved submission that has a proof.
    """
    submission = (Submission.id, Submission.nickname, Submission.created_at)
    proofs: Any = (
        Proof.select(Proof.submission, *submission, Wallet.id, Wallet.page)
        .join(Submission)
        .join(Wallet, on=_IS_OF_WALLET, attr="wallet")
        .where(Wallet.id.in_(wallet_ids), IS_VISIBLE, Submission.status.in_(APPROVED))
    )
    # The page is compared here: in the query, SQLite would use its index and read all its wallets.
    return {
        proof.submission.wallet.id: proof
        for proof in proofs
        if proof.submission.wallet.page_id == page.id
    }


def list_proved(page: Page) -> set[str]:
    """Return the ids of the public list's proved wallets."""
    proofs: Any = (
        Proof.select(Wallet.id)
        .join(Submission)
        .join(Wallet, on=_IS_OF_WALLET)
        .where(Submission.page == page, Submission.status.in_(APPROVED), IS_VISIBLE)
    )
    return {wallet_id for (wallet_id,) in proofs.tuples()}


def find_readable_proof(page: Page, submission_id: str, session_id: str | None) -> Proof | None:
    """Return a proof with its submission and page, if this session may read it.

    Everyone may while the wallet is on the public list; the visitor who sent it always may.
    """
    if not is_id(submission_id):
        return None
    conditions = (Submission.id == submission_id, Submission.page == page, _is_readable(session_id))
    proof: Proof | None = _select_with_page().where(*conditions).first()
    return proof


def has_readable_proof(page_id: str, wallet_address: str, session_id: str | None) -> bool:
    """Tell whether this session may read the proof of the wallet's live submission.

    Live means pending or approved, so the wallet can't be submitted again. Other sessions don't
    learn of a pending one, as they haven't shown that the wallet is theirs.
    """
    found = _FIND_READABLE.execute(
        page_id=page_id, wallet_address=wallet_address, session_id=session_id
    )
    return found.fetchone() is not None


def find_withdrawn_at(page: Page, submission_id: str) -> datetime | None:
    """Return when a submission to the page was withdrawn; None if it wasn't."""
    if not is_id(submission_id):
        return None
    conditions = (Withdrawal.submission_id == submission_id, Withdrawal.page == page)
    withdrawal = Withdrawal.get_or_none(*conditions)
    return None if withdrawal is None else withdrawal.withdrawn_at


def is_erased(page: Page, submission_id: str) -> bool:
    """Tell whether a rejection of the page is so old that its proof was erased."""
    is_it = (Submission.id == submission_id, Submission.page == page)
    return is_id(submission_id) and Submission.select().where(*is_it, _IS_ERASED).exists()


def get_proof(submission_id: str) -> Proof:
    """Return a proof with its submission and page, for the operator. Raises NotFound."""
    proof: Proof | None = _select_with_page().where(Submission.id == submission_id).first()
    if proof is not None:
        return proof
    withdrawal = Withdrawal.get_or_none(Withdrawal.submission_id == submission_id)
    if withdrawal is not None:
        withdrawn_at = format_instant(withdrawal.withdrawn_at)
        raise NotFound(f"The wallet's holder withdrew {submission_id} at {withdrawn_at}.")
    submission = Submission.get_or_none(Submission.id == submission_id)
    if submission is None:
        raise NotFound(f"There is no submission {submission_id}.")
    if is_erased(submission.page, submission_id):
        raise NotFound(f"The proof of {submission_id} was erased, as old rejections are.")
    raise NotFound(f"No proof was kept for submission {submission_id}.")


def get_public_page(page_id: str) -> Page:
    """Return a page whose list everyone may read. Raises NotFound, InvalidInput if not."""
    page = get_page(page_id)
    if page.deleted_at is not None or not (page.is_public and page.is_embeddable):
        raise InvalidInput(f"The list of {page_id} is not public, so there are no receipts.")
    return page


def list_public_proofs(page: Page) -> Iterator[Proof]:
    """Yield the proofs of all wallets on the public list, by time and then id.

    Uses one statement, so they all belong to the same state of the list.
    """
    proofs = (
        _select_with_page()
        .where(Submission.page == page, _is_on_list())
        .order_by(Submission.created_at)
        .iterator()
    )
    # Sorted by id here because databases compare text differently.
    for _, at_one_time in groupby(proofs, key=lambda proof: proof.submission.created_at):
        yield from sorted(at_one_time, key=lambda proof: proof.submission_id)


def _select_with_page() -> Any:
    return Proof.select(Proof, Submission, Page).join(Submission).join(Page)


def _is_readable(session_id: str | Parameter | None) -> Any:
    is_readable = _is_on_list()
    if session_id is not None:
        is_readable |= Submission.session_id == session_id
    return is_readable


def _is_on_list() -> Any:
    visible = Wallet.select(1).where(_IS_OF_WALLET, IS_VISIBLE)
    return Submission.status.in_(APPROVED) & fn.EXISTS(visible)


_FIND_READABLE = Statement(
    Proof.select(1)
    .join(Submission)
    .where(
        Submission.page == Parameter("page_id"),
        Submission.wallet_address == Parameter("wallet_address"),
        Submission.status.in_(LIVE),
        _is_readable(Parameter("session_id")),
    )
    .limit(1)
)
