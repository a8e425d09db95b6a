"""Proof that a request about a wallet's records comes from the wallet's holder.

Neither a session nor an account is needed, and no page's state ends the right: it holds as well
while the page is private or its embed is switched off.
"""

from dataclasses import dataclass

from embed.domain.addresses import parse_address
from embed.domain.nonces import Action, RecordNonce, parse_action
from embed.domain.wallet_signatures import verify_signature
from embed.errors import ApiError
from embed.keys.access import Access
from embed.runtime import Runtime
from embed.submissions.submitting import check_limits
from embed.submissions.used_nonces import check_unused


@dataclass(frozen=True, slots=True)
class RecordRequest:
    """The body of POST /wallet-records and of its withdrawal, unchecked."""

    page_id: str
    raw_wallet_address: str
    raw_nonce: str
    raw_signature: str


def issue_record_nonce(
    raw_wallet_address: str, raw_action: str, *, runtime: Runtime, access: Access, host: str
) -> tuple[str, RecordNonce]:
    """Return a ``nonceId`` and its nonce.

    Raises ApiError `invalid_wallet_address`, `invalid_action`.
    """
    return runtime.record_nonces.issue(
        page_id=access.page_id,
        wallet_address=parse_address(raw_wallet_address),
        key_id=access.key_id,
        host=host,
        detail=parse_action(raw_action),
        lifetime=runtime.settings.nonce_lifetime,
    )


def check_ownership(
    request: RecordRequest,
    action: Action,
    *,
    runtime: Runtime,
    access: Access,
    session_id: str | None,
    client: str,
) -> RecordNonce:
    """Return the nonce of a request that the wallet's holder signed; it is still to be used.

    Raises ApiError, in the order in which submissions are checked.
    """
    if access.is_page_deleted:
        raise ApiError("page_not_found")
    address = parse_address(request.raw_wallet_address)
    nonce = runtime.record_nonces.unsign(request.raw_nonce)
    check_unused(nonce.token)
    nonce.check_binding(
        page_id=request.page_id, wallet_address=address, key_id=access.key_id, detail=action
    )
    verify_signature(address, nonce.build_message(), request.raw_signature, host=nonce.host)
    check_limits(runtime, access, session_id, client, scope="wallet records")
    return nonce
