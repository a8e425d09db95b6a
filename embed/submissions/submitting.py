"""Submitting a wallet: nonce, verification, policy (docs/api.md, Submit a wallet)."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime

from embed.db.connection import db
from embed.db.constraints import translate_unique_violations
from embed.db.models import Page, Proof, Submission
from embed.domain import policy
from embed.domain.addresses import parse_address
from embed.domain.nicknames import parse_nickname
from embed.domain.nonces import Nonce
from embed.domain.wallet_signatures import SignedMessage
from embed.errors import ApiError, NotFound
from embed.events.editing import bump_version, lock_page
from embed.events.outbox import send_messages
from embed.keys.access import Access
from embed.metrics import SUBMISSIONS
from embed.pages import find_page, read_policy
from embed.runtime import Runtime
from embed.schemas import NonceRequest, SubmissionRequest
from embed.serializers import as_dict, describe_submission
from embed.submissions.decisions import list_filling
from embed.submissions.history import History
from embed.submissions.ownership import check_limits, check_signed_nonce
from embed.submissions.queries import count_waiting
from embed.submissions.soft_rejections import store_soft_rejection
from embed.submissions.used_nonces import check_unused
from embed.wallets.tracking import PageFull, track_approved


@dataclass(frozen=True, slots=True)
class VerifiedSubmission:
    """A request whose signature was verified."""

    nonce: Nonce
    nickname: str
    signed: SignedMessage
    session_id: str | None


def issue_nonce(
    request: NonceRequest, *, runtime: Runtime, access: Access, host: str
) -> tuple[str, Nonce]:
    """Start a submission: return a ``nonceId`` and its nonce, which names a nickname if given.

    Raises ApiError `invalid_wallet_address`, `invalid_nickname_length`, `invalid_nickname_chars`.
    """
    return runtime.nonces.issue(
        page_id=access.page_id,
        wallet_address=parse_address(request.wallet_address),
        key_id=access.key_id,
        host=host,
        lifetime=runtime.settings.nonce_lifetime,
        detail="" if request.nickname is None else parse_nickname(request.nickname),
    )


@contextmanager
def _count_refusals() -> Iterator[None]:
    """Count an ApiError as a soft rejection if it is one of policy's, and let it through."""
    try:
        yield
    except ApiError as refusal:
        reason = policy.REJECT_REASON_BY_CODE.get(refusal.code)
        if reason is None:
            SUBMISSIONS.labels("refused", refusal.code).inc()
        else:
            SUBMISSIONS.labels("soft_rejected", reason).inc()
        raise


@_count_refusals()
def submit(
    request: SubmissionRequest,
    *,
    runtime: Runtime,
    access: Access,
    session_id: str | None,
    client: str,
) -> Submission:
    """Verify a request, apply the page's policy and store the submission.

    `client` is the address or network that the request came from. A refusal by the session's
    limit or by policy is stored for the visitor's own list. Raises ApiError, in the order
    of docs/api.md, The order of checks.
    """
    page = find_page(access.page_id)
    if page is None or page.deleted_at is not None:
        raise ApiError("page_not_found")
    if not access.is_page_open:
        raise ApiError("embed_disabled")
    verified = _verify(request, runtime=runtime, access=access, session_id=session_id)
    try:
        check_limits(runtime, access, session_id, client, scope="submission")
        if page.min_balance > 0:
            balance = runtime.balances.get_balance(page, verified.nonce.wallet_address)
            policy.check_gate(balance, page.min_balance)
        submission = _decide_and_store(verified, runtime.clock(), runtime.settings.max_wallets)
    except ApiError as refusal:
        if refusal.code in policy.REJECT_REASON_BY_CODE and session_id is not None:
            store_soft_rejection(
                verified.nonce,
                nickname=verified.nickname,
                session_id=session_id,
                reason=policy.REJECT_REASON_BY_CODE[refusal.code],
                now=runtime.clock(),
            )
        raise
    SUBMISSIONS.labels(str(submission.status), "").inc()
    return submission


def _verify(
    request: SubmissionRequest, *, runtime: Runtime, access: Access, session_id: str | None
) -> VerifiedSubmission:
    address = parse_address(request.wallet_address)
    nickname = parse_nickname(request.nickname)
    nonce, signed = check_signed_nonce(
        request, runtime.nonces, address=address, detail=nickname, access=access
    )
    return VerifiedSubmission(nonce, nickname, signed, session_id)


def _decide_and_store(verified: VerifiedSubmission, now: datetime, max_wallets: int) -> Submission:
    """Decide and store while the page is locked. Raises ApiError."""
    nonce = verified.nonce
    try:
        # If two requests race, a unique index refuses one of them; it gets the matching ApiError.
        with _translate_conflicts(), db.atomic():
            page = lock_page(nonce.page_id)
            check_unused(nonce.token)
            status = _decide(page, verified, now)
            submission = Submission.create(
                page=page,
                api_key=nonce.key_id,
                wallet_address=nonce.wallet_address,
                nickname=verified.nickname,
                status=status,
                session_id=verified.session_id,
                nonce=nonce.token,
                created_at=now,
                decided_at=now if status == "auto_approved" else None,
            )
            Proof.create(
                submission=submission,
                message=verified.signed.message,
                signature=verified.signed.signature,
                form=verified.signed.form,
                signed_bytes=verified.signed.signed_bytes,
            )
            messages = [("submission.created", as_dict(describe_submission(submission)))]
            if status == "auto_approved":
                _track(page, submission, now, max_wallets)
            else:
                messages += list_filling(page, count_waiting(page))
            send_messages(page, messages, now)
            return submission
    except NotFound:  # purged meanwhile
        raise ApiError("page_not_found") from None
    except PageFull:
        raise ApiError("queue_full", retry_after=policy.QUEUE_RETRY_AFTER) from None


def _track(page: Page, submission: Submission, now: datetime, max_wallets: int) -> None:
    """Raises PageFull."""
    tracked = track_approved(page, [submission], now, max_wallets=max_wallets)
    if tracked.without_room:
        raise PageFull(max_wallets)
    if tracked.has_changed:
        bump_version(page.id)


def _translate_conflicts() -> AbstractContextManager[None]:
    return translate_unique_violations(
        {
            "submission_live_wallet": ApiError("duplicate"),
            "submission_nonce": ApiError("invalid_nonce"),
        }
    )


def _decide(page: Page, verified: VerifiedSubmission, now: datetime) -> policy.Decision:
    """Apply the page's policy after the holding gate. Raises ApiError."""
    rules = read_policy(page)
    wallet_address, session_id = verified.nonce.wallet_address, verified.session_id
    history = History.read(page, [wallet_address], [] if session_id is None else [session_id])
    rejected_at = history.find_rejected_at(wallet_address)
    policy.check_cooldown(rejected_at, now, rules.cooldown)
    decision = policy.decide(rules, history.build_track_record(wallet_address, session_id))
    if decision == "pending":
        policy.check_queue(count_waiting(page), rules.queue_capacity)
    return decision
