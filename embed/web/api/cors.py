"""CORS: Flask-CORS for answers, fixed headers for preflights (docs/api.md, Preflights)."""

from flask import Flask, Response, request
from flask_cors import CORS

from embed.domain.origins import decide_origin
from embed.errors import ApiError
from embed.keys.access import read_page_allowlist
from embed.logs.context import REQUEST_ID_HEADER
from embed.web import rate_limits
from embed.web.current import is_api_request, own_origin

API_PATHS = (r"/api/.*", r"/embed/api/.*")
EXPOSED = ["Retry-After", REQUEST_ID_HEADER]


def init_cors(app: Flask) -> None:
    # Registered before Flask-CORS, so it runs after it.
    app.after_request(_finish_headers)
    CORS(
        app,
        resources=list(API_PATHS),
        origins="*",  # any site may read answers; the key decides who may ask
        supports_credentials=True,
        expose_headers=EXPOSED,
        vary_header=False,  # _finish_headers adds it, also without an Origin header
    )


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
    """Check the first preflights of a client, but not the rest.

    So a flood of preflights does not reach the database. A preflight permits nothing: the request
    itself checks the origin again. Raises ApiError `origin_not_allowed` unless some live public key
    of the page lists it.
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


def _finish_headers(response: Response) -> Response:
    if is_api_request():
        others = response.headers.get("Vary")
        response.headers["Vary"] = f"{others}, Origin" if others else "Origin"
        if request.method == "OPTIONS" and response.status_code != 204:
            # A refused preflight must not have headers that a browser takes for permission.
            for name in list(response.headers.keys()):
                if name.startswith("Access-Control-"):
                    del response.headers[name]
    return response
