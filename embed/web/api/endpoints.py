"""The endpoints (docs/api.md), and their description: docs/openapi.json as it is, for everyone."""

from flask import Blueprint, Response, g, request
from msgspec import UNSET, UnsetType

from embed.errors import ApiError
from embed.keys.access import Access
from embed.public_payload import Payload, get_listed_wallet, get_payload
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
    WalletRecords,
    WithdrawnWallet,
)
from embed.serializers import describe_submission
from embed.settings import PROJECT_DIR
from embed.submissions import proofs, queries, records, submitting, withdrawal
from embed.submissions.ownership import Caller
from embed.wallets import balance_refresh
from embed.web import rate_limits, visitor
from embed.web.api.cors import share_answers
from embed.web.api.operations import Operation
from embed.web.compression import compress_once
from embed.web.current import OWN_API, own_host, runtime
from embed.web.languages import gettext

OPENAPI_FILE = PROJECT_DIR / "docs" / "openapi.json"

# A blueprint of its own, since the document needs no key.
openapi = Blueprint("openapi", __name__)
share_answers(openapi)


@openapi.get("/openapi.json")
def read_openapi_document() -> Response:
    return Response(OPENAPI_FILE.read_bytes(), content_type="application/json")


@Operation("GET", "/tracking/<page_id>")
def read_tracking_page() -> Response:
    """Return the public data of a page; under /embed/api, with an ETag."""
    access = g.access
    _check_readable(access)
    payload = get_payload(access.page_id, access.page_version, runtime().balances)
    if request.blueprint == OWN_API:
        return _answer_reader(payload)
    return Response(payload.json, content_type="application/json")


def _check_readable(access: Access) -> None:
    """Raises ApiError `not_found`, `embed_disabled`."""
    if access.is_page_deleted:
        raise ApiError("not_found")
    if not access.is_page_open:
        raise ApiError("embed_disabled")


@Operation("GET", "/tracking/<page_id>/wallets/<address>")
def read_listed_wallet(address: str) -> ListedWallet:
    """Return one wallet of the list, unless it's hidden."""
    _check_readable(g.access)
    return get_listed_wallet(g.access.page_id, address, runtime().balances)


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


@Operation("POST", "/siws/nonce", check_first=rate_limits.check_session_nonces)
def create_nonce(body: NonceRequest) -> Nonce:
    """Start a submission: return a message for the wallet to sign.

    The widget also learns whether there's anything to sign; /api/embed answers only what is
    specified.
    """
    nonce_id, nonce = submitting.issue_nonce(
        body, runtime=runtime(), access=g.access, host=own_host()
    )
    answer = Nonce(nonce_id=nonce_id, message=nonce.build_message())
    if request.blueprint == OWN_API:
        answer.is_duplicate = _is_duplicate(nonce.wallet_address)
        answer.below_minimum = _find_shortfall(body, nonce.wallet_address)
    return answer


def _is_duplicate(wallet_address: str) -> bool:
    access = g.access
    return access.is_page_open and proofs.has_readable_proof(
        access.page_id, wallet_address, visitor.find_session_id()
    )


def _find_shortfall(body: NonceRequest, wallet_address: str) -> GateRefusal | UnsetType:
    """Warn the widget that the wallet holds too little, before its visitor chooses a name."""
    access = g.access
    if body.nickname is not None or not (access.min_balance and access.is_page_open):
        return UNSET
    if rate_limits.has_many_questions():
        return UNSET
    return submitting.find_shortfall(runtime(), access, wallet_address) or UNSET


@Operation("POST", "/submissions", status=201)
def create_submission(body: SubmissionRequest) -> NewSubmission:
    """Finish a submission. A refusal leaves the nonce usable."""
    submission = submitting.submit(body, _read_caller(), runtime())
    return NewSubmission(submission_id=submission.id, status=submission.status)


@Operation("GET", "/session/submissions")
def list_session_submissions() -> OwnSubmissions:
    """Return what this session submitted to the page; without a session, nothing."""
    found = queries.list_of_session(g.access.page_id, visitor.find_session_id())
    return OwnSubmissions(submissions=[describe_submission(one) for one in found])


@Operation("POST", "/wallet-records/nonce", check_first=rate_limits.check_session_nonces)
def create_record_nonce(body: RecordNonceRequest) -> RecordNonce:
    """Return a message whose signature lets its sender see or withdraw a wallet's records."""
    nonce_id, nonce = records.issue_record_nonce(
        body, runtime=runtime(), access=g.access, host=own_host()
    )
    return RecordNonce(nonce_id=nonce_id, message=nonce.build_message())


@Operation("POST", "/wallet-records")
def show_wallet_records(body: RecordRequest) -> WalletRecords:
    """Return what the page stores about a wallet to the holder of its key."""
    nonce = records.check_ownership(body, "show", _read_caller(), runtime())
    say = gettext if request.blueprint == OWN_API else str
    return records.show_records(nonce, say)


@Operation("POST", "/wallet-records/withdraw")
def withdraw_wallet(body: RecordRequest) -> WithdrawnWallet:
    """Delete what was submitted for the wallet before its nonce was issued."""
    nonce = records.check_ownership(body, "withdraw", _read_caller(), runtime())
    return withdrawal.withdraw(nonce, runtime())


@Operation("POST", "/refresh", needs_secret_key=True)
def refresh_balance(body: RefreshRequest) -> RefreshedBalance:
    """Read the balance of any wallet of the page from the chain, in any state of the page."""
    rate_limits.check_refreshes(g.access.page_id)
    return balance_refresh.refresh_balance(body, runtime=runtime(), access=g.access)


def _read_caller() -> Caller:
    return Caller(g.access, visitor.find_session_id(), rate_limits.client_network())
