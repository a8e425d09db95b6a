"""CORS: Flask-CORS for answers, the spec's fixed headers for preflights (4.5)."""

from flask import Flask, Response, request
from flask_cors import CORS

from embed.domain.origins import decide_origin
from embed.errors import ApiError
from embed.keys.access import read_page_allowlist
from embed.logs.requests import REQUEST_ID_HEADER
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


def answer_preflight(methods: str, headers: str) -> Response:
    """Return 204 with the spec's fixed headers, whatever the browser asked for."""
    response = Response(status=204)
    response.headers["Access-Control-Allow-Methods"] = f"{methods}, OPTIONS"
    response.headers["Access-Control-Allow-Headers"] = headers
    response.headers["Access-Control-Max-Age"] = "600"
    response.headers["Access-Control-Allow-Credentials"] = "true"
    if origin := request.headers.get("Origin"):
        response.headers["Access-Control-Allow-Origin"] = origin
    del response.headers["Content-Type"]
    return response


def check_preflight_origin(page_id: str) -> None:
    """Raises ApiError `origin_not_allowed` unless some live public key of the page lists it."""
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
