"""The dependencies that are passed to use cases: settings, clock, signers and others."""

from dataclasses import dataclass

from embed.balances.known import BalanceSource
from embed.balances.solana_rpc import SolanaRpc
from embed.domain.nonces import Nonce, NonceSigner, RecordNonce
from embed.domain.passwords import PasswordLinkSigner
from embed.domain.signing import SessionSigner
from embed.domain.times import Clock
from embed.rate_limits.limiter import RateLimiter
from embed.settings import Settings

EXTENSION = "embed"  # its key in app.extensions


@dataclass(frozen=True, slots=True)
class Runtime:
    settings: Settings
    clock: Clock
    balances: BalanceSource
    chain: SolanaRpc | None  # None: no endpoint is set
    nonces: NonceSigner[Nonce]
    record_nonces: NonceSigner[RecordNonce]
    sessions: SessionSigner
    password_links: PasswordLinkSigner
    limiter: RateLimiter
    extra_scripts: tuple[str, ...] = ()  # static files that the widget loads, such as the demo's
