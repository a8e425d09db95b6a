"""The endpoints (spec 4.1 to 4.4, and a wallet's records) and their preflights."""

from flask import Blueprint, Response, g, request
from flask.typing import ResponseReturnValue

from embed import serializers
from embed.domain.nonces import Action, RecordNonce
from embed.errors import ApiError
from embed.public_payload import payloads
from embed.submissions import ownership, queries, records, submitting, withdrawal
from embed.web import rate_limits, visitor
from embed.web.api import auth, bodies, tracking_page
from embed.web.api.cors import answer_preflight, check_preflight_origin
from embed.web.current import own_host, runtime
from embed.web.languages import translate

OWN_API = "own_api"  # the same blueprint under /embed, where browsers send the session cookie

blueprint = Blueprint("api", __name__)
blueprint.before_request(auth.authenticate)


@blueprint.get("/tracking/<page_id>")
def read_tracking_page(page_id: str) -> ResponseReturnValue:
    """Return the public payload of a page (spec 4.1).

    At the widget's own address: 304 to a reader who has it, or only what changed.
    """
    auth.check_page(page_id)
    if g.access.is_page_deleted:
        raise ApiError("not_found")
    if not g.access.is_page_open:
        raise ApiError("embed_disabled")
    version, uses_chain = g.access.page_version, runtime().settings.uses_chain
    if request.blueprint == OWN_API:
        return tracking_page.answer_reader(page_id, version, uses_chain=uses_chain)
    payload = payloads.get_payload(page_id, version, uses_chain=uses_chain)
    return Response(payload.json, content_type="application/json")


@blueprint.post("/siws/nonce")
def create_nonce() -> ResponseReturnValue:
    """Start a wallet submission (spec 4.2)."""
    rate_limits.check_session_nonces()
    page_id, raw_wallet_address, raw_nickname = bodies.read_nonce_request()
    auth.check_page(page_id)
    nonce_id, nonce = submitting.issue_nonce(
        raw_wallet_address, raw_nickname, runtime=runtime(), access=g.access, host=own_host()
    )
    return {"nonceId": nonce_id, "message": nonce.build_message()}


@blueprint.post("/submissions")
def create_submission() -> ResponseReturnValue:
    """Finish a wallet submission (spec 4.3)."""
    submission_request = bodies.read_submission_request()
    auth.check_page(submission_request.page_id)
    submission = submitting.submit(
        submission_request,
        runtime=runtime(),
        access=g.access,
        session_id=visitor.find_session_id(),
        client=rate_limits.client_network(),
    )
    return {"submissionId": submission.id, "status": submission.status}, 201


@blueprint.get("/session/submissions")
def list_session_submissions() -> ResponseReturnValue:
    """Return the visitor's own submissions for a page (spec 4.4)."""
    page_id = request.args.get("trackingPageId")
    if not page_id:
        raise ApiError("missing_tracking_page_id")
    auth.check_page(page_id)
    submissions = queries.list_of_session(page_id, visitor.find_session_id())
    return {"submissions": [serializers.describe_submission(one) for one in submissions]}


@blueprint.post("/wallet-records/nonce")
def create_record_nonce() -> ResponseReturnValue:
    """Start a request about what the page keeps of a wallet."""
    rate_limits.check_session_nonces()
    page_id, raw_wallet_address, raw_action = bodies.read_record_nonce_request()
    auth.check_page(page_id)
    nonce_id, nonce = ownership.issue_record_nonce(
        raw_wallet_address, raw_action, runtime=runtime(), access=g.access, host=own_host()
    )
    return {"nonceId": nonce_id, "message": nonce.build_message()}


@blueprint.post("/wallet-records")
def show_wallet_records() -> ResponseReturnValue:
    """Return what the page keeps of a wallet, to the wallet's holder."""
    # Visitors read it in the widget; the API speaks English.
    gettext = translate if request.blueprint == OWN_API else str
    shown = records.show_records(_check_ownership("show"), gettext)
    return Response(serializers.write_json(shown), content_type="application/json")


@blueprint.post("/wallet-records/withdraw")
def withdraw_wallet() -> ResponseReturnValue:
    """Erase what was sent to the page for a wallet, as the wallet's holder asks."""
    outcome = withdrawal.withdraw(_check_ownership("withdraw"), runtime())
    return {
        "withdrawnSubmissions": outcome.withdrawn,
        "leftList": outcome.has_left_list,
        "staysListed": outcome.stays_listed,
    }


def _check_ownership(action: Action) -> RecordNonce:
    record_request = bodies.read_record_request()
    auth.check_page(record_request.page_id)
    return ownership.check_ownership(
        record_request,
        action,
        runtime=runtime(),
        access=g.access,
        session_id=visitor.find_session_id(),
        client=rate_limits.client_network(),
    )


@blueprint.route("/tracking/<page_id>", methods=["OPTIONS"])
def preflight_tracking_page(page_id: str) -> ResponseReturnValue:
    """Answer the first preflights of a client after checking the origin, and the rest without.

    So a flood of preflights does not reach the database. A preflight permits nothing: the read
    itself checks the origin again.
    """
    if not rate_limits.has_many_preflights():
        check_preflight_origin(page_id)
    return answer_preflight("GET", "Authorization")


@blueprint.route("/siws/nonce", methods=["OPTIONS"])
@blueprint.route("/submissions", methods=["OPTIONS"])
@blueprint.route("/wallet-records/nonce", methods=["OPTIONS"])
@blueprint.route("/wallet-records", methods=["OPTIONS"])
@blueprint.route("/wallet-records/withdraw", methods=["OPTIONS"])
def preflight_post() -> ResponseReturnValue:
    return answer_preflight("POST", "Authorization, Content-Type")


@blueprint.route("/session/submissions", methods=["OPTIONS"])
def preflight_session_submissions() -> ResponseReturnValue:
    return answer_preflight("GET", "Authorization")
