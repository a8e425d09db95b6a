"""Requests that a wallet's holder signed: who sends them, their nonce, signature and limits."""

from dataclasses import dataclass
from typing import TypeVar

from embed.db.used_nonces import check_unused
from embed.domain.nonces import IssuedNonce
from embed.domain.signing import Signer
from embed.domain.wallet_signatures import SignedMessage, verify_signature
from embed.keys.access import Access
from embed.runtime import Runtime
from embed.schemas import RecordRequest, SubmissionRequest

AnyNonce = TypeVar("AnyNonce", bound=IssuedNonce)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request: a key, and the visitor behind it."""

    access: Access
    session_id: str | None
    network: str  # the address or network that the request came from

    @property
    def visitor_network(self) -> str | None:
        """Return None for a secret key: the address is a server's, which relays its visitors."""
        return self.network if self.access.tier == "public" else None


def check_signed_nonce(
    request: SubmissionRequest | RecordRequest,
    kind: type[AnyNonce],
    signer: Signer,
    *,
    address: str,
    detail: str,
    access: Access,
) -> tuple[AnyNonce, SignedMessage]:
    """Return the request's nonce, not used up yet, and what `address` signed for it.

    `detail` is what else the nonce may be bound to, such as a nickname. Raises ApiError
    `invalid_nonce`, `nonce_binding_mismatch`, `invalid_signature`, in this order.
    """
    nonce = kind.read(request.nonce_id, signer)
    check_nonce_unused(nonce)
    nonce.check_binding(
        page_id=request.tracking_page_id,
        wallet_address=address,
        key_id=access.key_id,
        detail=detail,
    )
    signed = verify_signature(address, nonce.build_message(), request.signature, host=nonce.host)
    return nonce, signed


def check_nonce_unused(nonce: IssuedNonce) -> None:
    """Raises ApiError `invalid_nonce` if it was used, or revoked by a withdrawal."""
    wallet_token = nonce.make_wallet_token(nonce.page_id, nonce.wallet_address)
    check_unused(nonce.token, wallet_token, nonce.expires_at)


def check_limits(caller: Caller, runtime: Runtime, *, scope: str) -> None:
    """Limit requests with a good signature, so that nobody fills a queue in a second.

    Each `scope` is counted separately. Raises ApiError `rate_limit_session`, `rate_limit_ip`.
    """
    check_limit, settings = runtime.rate_limits.check_limit, runtime.settings
    if caller.session_id is not None:
        limit, who = settings.limit_session_submissions, f"{scope} {caller.session_id}"
        check_limit("rate_limit_session", limit, who)
    if caller.visitor_network is not None:
        limit, who = settings.limit_ip_submissions, f"{scope} {caller.visitor_network}"
        check_limit("rate_limit_ip", limit, who)
