"""Preflights, with fixed headers whatever the browser asked for (docs/api.md, Preflights)."""

from flask import Blueprint, Response, request

from embed.domain.origins import decide_origin
from embed.errors import ApiError
from embed.keys.access import read_page_allowlist
from embed.web import rate_limits
from embed.web.current import own_origin

blueprint = Blueprint("preflights", __name__)


@blueprint.after_request
def vary_by_origin(response: Response) -> Response:
    response.vary.add("Origin")
    return response


def add_preflight(path: str, name: str, method: str) -> None:
    """Answer the preflights of an endpoint."""

    def answer_preflight(page_id: str | None = None, **_: str) -> Response:
        if page_id is not None:
            _check_origin(page_id)
        response = Response(status=204, headers=_list_permissions(method))
        if origin := request.headers.get("Origin"):
            response.headers["Access-Control-Allow-Origin"] = origin
        del response.headers["Content-Type"]
        return response

    blueprint.add_url_rule(path, name, answer_preflight, methods=["OPTIONS"])


def _list_permissions(method: str) -> dict[str, str]:
    return {
        "Access-Control-Allow-Methods": f"{method}, OPTIONS",
        "Access-Control-Allow-Headers": "Authorization"
        + (", Content-Type" if method == "POST" else ""),
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Max-Age": "600",
    }


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
