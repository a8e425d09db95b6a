"""Proof that a request about a wallet's records comes from the wallet's holder.

Neither a session nor an account is needed, and no page's state ends the right: it holds as well
while the page is private or its embed is switched off.
"""

from embed.domain.addresses import parse_address
from embed.domain.nonces import Action, RecordNonce, parse_action
from embed.domain.wallet_signatures import verify_signature
from embed.errors import ApiError
from embed.keys.access import Access
from embed.runtime import Runtime
from embed.schemas import RecordNonceRequest, RecordRequest
from embed.submissions.submitting import check_limits
from embed.submissions.used_nonces import check_unused


def issue_record_nonce(
    request: RecordNonceRequest, *, runtime: Runtime, access: Access, host: str
) -> tuple[str, RecordNonce]:
    """Return a ``nonceId`` and its nonce.

    Raises ApiError `invalid_wallet_address`, `invalid_action`.
    """
    return runtime.record_nonces.issue(
        page_id=access.page_id,
        wallet_address=parse_address(request.wallet_address),
        key_id=access.key_id,
        host=host,
        detail=parse_action(request.action),
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
    address = parse_address(request.wallet_address)
    nonce = runtime.record_nonces.unsign(request.nonce_id)
    check_unused(nonce.token)
    nonce.check_binding(
        page_id=request.tracking_page_id,
        wallet_address=address,
        key_id=access.key_id,
        detail=action,
    )
    verify_signature(address, nonce.build_message(), request.signature, host=nonce.host)
    check_limits(runtime, access, session_id, client, scope="wallet records")
    return nonce
