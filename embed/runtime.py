"""What use cases are handed: settings, clock, access to the chain, signers and the rate limiter."""

from dataclasses import dataclass

from embed.balances.known import BalanceSource
from embed.balances.solana_rpc import SolanaRpc
from embed.domain.account_nonces import AccountNonceSigner
from embed.domain.nonces import Nonce, NonceSigner, RecordNonce
from embed.domain.passkeys import ChallengeSigner
from embed.domain.passwords import PasswordLinkSigner
from embed.domain.recovery_codes import OfferSigner
from embed.domain.signing import SessionSigner
from embed.domain.times import Clock
from embed.rate_limits.limiter import RateLimiter
from embed.settings import Settings

EXTENSION = "embed"  # its key in app.extensions


@dataclass(frozen=True, kw_only=True)
class Runtime:
    settings: Settings
    clock: Clock
    chain: SolanaRpc | None  # None where SOLANA_RPC_URL names no endpoint
    balances: BalanceSource
    nonces: NonceSigner[Nonce]
    record_nonces: NonceSigner[RecordNonce]
    account_nonces: AccountNonceSigner
    sessions: SessionSigner
    password_links: PasswordLinkSigner
    passkey_challenges: ChallengeSigner
    code_offers: OfferSigner
    limiter: RateLimiter
    extra_scripts: tuple[str, ...] = ()  # static files that the widget loads, such as the demo's
