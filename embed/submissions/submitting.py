"""Submitting a wallet: nonce, verification, policy (docs/api.md, Submit a wallet)."""

from dataclasses import dataclass
from datetime import datetime

from embed.db.connection import db
from embed.db.constraints import translate_unique_violations
from embed.db.models import Page, Proof, Submission
from embed.domain import policy
from embed.domain.addresses import parse_address
from embed.domain.folding import fold_wallet
from embed.domain.nicknames import parse_nickname
from embed.domain.nonces import Nonce
from embed.domain.wallet_signatures import SignedMessage
from embed.errors import ApiError, NotFound
from embed.events.editing import lock_page
from embed.events.messages import send_messages
from embed.keys.access import Access
from embed.metrics import SUBMISSIONS
from embed.pages import find_page, read_policy
from embed.runtime import Runtime
from embed.schemas import GateRefusal, NonceRequest, SubmissionRequest
from embed.serializers import describe_submission_for_owner, write_amount
from embed.submissions.decisions import list_filling
from embed.submissions.deny_list import check_not_blocked
from embed.submissions.history import History
from embed.submissions.ownership import Caller, check_limits, check_nonce_unused, check_signed_nonce
from embed.submissions.queries import count_waiting
from embed.submissions.soft_rejections import store_soft_rejection
from embed.wallets.tracking import track_approved

# All that a decision needs; reading the whole page takes Peewee twice as long.
_PAGE_COLUMNS = (
    Page.id,
    Page.owner,
    Page.auto_approve,
    Page.min_balance,
    Page.queue_capacity,
    Page.cooldown_s,
    Page.trust_after,
)


@dataclass(frozen=True, slots=True)
class VerifiedSubmission:
    """A request whose signature was verified."""

    nonce: Nonce
    nickname: str
    signed: SignedMessage
    caller: Caller


def issue_nonce(
    request: NonceRequest, *, runtime: Runtime, access: Access, host: str
) -> tuple[str, Nonce]:
    """Start a submission: return a ``nonceId`` and its nonce, with the nickname if given.

    Raises ApiError `invalid_wallet_address`, `invalid_nickname_length`, `invalid_nickname_chars`.
    """
    return Nonce.issue(
        runtime.signer,
        page_id=access.page_id,
        wallet_address=parse_address(request.wallet_address),
        key_id=access.key_id,
        host=host,
        lifetime=runtime.settings.nonce_lifetime,
        detail="" if request.nickname is None else parse_nickname(request.nickname),
    )


def submit(request: SubmissionRequest, caller: Caller, runtime: Runtime) -> Submission:
    """Verify a request, apply the page's policy and store the submission.

    A refusal by the session's limit or by policy is stored for the visitor's own list; without a
    session it is counted for the owner. Raises ApiError, in the order of docs/api.md, The order of
    checks.
    """
    verified = None
    try:
        verified = _verify(request, caller, runtime)
        check_limits(caller, runtime, scope="submission")
        if caller.access.has_blocks:  # before the page is locked: a list may be long
            check_not_blocked(
                verified.nonce.page_id,
                wallet_address=verified.nonce.wallet_address,
                nickname=verified.nickname,
                client=caller.visitor_network,
            )
        _check_gate(runtime, caller.access, verified.nonce.wallet_address)
        submission = _decide_and_store(verified, runtime.clock(), runtime.settings.max_wallets)
    except ApiError as refusal:
        reason = policy.REJECT_REASON_BY_CODE.get(refusal.code)
        if verified is None or reason is None:
            SUBMISSIONS.labels("refused", refusal.code).inc()
        else:
            SUBMISSIONS.labels("soft_rejected", reason).inc()
            store_soft_rejection(
                verified.nonce,
                nickname=verified.nickname,
                session_id=caller.session_id,
                reason=reason,
                now=runtime.clock(),
            )
        raise
    SUBMISSIONS.labels(str(submission.status), "").inc()
    return submission


def _verify(request: SubmissionRequest, caller: Caller, runtime: Runtime) -> VerifiedSubmission:
    access = caller.access
    if access.is_page_deleted:
        raise ApiError("page_not_found")
    if not access.is_page_open:
        raise ApiError("embed_disabled")
    address = parse_address(request.wallet_address)
    nickname = parse_nickname(request.nickname)
    nonce, signed = check_signed_nonce(
        request, Nonce, runtime.signer, address=address, detail=nickname, access=access
    )
    return VerifiedSubmission(nonce, nickname, signed, caller)


def _check_gate(runtime: Runtime, access: Access, wallet_address: str) -> None:
    """Raises ApiError `ca_gate_failed`, `balance_unavailable`."""
    if not access.min_balance:
        return
    page = find_page(access.page_id)
    if page is None:  # purged meanwhile
        raise ApiError("page_not_found")
    balance = runtime.balances.get_balance(page, wallet_address)
    policy.check_gate(balance, access.min_balance)


def find_shortfall(runtime: Runtime, access: Access, wallet_address: str) -> GateRefusal | None:
    """Return the refusal a wallet would get for the minimum balance now, going by the chain.

    Balances that an owner entered aren't revealed, as nobody has signed yet.
    """
    if runtime.chain is None:
        return None
    try:
        _check_gate(runtime, access, wallet_address)
    except ApiError as refusal:  # an unavailable balance doesn't refuse the wallet
        if refusal.code == "ca_gate_failed":
            known = {name: write_amount(amount) for name, amount in refusal.details.items()}
            return GateRefusal(balance=known["balance"], min_balance=known["minBalance"])
    return None


def _decide_and_store(verified: VerifiedSubmission, now: datetime, max_wallets: int) -> Submission:
    """Decide and store while the page is locked. Raises ApiError."""
    nonce = verified.nonce
    # If two requests race, a unique index refuses one.
    conflicts = {
        "submission_live_wallet": ApiError("duplicate"),
        "submission_nonce": ApiError("invalid_nonce"),
    }
    with translate_unique_violations(conflicts), db.atomic():
        page = _lock_page(nonce.page_id)
        check_nonce_unused(nonce)  # again: it may have been used meanwhile
        waiting = count_waiting(page)
        status = _decide(page, waiting, verified, now)
        submission = _store(verified, status, now)
        if status == "auto_approved" and track_approved(
            page.id, [submission], now, max_wallets=max_wallets
        ):
            raise ApiError("queue_full", retry_after=policy.QUEUE_RETRY_AFTER)  # there's no room
        _tell(submission, page, waiting, now)
        return submission


def _lock_page(page_id: str) -> Page:
    """Raises ApiError `page_not_found`."""
    try:
        return lock_page(page_id, *_PAGE_COLUMNS)
    except NotFound:  # purged meanwhile
        raise ApiError("page_not_found") from None


def _decide(
    page: Page, waiting: int, verified: VerifiedSubmission, now: datetime
) -> policy.Decision:
    """Apply the page's policy after the minimum balance. Raises ApiError."""
    rules = read_policy(page)
    wallet_address, session_id = verified.nonce.wallet_address, verified.caller.session_id
    if rules.trust_after:
        history = History.read(page, [wallet_address], [session_id] if session_id else [])
    else:
        history = History.read_for_cooldown(page, wallet_address)
    policy.check_cooldown(history.find_rejected_at(wallet_address), now, rules.cooldown)
    decision = policy.decide(rules, history.build_track_record(wallet_address, session_id))
    if decision == "pending":
        policy.check_queue(waiting, rules.queue_capacity)
    return decision


def _store(verified: VerifiedSubmission, status: policy.Decision, now: datetime) -> Submission:
    nonce, signed = verified.nonce, verified.signed
    submission = Submission.create(
        page=nonce.page_id,
        api_key=nonce.key_id,
        wallet_address=nonce.wallet_address,
        nickname=verified.nickname,
        folded=fold_wallet(verified.nickname, nonce.wallet_address),
        status=status,
        session_id=verified.caller.session_id,
        nonce=nonce.token,
        created_at=now,
        decided_at=now if status == "auto_approved" else None,
    )
    Proof.create(
        submission=submission,
        message=signed.message,
        signature=signed.signature,
        form=signed.form,
        envelope=b"" if signed.form == "raw" else signed.signed_bytes,
    )
    return submission


def _tell(submission: Submission, page: Page, waiting: int, now: datetime) -> None:
    """Tell the page's receivers; `waiting` leaves the submission out."""
    messages = [("submission.created", describe_submission_for_owner(submission))]
    if submission.status == "pending":
        messages += list_filling(waiting + 1, page.queue_capacity)
    send_messages(page.id, messages, now)
