"""A wallet's records: everything a page stores about it, for the holder of its key.

The holder needs no session or account, and may ask in any state of the page: even while it's
private or its embed is off. The records leave out other wallets, sessions, and who changed what.
"""

from collections.abc import Callable

from msgspec.structs import asdict

from embed.balances.known import BalanceSource, find_chain_balance
from embed.db.connection import db
from embed.db.models import (
    Activity,
    Balance,
    DailyBalance,
    Listing,
    Message,
    Page,
    Proof,
    Submission,
    Wallet,
)
from embed.db.used_nonces import use_nonce
from embed.domain.addresses import parse_address
from embed.domain.nonces import Action, RecordNonce, parse_action
from embed.domain.times import format_instant
from embed.errors import ApiError
from embed.events.kinds import write_subject
from embed.keys.access import Access
from embed.pages import find_page
from embed.runtime import Runtime
from embed.schemas import (
    EnteredBalance,
    ListEntry,
    ObservedBalance,
    RecordedActivity,
    RecordedListing,
    RecordedSubmission,
    RecordNonceRequest,
    RecordRequest,
    WalletRecords,
)
from embed.serializers import describe_submission, describe_tag, format_optional, write_amount
from embed.submissions.ownership import Caller, check_limits, check_signed_nonce
from embed.wallets.tracking import list_wallets

MAX_LISTED = 200  # of each kind, the newest

Gettext = Callable[[str], str]


def issue_record_nonce(
    request: RecordNonceRequest, *, runtime: Runtime, access: Access, host: str
) -> tuple[str, RecordNonce]:
    """Return a ``nonceId`` and its nonce.

    Raises ApiError `invalid_wallet_address`, `invalid_action`.
    """
    return RecordNonce.issue(
        runtime.signer,
        page_id=access.page_id,
        wallet_address=parse_address(request.wallet_address),
        key_id=access.key_id,
        host=host,
        detail=parse_action(request.action),
        lifetime=runtime.settings.nonce_lifetime,
    )


def check_ownership(
    request: RecordRequest, action: Action, caller: Caller, runtime: Runtime
) -> RecordNonce:
    """Return the nonce, not used up yet, of a request that the wallet's holder signed.

    Raises ApiError, in the order in which submissions are checked.
    """
    if caller.access.is_page_deleted:
        raise ApiError("page_not_found")
    address = parse_address(request.wallet_address)
    nonce, _ = check_signed_nonce(
        request, RecordNonce, runtime.signer, address=address, detail=action, access=caller.access
    )
    check_limits(caller, runtime, scope="wallet records")
    return nonce


def show_records(nonce: RecordNonce, gettext: Gettext = str) -> WalletRecords:
    """Return what the page stores about a wallet whose holder signed the nonce's message.

    `gettext` translates sentences of the log.
    Raises ApiError `invalid_nonce`, `page_not_found`.
    """
    with db.atomic():
        use_nonce(nonce.token, nonce.expires_at)
    page = find_page(nonce.page_id)
    if page is None:  # purged meanwhile
        raise ApiError("page_not_found")
    return _read_records(page, nonce.wallet_address, gettext)


def _read_records(page: Page, address: str, gettext: Gettext) -> WalletRecords:
    submissions = list(
        Submission.select()
        .where(Submission.page == page, Submission.wallet_address == address)
        .order_by(Submission.created_at.desc(), Submission.id.desc())
        .limit(MAX_LISTED)
    )
    return WalletRecords(
        wallet_address=address,
        listed=_read_entry(page, address),
        submissions=_describe_submissions(submissions),
        activity=_read_activity(page, address, gettext),
        messages=Message.select().where(Message.page == page, Message.address == address).count(),
        listings=_read_listings(page, address),
        observed_balance=_read_observed(page, address),
        entered_balance=_read_entered(page, address),
    )


def _read_entry(page: Page, address: str) -> ListEntry | None:
    """Return the wallet's place on the page's list, whether or not it is hidden."""
    wallet = Wallet.get_or_none(Wallet.page == page, Wallet.address == address)
    balances = BalanceSource(uses_chain=False)  # not shown: they're described separately
    tracked = list_wallets(page, balances, Wallet.address == address)
    if wallet is None or not tracked:
        return None
    return ListEntry(
        public_alias=tracked[0].public_alias,
        tags=[describe_tag(tag) for tag in tracked[0].tags],
        hide_from_public=tracked[0].is_hidden,
        flagged=tracked[0].is_flagged,
        withheld=tracked[0].is_withheld,
        added_by="submission" if wallet.submission_id or wallet.is_withdrawn else "owner",
        created_at_iso=format_instant(wallet.created_at),
    )


def _describe_submissions(submissions: list[Submission]) -> list[RecordedSubmission]:
    proofs = Proof.select(Proof.submission).where(Proof.submission.in_(submissions))
    proved = {proof.submission_id for proof in proofs}
    return [
        RecordedSubmission(
            **asdict(describe_submission(one)),
            reason_code=one.reason_code,
            reason_text=one.reason_text,
            has_receipt=one.id in proved,
        )
        for one in submissions
    ]


def _read_activity(page: Page, address: str, gettext: Gettext) -> list[RecordedActivity]:
    entries = (
        Activity.select()
        .where(Activity.page == page, Activity.address == address)
        .order_by(Activity.created_at.desc(), Activity.id.desc())
        .limit(MAX_LISTED)
    )
    return [
        RecordedActivity(
            action=entry.action,
            subject=write_subject(entry.action, entry.data, gettext),
            created_at_iso=format_instant(entry.created_at),
        )
        for entry in entries
    ]


def _read_listings(page: Page, address: str) -> list[RecordedListing]:
    listings = Listing.select().where(Listing.page == page, Listing.address == address)
    return [
        RecordedListing(
            name=one.name,
            joined_at_iso=format_instant(one.joined_at),
            left_at_iso=format_optional(one.left_at),
        )
        for one in listings.order_by(Listing.joined_at.desc(), Listing.id.desc()).limit(MAX_LISTED)
    ]


def _read_observed(page: Page, address: str) -> ObservedBalance | None:
    balance = find_chain_balance(page.token_mint, address)
    if balance is None:
        return None
    return ObservedBalance(
        amount=write_amount(balance.amount),
        observed_at_iso=format_instant(balance.observed_at),
        days=DailyBalance.select().where(DailyBalance.balance == balance).count(),
    )


def _read_entered(page: Page, address: str) -> EnteredBalance | None:
    balance = Balance.get_or_none(
        Balance.owner == page.owner_id, Balance.mint == page.token_mint, Balance.address == address
    )
    if balance is None:
        return None
    amount, observed_at = write_amount(balance.amount), format_instant(balance.observed_at)
    return EnteredBalance(amount=amount, observed_at_iso=observed_at)
