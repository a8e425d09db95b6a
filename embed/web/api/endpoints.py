"""The endpoints; the OpenAPI document describes them by their docstrings."""

from flask import Response, g, request
from msgspec import UNSET, UnsetType

from embed.errors import ApiError
from embed.keys.access import Access
from embed.public_payload.payloads import Payload, get_listed_wallet, get_payload
from embed.schemas import (
    GateRefusal,
    ListedWallet,
    NewSubmission,
    Nonce,
    NonceRequest,
    OwnSubmissions,
    RecordNonce,
    RecordNonceRequest,
    RecordRequest,
    RefreshedBalance,
    RefreshRequest,
    SubmissionRequest,
    TrackingPage,
    WalletRecords,
    WithdrawnWallet,
)
from embed.serializers import describe_submission
from embed.submissions import proofs, queries, records, submitting, withdrawal
from embed.submissions.ownership import Caller
from embed.wallets import balance_refresh
from embed.web import rate_limits, visitor
from embed.web.api.operations import Operation
from embed.web.compression import compress_once
from embed.web.current import OWN_API, own_host, runtime
from embed.web.languages import gettext

_NICKNAME = ("invalid_nickname_length", "invalid_nickname_chars")
_NONCE = ("invalid_nonce", "nonce_binding_mismatch", "invalid_signature")


@Operation(
    "GET",
    "/tracking/<page_id>",
    refusals=("embed_disabled", "not_found"),
    answers={200: TrackingPage, 304: None},
    has_session=False,
)
def read_tracking_page() -> Response:
    """Read a page.

    Returns the public data of a tracking page. Do not keep the answer in a cache that visitors
    share. Ask at most once a second. At `/embed/api` the answer has an `ETag`, and clients that
    send it back get it again only if it has changed.
    """
    access = g.access
    _check_readable(access)
    payload = get_payload(
        access.page_id, access.page_version, uses_chain=runtime().settings.uses_chain
    )
    if request.blueprint == OWN_API:
        return _answer_reader(payload)
    return Response(payload.json, content_type="application/json")


def _check_readable(access: Access) -> None:
    """Raises ApiError `not_found`, `embed_disabled`."""
    if access.is_page_deleted:
        raise ApiError("not_found")
    if not access.is_page_open:
        raise ApiError("embed_disabled")


@Operation(
    "GET",
    "/tracking/<page_id>/wallets/<address>",
    refusals=("embed_disabled", "not_found", "invalid_wallet_address", "wallet_not_found"),
    has_session=False,
)
def read_listed_wallet(address: str) -> ListedWallet:
    """Read one wallet.

    Tells whether a wallet is on the list, and returns it as the list has it. A wallet that the
    owner hides is answered like one that is not there.
    """
    _check_readable(g.access)
    return get_listed_wallet(g.access.page_id, address, uses_chain=runtime().settings.uses_chain)


def _answer_reader(payload: Payload) -> Response:
    """Answer 304 if the client has this payload. The headers under /api are fixed, without ETag."""
    if request.if_none_match.contains_weak(payload.etag):
        response = Response(status=304)
    else:
        response = Response(payload.json, content_type="application/json")
        response = compress_once(response, payload.etag)
    response.set_etag(payload.etag, weak=True)  # now, since all compressions share one tag
    response.cache_control.private = True
    response.cache_control.no_cache = True  # stored, but revalidated each time
    response.vary.add("Accept-Encoding")
    return response


@Operation(
    "POST",
    "/siws/nonce",
    check_first=rate_limits.check_session_nonces,
    refusals=("invalid_wallet_address", *_NICKNAME, "rate_limit_session"),
    links={
        "submit": ("createSubmission", "With the wallet's signature of `message`, and a nickname.")
    },
)
def create_nonce(body: NonceRequest) -> Nonce:
    """Ask for a nonce.

    Starts a submission: returns a text for the wallet to sign. It works once, for this page, wallet
    and key, and for ten minutes unless the operator chose otherwise.
    """
    access = g.access
    nonce_id, nonce = submitting.issue_nonce(
        body, runtime=runtime(), access=access, host=own_host()
    )
    is_duplicate = access.is_page_open and proofs.has_readable_proof(
        access.page_id, nonce.wallet_address, visitor.find_session_id()
    )
    return Nonce(
        nonce_id=nonce_id,
        message=nonce.build_message(),
        is_duplicate=is_duplicate,
        below_minimum=_find_shortfall(body, nonce.wallet_address),
    )


def _find_shortfall(body: NonceRequest, wallet_address: str) -> GateRefusal | UnsetType:
    """Warn the widget that the wallet holds too little, before its visitor chooses a name."""
    access = g.access
    is_first_question = request.blueprint == OWN_API and body.nickname is None
    if not (is_first_question and access.min_balance and access.is_page_open):
        return UNSET
    if rate_limits.has_many_questions():
        return UNSET
    return submitting.find_shortfall(runtime(), access, wallet_address) or UNSET


@Operation(
    "POST",
    "/submissions",
    status=201,
    refusals=(
        "invalid_wallet_address",
        *_NICKNAME,
        *_NONCE,
        "embed_disabled",
        "page_not_found",
        "not_accepted",
        "duplicate",
        "ca_gate_failed",
        "balance_unavailable",
        "cooldown_active",
        "queue_full",
        "rate_limit_session",
    ),
    links={"listOwn": ("listSessionSubmissions", "With the same session cookie.")},
)
def create_submission(body: SubmissionRequest) -> NewSubmission:
    """Submit a wallet.

    Finishes a submission, with the key that asked for the nonce. After the signature, the page's
    policy decides. A refusal leaves the nonce usable.
    """
    submission = submitting.submit(body, _read_caller(), runtime())
    return NewSubmission(submission_id=submission.id, status=submission.status)


@Operation("GET", "/session/submissions")
def list_session_submissions() -> OwnSubmissions:
    """List own submissions.

    Returns what the visitor of this session has submitted to this page; without a session cookie,
    an empty list. Ask every 5 to 10 seconds at most.
    """
    found = queries.list_of_session(g.access.page_id, visitor.find_session_id())
    return OwnSubmissions(submissions=[describe_submission(one) for one in found])


_IF_ACTION = "With the wallet's signature of `message`, if `action` was `{}`."


@Operation(
    "POST",
    "/wallet-records/nonce",
    check_first=rate_limits.check_session_nonces,
    refusals=("invalid_wallet_address", "invalid_action", "rate_limit_session"),
    links={
        "show": ("showWalletRecords", _IF_ACTION.format("show")),
        "withdraw": ("withdrawWallet", _IF_ACTION.format("withdraw")),
    },
)
def create_record_nonce(body: RecordNonceRequest) -> RecordNonce:
    """Ask for a nonce to see or withdraw a wallet's records.

    Returns a text for the wallet to sign, which says what the signature serves for. It works once,
    for this page, wallet, key and action.
    """
    nonce_id, nonce = records.issue_record_nonce(
        body, runtime=runtime(), access=g.access, host=own_host()
    )
    return RecordNonce(nonce_id=nonce_id, message=nonce.build_message())


_BY_HOLDER = ("invalid_wallet_address", *_NONCE, "page_not_found", "rate_limit_session")


@Operation("POST", "/wallet-records", refusals=_BY_HOLDER, is_translated=True)
def show_wallet_records(body: RecordRequest) -> WalletRecords:
    """See what the page stores about a wallet.

    For the holder of the wallet's key, without a cookie or an account; also while the page is
    private or embedding is off. At `/embed/api`, sentences are in the visitor's language.
    """
    nonce = records.check_ownership(body, "show", _read_caller(), runtime())
    say = gettext if request.blueprint == OWN_API else str
    return records.show_records(nonce, say)


@Operation("POST", "/wallet-records/withdraw", refusals=_BY_HOLDER)
def withdraw_wallet(body: RecordRequest) -> WithdrawnWallet:
    """Withdraw a wallet.

    Erases what was sent for the wallet before its nonce was issued, and takes the wallet off the
    list if only that put it there. It cannot be undone.
    """
    nonce = records.check_ownership(body, "withdraw", _read_caller(), runtime())
    return withdrawal.withdraw(nonce, runtime())


@Operation(
    "POST",
    "/refresh",
    needs_secret_key=True,
    refusals=(
        "secret_key_required",
        "page_not_found",
        "invalid_wallet_address",
        "wallet_not_found",
        "chain_disabled",
        "balance_unavailable",
    ),
    has_session=False,
)
def refresh_balance(body: RefreshRequest) -> RefreshedBalance:
    """Read a wallet's balance from the chain now.

    For servers that hear of transfers: with a secret key, one wallet of the page, hidden ones too.
    The page shows the balance at once. Also while the page is private or embedding is off.
    """
    rate_limits.check_refreshes(g.access.page_id)
    return balance_refresh.refresh_balance(body, runtime=runtime(), access=g.access)


def _read_caller() -> Caller:
    return Caller(g.access, visitor.find_session_id(), rate_limits.client_network())
