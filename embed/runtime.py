"""The dependencies that are passed to use cases: settings, clock, signers and others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from embed.domain.times import Clock
from embed.settings import Settings

if TYPE_CHECKING:  # commands do without most of these, which take long to import
    from embed.balances.known import BalanceSource
    from embed.balances.solana_rpc import SolanaRpc
    from embed.domain.account_nonces import AccountNonceSigner
    from embed.domain.nonces import Nonce, NonceSigner, RecordNonce
    from embed.domain.passkeys import ChallengeSigner
    from embed.domain.passwords import PasswordLinkSigner
    from embed.domain.recovery_codes import OfferSigner
    from embed.domain.signing import SessionSigner
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


@dataclass(frozen=True, kw_only=True)
class RequestRuntime(Runtime):
    """What requests need."""

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
