"""The dependencies that are passed to use cases: settings, clock, signer and others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from embed.domain.times import Clock
from embed.settings import Settings

if TYPE_CHECKING:  # commands do without most of these, which take long to import
    from embed.balances.known import BalanceSource
    from embed.balances.solana_rpc import SolanaRpc
    from embed.domain.signing import Signer
    from embed.rate_limits.limiter import RateLimiter

EXTENSION = "embed"  # its key in app.extensions


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """What commands and the background work need, and requests as well."""

    settings: Settings
    clock: Clock
    given_chain: SolanaRpc | None = None  # is asked in place of the endpoints of the settings

    @cached_property
    def chain(self) -> SolanaRpc | None:
        """What reads the chain; None where SOLANA_RPC_URL names no endpoint."""
        # Imported here, since few commands read the chain, and an HTTP client takes long to import.
        from embed.balances.solana_rpc import choose_chain

        return choose_chain(self.settings, self.given_chain)

    @cached_property
    def signer(self) -> Signer:
        """What signs nonces, cookies and links, by SECRET_KEY. Raises SettingsError."""
        from embed.domain.signing import Signer  # few commands sign

        return Signer(self.settings.with_secret_key().secret_keys, self.clock)


@dataclass(frozen=True, kw_only=True)
class RequestRuntime(Runtime):
    """What requests need."""

    balances: BalanceSource
    limiter: RateLimiter
    extra_scripts: tuple[str, ...] = ()  # static files that the widget loads, such as the demo's
