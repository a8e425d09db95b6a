"""Wallets that visitors submit, from the nonce to the owner's decision (spec 3.1, 4.2 to 4.4)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from peewee import IntegrityError, fn

from embed.db.connection import db
from embed.db.constraints import find_unique_index
from embed.db.models import Page, Submission
from embed.domain import policy
from embed.domain.addresses import parse_address
from embed.domain.nicknames import parse_nickname
from embed.domain.nonces import Nonce
from embed.domain.wallet_signatures import check_signature
from embed.errors import ApiError, NotFound
from embed.keys.access import Access
from embed.pages import find_page, lock_page, read_policy
from embed.runtime import Runtime
from embed.submissions.history import is_on_pages_of_owner, unsearched_page
from embed.submissions.soft_rejections import keep_refusal
from embed.wallets.tracking import track_approved

# Of two posts at once the database lets one win; the other is told what it lost.
_CODE_BY_UNIQUE_INDEX: dict[str | None, str] = {
    "submission_live_wallet": "duplicate",
    "submission_nonce": "invalid_nonce",
}


@dataclass(frozen=True, slots=True)
class SubmissionRequest:
    """The body of POST /submissions, unchecked."""

    page_id: str
    raw_wallet_address: str
    raw_nickname: str
    raw_nonce: str
    raw_signature: str


@dataclass(frozen=True, slots=True)
class VerifiedSubmission:
    """A draft whose signature is good."""

    nonce: Nonce
    nickname: str
    session_id: str | None


def issue_nonce(raw_wallet_address: str, *, runtime: Runtime, access: Access, host: str) -> Nonce:
    """Start a submission. Raises ApiError `invalid_wallet_address`."""
    return Nonce.issue(
        page_id=access.page_id,
        wallet_address=parse_address(raw_wallet_address),
        key_id=access.key_id,
        host=host,
        now=runtime.clock(),
        lifetime=runtime.settings.nonce_lifetime,
    )


def submit(
    draft: SubmissionRequest, *, runtime: Runtime, access: Access, session_id: str | None
) -> Submission:
    """Verify a draft, apply the page's policy and keep the submission.

    A refusal by the session's limit or by policy is kept for the visitor's own list.
    Raises ApiError, in the order of spec 4.3.
    """
    page = find_page(access.page_id)
    if page is None or page.deleted_at is not None:
        raise ApiError("page_not_found")
    if not access.is_page_open:
        raise ApiError("embed_disabled")
    claim = _verify(draft, runtime=runtime, access=access, session_id=session_id)
    try:
        if session_id is not None:
            limit = runtime.settings.limit_session_submissions
            runtime.limiter.hit("rate_limit_session", limit, f"submission {session_id}")
        if page.min_balance > 0:
            balance = runtime.balances.get_balance(page, claim.nonce.wallet_address)
            policy.check_gate(balance, page.min_balance)
        return _admit(claim, runtime.clock())
    except ApiError as refusal:
        if refusal.code in policy.REJECT_REASON_BY_CODE and session_id is not None:
            keep_refusal(
                claim.nonce,
                nickname=claim.nickname,
                session_id=session_id,
                reason=policy.REJECT_REASON_BY_CODE[refusal.code],
                now=runtime.clock(),
            )
        raise


def _verify(
    draft: SubmissionRequest, *, runtime: Runtime, access: Access, session_id: str | None
) -> VerifiedSubmission:
    address = parse_address(draft.raw_wallet_address)
    nickname = parse_nickname(draft.raw_nickname)
    nonce = runtime.nonces.open(draft.raw_nonce, runtime.clock())
    _check_unused(nonce)
    nonce.check_binding(page_id=draft.page_id, wallet_address=address, key_id=access.key_id)
    check_signature(address, nonce.build_message(), draft.raw_signature)
    return VerifiedSubmission(nonce, nickname, session_id)


def _check_unused(nonce: Nonce) -> None:
    if Submission.select().where(Submission.nonce == nonce.token).exists():
        raise ApiError("invalid_nonce")


def _admit(claim: VerifiedSubmission, now: datetime) -> Submission:
    """Decide and keep, while nobody else can do so on this page."""
    nonce = claim.nonce
    try:
        with db.atomic():
            page = lock_page(nonce.page_id)
            _check_unused(nonce)
            rules = read_policy(page)
            rejected_at = _find_rejected_at(page, nonce.wallet_address)
            policy.check_cooldown(rejected_at, now, rules.cooldown)
            decision = policy.decide(rules, _read_track_record(page, claim))
            if decision == "pending":
                policy.check_queue(_count_pending(page), rules.queue_capacity)
            submission = Submission.create(
                page=page,
                api_key=nonce.key_id,
                wallet_address=nonce.wallet_address,
                nickname=claim.nickname,
                status=decision,
                session_id=claim.session_id,
                nonce=nonce.token,
                created_at=now,
                decided_at=now if decision == "auto_approved" else None,
            )
            if decision == "auto_approved":
                track_approved(page, nonce.wallet_address, claim.nickname, now)
            return submission
    except NotFound:  # purged meanwhile
        raise ApiError("page_not_found") from None
    except IntegrityError as error:
        code = _CODE_BY_UNIQUE_INDEX.get(find_unique_index(error))
        if code is None:
            raise
        raise ApiError(code) from None


def _find_rejected_at(page: Page, wallet_address: str) -> datetime | None:
    newest = (
        Submission.select(Submission.decided_at)
        .where(
            unsearched_page == page.id,
            Submission.wallet_address == wallet_address,
            Submission.status == "rejected",
        )
        .order_by(Submission.decided_at.desc())
        .first()
    )
    return None if newest is None else newest.decided_at


def _read_track_record(page: Page, claim: VerifiedSubmission) -> policy.TrackRecord:
    """Gather what the owner decided on this wallet, and on this session's other wallets."""
    same_submitter = (
        Submission.wallet_address == claim.nonce.wallet_address
    ) & is_on_pages_of_owner(page.owner_id)
    if claim.session_id is not None:
        same_submitter |= (Submission.session_id == claim.session_id) & (Submission.page == page)
    decided = (
        Submission.select(Submission.status, fn.COUNT(Submission.id), fn.MAX(Submission.decided_at))
        .where(same_submitter, Submission.status.in_(("approved", "rejected")))
        .group_by(Submission.status)
    )
    rows: Iterable[Any] = decided.tuples()
    newest = {status: (count, decided_at) for status, count, decided_at in rows}
    approved_by_hand, last_approved_at = newest.get("approved", (0, None))
    _, last_rejected_at = newest.get("rejected", (0, None))
    return policy.TrackRecord(approved_by_hand, last_approved_at, last_rejected_at)


def _count_pending(page: Page) -> int:
    return (
        Submission.select().where(Submission.page == page, Submission.status == "pending").count()
    )
