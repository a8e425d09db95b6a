"""CORS of the API: Flask-CORS lets every site read its answers, with credentials.

Preflights have fixed headers whatever the browser asked for (docs/api.md, Preflights).
"""

from typing import Any

from flask import Blueprint, Response, request
from flask_cors import CORS, cross_origin

from embed.domain.origins import decide_origin
from embed.errors import ApiError
from embed.keys.access import read_page_allowlist
from embed.logs.context import REQUEST_ID_HEADER
from embed.web import rate_limits
from embed.web.current import own_origin

# The key decides which sites may ask; what any site asks, it may read.
_OPTIONS: Any = {
    "origins": "*",
    "supports_credentials": True,
    "expose_headers": ["Retry-After", REQUEST_ID_HEADER],
    "vary_header": False,  # it leaves Vary out without an Origin header
}


def share_answers(blueprint: Blueprint) -> None:
    CORS(blueprint, **_OPTIONS)
    blueprint.after_request(_vary_by_origin)


def share(response: Response) -> Response:
    """Let every site read an answer for a path or a method that no blueprint has.

    Browsers keep it from scripts unless they get 204 for the preflight.
    """
    if request.method != "OPTIONS":
        return _vary_by_origin(_share(response))
    if "Access-Control-Request-Method" in request.headers:
        response = Response(status=204)
        del response.headers["Content-Type"]
    _add_permissions(response, "GET, POST, PUT, PATCH, DELETE")
    return _vary_by_origin(response)


@cross_origin(automatic_options=False, **_OPTIONS)
def _share(response: Response) -> Response:
    return response


def _vary_by_origin(response: Response) -> Response:
    if "Vary" in response.headers:
        response.vary.add("Origin")
    else:  # most answers; this takes a third of the time
        response.headers.add("Vary", "Origin")
    return response


preflights = Blueprint("preflights", __name__)
preflights.after_request(_vary_by_origin)


def add_preflight(path: str, name: str, method: str) -> None:
    """Answer the preflights of an endpoint."""

    def answer_preflight(page_id: str | None = None, **_: str) -> Response:
        if page_id is not None:
            _check_origin(page_id)
        response = Response(status=204)
        _add_permissions(response, method)
        del response.headers["Content-Type"]
        return response

    preflights.add_url_rule(path, name, answer_preflight, methods=["OPTIONS"])


def _add_permissions(response: Response, methods: str) -> None:
    response.headers["Access-Control-Allow-Methods"] = f"{methods}, OPTIONS"
    response.headers["Access-Control-Allow-Headers"] = "Authorization" + (
        ", Content-Type" if "POST" in methods else ""
    )
    response.headers["Access-Control-Allow-Credentials"] = "true"
    response.headers["Access-Control-Max-Age"] = "600"
    if origin := request.headers.get("Origin"):
        response.headers["Access-Control-Allow-Origin"] = origin


def _check_origin(page_id: str) -> None:
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
