"""The services passed to use cases: settings, clock, chain, signer and rate limiter."""

from dataclasses import dataclass
from functools import cached_property

from embed.balances.known import BalanceSource
from embed.balances.solana_rpc import SolanaRpc
from embed.domain.signing import Signer
from embed.domain.times import Clock
from embed.rate_limits.limiter import RateLimiter
from embed.settings import Settings

EXTENSION = "embed"  # its key in app.extensions


@dataclass(frozen=True, kw_only=True)
class Runtime:
    settings: Settings
    clock: Clock
    chain: SolanaRpc | None  # None if SOLANA_RPC_URL has no RPC server
    balances: BalanceSource
    limiter: RateLimiter
    extra_scripts: tuple[str, ...] = ()  # static files that the widget loads, such as the demo's

    @cached_property
    def signer(self) -> Signer:
        """The signer of nonces, cookies and links, with SECRET_KEY. Raises SettingsError."""
        return Signer(self.settings.with_secret_key().secret_keys, self.clock)
