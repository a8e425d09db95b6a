"""What all endpoints share: authentication, the order of checks, bodies, answers, preflights.

Every route but that of the OpenAPI document requires a bearer key (docs/api.md, Keys and Origins).
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

import msgspec
from flask import Blueprint, Response, g, request
from werkzeug.exceptions import HTTPException

from embed.domain.origins import decide_origin
from embed.errors import ApiError
from embed.keys.access import Access, get_access, store_use
from embed.schemas import Json, WalletRequest
from embed.serializers import write_json
from embed.web import rate_limits
from embed.web.api.cors import add_preflight, share_answers
from embed.web.current import API, own_origin, runtime

_BEARER = re.compile(r"bearer (\S+)", re.IGNORECASE)

blueprint = Blueprint(API, __name__)
share_answers(blueprint)

View = TypeVar("View", bound=Callable[..., Json | Response])


@dataclass(slots=True)
class Operation:
    """Decorate a view with its route, and its preflights' route.

    The view gets the request's body, of the type that it annotates, and is called once the
    request's page is known to be the key's: ``g.access.page_id``.
    """

    method: str
    path: str
    status: int = 200  # of a success
    check_first: Callable[[], None] | None = None  # runs before the body is read
    needs_secret_key: bool = False
    view: Callable[..., Json | Response] = field(init=False)
    body: type[WalletRequest] | None = field(init=False)

    def __call__(self, view: View) -> View:
        self.view = view
        self.body = view.__annotations__.get("body")
        name = view.__name__
        blueprint.add_url_rule(self.path, name, self.respond, methods=[self.method])
        add_preflight(self.path, name, self.method)
        return view

    def respond(self, page_id: str | None = None, **arguments: Any) -> Response:
        if self.needs_secret_key and g.access.tier != "secret":  # public keys are visible to anyone
            raise ApiError("secret_key_required")
        if self.check_first is not None:
            self.check_first()
        if self.body is not None:
            arguments["body"] = body = read_body(self.body)
            page_id = body.tracking_page_id
        if g.access.page_id != (_read_page_in_query() if page_id is None else page_id):
            raise ApiError("invalid_key")
        answer = self.view(**arguments)
        if isinstance(answer, Response):
            return answer
        json_text = write_json(answer, is_compact=True)
        return Response(json_text, self.status, content_type="application/json")


@blueprint.before_request
def authenticate() -> None:
    """Check the request's key and store its access in ``g.access``.

    The client's limit and the host have already been checked. Raises ApiError for the first check
    that fails: header, form, key, revocation, origin, key's limit.
    """
    header = _BEARER.fullmatch(request.headers.get("Authorization", ""))
    if header is None:
        raise ApiError("missing_key")
    access = get_access(header[1])
    if access.tier == "public":
        _check_origin(access)
    g.access = access
    parts = runtime()
    parts.rate_limits.check_limit("rate_limit_key", parts.settings.limit_per_key, access.key_id)
    store_use(access, parts.clock())


def _check_origin(access: Access) -> None:
    """Raises ApiError `missing_origin` or `origin_not_allowed`."""
    headers = request.headers
    raw_origin = headers.get("Origin")
    if raw_origin in access.origins:
        return
    decision = decide_origin(
        raw_origin=raw_origin,
        raw_referer=headers.get("Referer"),
        is_same_origin_fetch=headers.get("Sec-Fetch-Site") == "same-origin",
        allowlist=access.origins,
        allows_null=access.allows_null_origin,
        find_own_origin=own_origin,
    )
    if decision.code is not None:
        if decision.refused_origin is not None:
            rate_limits.report_refused_site(access.key_id, decision.refused_origin)
        raise ApiError(decision.code)


def _read_page_in_query() -> str:
    page_id = request.args.get("trackingPageId")
    if not page_id:
        raise ApiError("missing_tracking_page_id")
    return page_id


def read_body(body_type: type[WalletRequest]) -> WalletRequest:
    """Return the request's body, with only the types of its fields checked.

    Raises ApiError `invalid_json`, `missing_fields`.
    """
    body = _read_json()
    if not isinstance(body, dict):
        raise ApiError("missing_fields")
    known = {name: body[name] for name in body_type.__struct_encode_fields__ if name in body}
    try:
        return msgspec.convert(known, body_type)
    except msgspec.ValidationError:
        raise ApiError("missing_fields") from None


def _read_json() -> object:
    """Parse with Python's own reader: it accepts lone surrogates, which each field then refuses."""
    if not request.is_json:
        raise ApiError("invalid_json")
    try:
        text = request.get_data().decode("utf-8")
        return json.loads(text, parse_constant=_refuse_constant)
    except (HTTPException, ValueError, RecursionError):  # too long or cut off, not UTF-8 or JSON
        raise ApiError("invalid_json") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
