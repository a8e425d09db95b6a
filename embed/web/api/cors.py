"""CORS: Flask-CORS for answers, fixed headers for preflights (docs/api.md, Preflights)."""

from functools import lru_cache

from flask import Response, request
from flask_cors import cross_origin

from embed.domain.origins import decide_origin
from embed.errors import ApiError
from embed.keys.access import read_page_allowlist
from embed.logs.context import REQUEST_ID_HEADER
from embed.web import rate_limits
from embed.web.current import own_origin

EXPOSED = ["Retry-After", REQUEST_ID_HEADER]


def share_answer(response: Response) -> Response:
    """Let every site read the answer; preflights have their own headers."""
    headers, environ = response.headers, request.environ
    if environ["REQUEST_METHOD"] != "OPTIONS":
        origin = environ.get("HTTP_ORIGIN")
        network = environ.get("HTTP_ACCESS_CONTROL_REQUEST_PRIVATE_NETWORK")
        for name, value in _ask_flask_cors(origin, network).headers:
            headers.add(name, value)
    headers["Vary"] = ", ".join([*headers.getlist("Vary"), "Origin"])
    return response


@lru_cache(maxsize=256)  # Flask-CORS takes longer than the query for the key
@cross_origin(
    origins="*",  # any site may read answers; the key decides who may ask
    supports_credentials=True,
    expose_headers=EXPOSED,
    vary_header=False,  # share_answer adds it, even without an Origin header
    automatic_options=False,
)
def _ask_flask_cors(origin: str | None, private_network: str | None) -> Response:
    """Return the headers that Flask-CORS adds to an answer.

    It reads only these two headers of the request.
    """
    response = Response()
    response.headers.clear()
    return response


def list_permissions(method: str) -> dict[str, str]:
    """Return the fixed headers of a preflight's answer, whatever the browser asked for."""
    return {
        "Access-Control-Allow-Methods": f"{method}, OPTIONS",
        "Access-Control-Allow-Headers": "Authorization"
        + (", Content-Type" if method == "POST" else ""),
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Max-Age": "600",
    }


def answer_preflight(method: str) -> Response:
    response = Response(status=204, headers=list_permissions(method))
    if origin := request.headers.get("Origin"):
        response.headers["Access-Control-Allow-Origin"] = origin
    del response.headers["Content-Type"]
    return response


def check_preflight_origin(page_id: str) -> None:
    """Check the origin of a client's first preflights, but not of the rest.

    That keeps a flood of preflights away from the database. A preflight grants nothing: the origin
    of the request itself is checked again. Raises ApiError `origin_not_allowed` unless a live
    public key of the page lists it.
    """
    if rate_limits.has_many_preflights():
        return
    origins, allows_null = read_page_allowlist(page_id)
    decision = decide_origin(
        raw_origin=request.headers.get("Origin") or "null",
        allowlist=origins,
        allows_null=allows_null,
        find_own_origin=own_origin,
    )
    if decision.code is not None:
        raise ApiError(decision.code)
