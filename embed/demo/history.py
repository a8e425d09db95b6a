"""Sample submissions and balances of the last weeks, so that the demo's dashboard is not empty."""

import random
from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal

import base58
from nacl.signing import SigningKey

from embed.balances.mints import TOKEN_PROGRAM, derive_token_account
from embed.balances.observations import ChainObservation, store_chain
from embed.db.models import APPROVED, Page, Submission, Wallet
from embed.domain.identifiers import make_id

SUBMISSION_DAYS, BALANCE_DAYS = 21, 30
# status, reason, count
_OUTCOMES = (
    ("approved", None, 24),
    ("auto_approved", None, 6),
    ("rejected", "manual", 7),
    ("soft_rejected", "ca_gate", 4),
    ("soft_rejected", "cooldown", 2),
    ("pending", None, 6),
)
_rng = random.Random(2026)  # noqa: S311 -- sample data, the same in every demo


def make_address() -> str:
    return base58.b58encode(bytes(SigningKey.generate().verify_key)).decode()


def create_history(page: Page, key_id: str, now: datetime) -> None:
    """Store submissions of tracked wallets and of others, and the balances of who is to be seen."""
    tracked = list(Wallet.select().where(Wallet.page == page).order_by(Wallet.created_at))
    addresses = [wallet.address for wallet in tracked]
    without_submission = iter(tracked)
    outcomes = [(status, reason) for status, reason, count in _OUTCOMES for _ in range(count)]
    for number, (status, reason) in enumerate(outcomes, start=1):
        wallet = next(without_submission) if status in APPROVED else None
        created_at, decided_at = _choose_times(status, now)
        submission = Submission.create(
            page=page,
            api_key=key_id,
            wallet_address=wallet.address if wallet else make_address(),
            nickname=(wallet and wallet.public_alias) or f"Demo visitor {number}",
            status=status,
            reject_reason=reason,
            reason_code="unknown_holder" if status == "rejected" else None,
            session_id=make_id(),
            created_at=created_at,
            decided_at=decided_at,
        )
        if wallet:
            wallet.submission = submission
            wallet.save(only=[Wallet.submission])
        elif status == "pending":
            addresses.append(submission.wallet_address)
    _create_balances(page.token_mint, addresses, now)


def _choose_times(status: str, now: datetime) -> tuple[datetime, datetime | None]:
    """Return when a submission came, and when it was decided; those that wait came today."""
    if status == "pending":
        return now - timedelta(minutes=_rng.randrange(30, 60 * 24)), None
    age = timedelta(minutes=_rng.randrange(30, 60 * 24 * SUBMISSION_DAYS))
    is_decided_at_once = status in ("auto_approved", "soft_rejected")
    delay = timedelta() if is_decided_at_once else age * _rng.uniform(0.05, 0.5)
    return now - age, now - age + delay


def _create_balances(mint: str, addresses: Iterable[str], now: datetime) -> None:
    """Store a balance of each address and day; a few hold much, most hold little."""
    accounts = {each: derive_token_account(each, mint, TOKEN_PROGRAM) for each in addresses}
    amounts = {each: _rng.lognormvariate(9, 2.5) for each in accounts}
    drifts = {each: _rng.uniform(0.96, 1.04) for each in accounts}
    for day in range(BALANCE_DAYS + 1):
        observed_at = now - timedelta(days=BALANCE_DAYS - day)
        rows = [
            ChainObservation(
                address,
                account,
                associated_amount=Decimal(round(amounts[address] * 100)) / 100,
                slot=day,
                observed_at=observed_at,
                other_amount=Decimal(0),
            )
            for address, account in accounts.items()
        ]
        store_chain(mint, rows)
        for address, drift in drifts.items():
            amounts[address] *= drift * _rng.choice((1, _rng.uniform(0.94, 1.06)))
