"""What use cases receive: settings, clock, access to the chain, signer and rate limits."""

from dataclasses import dataclass
from functools import cached_property

from embed.balances.known import BalanceSource
from embed.balances.solana_rpc import SolanaRpc
from embed.domain.clients import UNKNOWN, Client
from embed.domain.signing import Signer
from embed.domain.times import Clock
from embed.events.editing import Change
from embed.rate_limits import RateLimits
from embed.settings import Settings

EXTENSION = "embed"  # its key in app.extensions


@dataclass(frozen=True, kw_only=True)
class Runtime:
    settings: Settings
    clock: Clock
    chain: SolanaRpc | None  # None where SOLANA_RPC_URL names no RPC server
    balances: BalanceSource
    rate_limits: RateLimits
    extra_scripts: tuple[str, ...] = ()  # static files that the widget loads, such as the demo's

    def change(self, actor: str, client: Client = UNKNOWN) -> Change:
        return Change(actor, self.clock(), self.settings, client)

    @cached_property
    def secret_keys(self) -> tuple[str, ...]:
        """The keys that verify, of which the first signs; made if missing. Raises SettingsError."""
        return self.settings.with_secret_key().secret_keys

    @cached_property
    def signer(self) -> Signer:
        """What signs nonces, cookies and links. Raises SettingsError."""
        return Signer(self.secret_keys, self.clock)
