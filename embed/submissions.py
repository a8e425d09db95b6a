"""Wallets that visitors submit, from the nonce to the owner's decision (spec 3.1, 4.2 to 4.4)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from peewee import SQL, IntegrityError, fn

from embed.api_keys import Access
from embed.database import db
from embed.domain import policy
from embed.domain.addresses import parse_address
from embed.domain.nicknames import parse_nickname
from embed.domain.nonces import Nonce
from embed.domain.ownership import check_signature
from embed.domain.times import format_instant
from embed.errors import ApiError, NotFound
from embed.models import STATUSES, Page, Submission
from embed.pages import find_page, lock_page, read_policy
from embed.parts import Place, merge_rows, read_rows
from embed.refusals import keep_refusal
from embed.service import Service
from embed.wallets import track_approved

MAX_LISTED = 50  # spec 4.4

# For conditions beside a wallet's: SQLite keeps no statistics, and would rather search the
# page's index, which may hold 100,000 submissions, than the wallet's, which holds a few.
_unsearched_page = fn.COALESCE(Submission.page, "")

_DAY_MS = SQL("86400000")  # no parameter: Postgres groups by what it can see is the same
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


@dataclass(frozen=True, slots=True)
class Draft:
    """The body of POST /submissions, unchecked."""

    page_id: str
    raw_wallet_address: str
    raw_nickname: str
    raw_nonce: str
    raw_signature: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A draft whose signature is good."""

    nonce: Nonce
    nickname: str
    session_id: str | None


def issue_nonce(raw_wallet_address: str, *, service: Service, access: Access, host: str) -> Nonce:
    """Start a submission. Raises ApiError `invalid_wallet_address`."""
    return Nonce.issue(
        page_id=access.page_id,
        wallet_address=parse_address(raw_wallet_address),
        key_id=access.key_id,
        host=host,
        now=service.clock(),
        lifetime=service.settings.nonce_lifetime,
    )


def submit(
    draft: Draft,
    *,
    service: Service,
    access: Access,
    session_id: str | None,
    check_session_limit: Callable[[], None],
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
    claim = _verify(draft, service=service, access=access, session_id=session_id)
    try:
        check_session_limit()
        if page.min_balance > 0:
            balance = service.balances.get_balance(page, claim.nonce.wallet_address)
            policy.check_gate(balance, page.min_balance)
        return _admit(claim, service.clock())
    except ApiError as refusal:
        if refusal.code in policy.REJECT_REASON_BY_CODE and session_id is not None:
            keep_refusal(
                claim.nonce,
                nickname=claim.nickname,
                session_id=session_id,
                reason=policy.REJECT_REASON_BY_CODE[refusal.code],
                now=service.clock(),
            )
        raise


def _verify(draft: Draft, *, service: Service, access: Access, session_id: str | None) -> Claim:
    address = parse_address(draft.raw_wallet_address)
    nickname = parse_nickname(draft.raw_nickname)
    nonce = service.nonces.open(draft.raw_nonce, service.clock())
    _check_unused(nonce)
    nonce.check_binding(page_id=draft.page_id, wallet_address=address, key_id=access.key_id)
    check_signature(address, nonce.build_message(), draft.raw_signature)
    return Claim(nonce, nickname, session_id)


def _check_unused(nonce: Nonce) -> None:
    if Submission.select().where(Submission.nonce == nonce.token).exists():
        raise ApiError("invalid_nonce")


def _admit(claim: Claim, now: datetime) -> Submission:
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
    except IntegrityError:
        # Only the live wallet's index is left to object: the nonce was seen unused above.
        raise ApiError("duplicate") from None


def _find_rejected_at(page: Page, wallet_address: str) -> datetime | None:
    newest = (
        Submission.select(Submission.decided_at)
        .where(
            _unsearched_page == page.id,
            Submission.wallet_address == wallet_address,
            Submission.status == "rejected",
        )
        .order_by(Submission.decided_at.desc())
        .first()
    )
    return None if newest is None else newest.decided_at


def _read_track_record(page: Page, claim: Claim) -> policy.TrackRecord:
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


def is_on_pages_of_owner(owner_id: str) -> Any:
    """Return the condition, for submissions found by their wallet."""
    return _unsearched_page.in_(Page.select(Page.id).where(Page.owner == owner_id))


def _count_pending(page: Page) -> int:
    return (
        Submission.select().where(Submission.page == page, Submission.status == "pending").count()
    )


def list_of_session(page_id: str, session_id: str | None) -> list[Submission]:
    """Return the visitor's own submissions, newest first, at most 50; none without a session."""
    if session_id is None:
        return []
    return read_rows(
        Submission,
        Submission.page == page_id,
        Submission.session_id == session_id,
        limit=MAX_LISTED,
    )


def list_by_status(
    page: Page,
    statuses: Iterable[str],
    *,
    limit: int,
    after: Place | None = None,
    is_oldest_first: bool = False,
) -> list[Submission]:
    """Return the page's submissions of these statuses, by when they were sent."""
    # One statement each: of several statuses at once, databases sort all there are.
    lists = [
        read_rows(
            Submission,
            Submission.page == page,
            Submission.status == status,
            limit=limit,
            after=after,
            is_oldest_first=is_oldest_first,
        )
        for status in statuses
    ]
    return merge_rows(lists, limit=limit, is_oldest_first=is_oldest_first)


def count_by_status(page: Page) -> Counter[str]:
    """Return how many of the page's submissions have which status."""
    query = (
        Submission.select(Submission.status, fn.COUNT(1))  # not the id: it is not in the index
        .where(Submission.page == page)
        .group_by(Submission.status)
    )
    rows: Iterable[Any] = query.tuples()
    return Counter(dict(rows))


def describe_submission(submission: Submission) -> dict[str, Any]:
    """Return spec 2.4."""
    decided_at = submission.decided_at
    return {
        "id": submission.id,
        "walletAddress": submission.wallet_address,
        "nickname": submission.nickname,
        "status": submission.status,
        "rejectReason": submission.reject_reason,
        "createdAtIso": format_instant(submission.created_at),
        "decidedAtIso": None if decided_at is None else format_instant(decided_at),
    }


def count_by_day(page: Page, since: datetime) -> dict[date, Counter[str]]:
    """Return the page's submissions since then by day (UTC) and status; empty days are absent."""
    day_number = Submission.created_at / _DAY_MS
    query = (
        Submission.select(day_number, Submission.status, fn.COUNT(1))
        .where(
            Submission.page == page,
            Submission.status.in_(STATUSES),  # for the index's sake
            Submission.created_at >= since,
        )
        .group_by(day_number, Submission.status)
    )
    by_day: defaultdict[date, Counter[str]] = defaultdict(Counter)
    rows: Any = db.execute(query)
    for number, status, count in rows:
        by_day[date.fromordinal(_EPOCH_ORDINAL + number)][status] = count
    return dict(by_day)
