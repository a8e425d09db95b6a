"""What all endpoints share: the order of their checks, their bodies, answers and preflights.

Each view is an Operation, from which the OpenAPI document is made.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

import msgspec
from flask import Blueprint, Response, request

from embed.errors import ApiError
from embed.schemas import Json, WalletRequest
from embed.serializers import write_json
from embed.web.api import auth
from embed.web.api.cors import answer_preflight, check_preflight_origin, share_answer
from embed.web.current import API

blueprint = Blueprint(API, __name__)
blueprint.before_request(auth.authenticate)
blueprint.after_request(share_answer)

View = TypeVar("View", bound=Callable[..., Json | Response])


@dataclass(slots=True)
class Operation:
    """Decorates a view with where it is and what the OpenAPI document says of it.

    The view's annotations name the Structs of its body and its answer. It is called after the
    request's page was found to be the key's: ``g.access.page_id``.
    """

    method: str
    path: str
    refusals: Sequence[str] = ()  # the codes that not every operation has
    status: int = 200
    answers: Mapping[int, type[Json] | None] = field(default_factory=dict)  # if it makes responses
    has_session: bool = True  # whether it reads the session cookie
    is_translated: bool = False  # whether it speaks the visitor's language at OWN_API
    links: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # to operations, and when
    check_first: Callable[[], None] | None = None  # comes before the body is read
    needs_secret_key: bool = False
    view: Callable[..., Any] = field(init=False)
    body: type[WalletRequest] | None = field(init=False)

    def __call__(self, view: View) -> View:
        self.view = view
        self.body = view.__annotations__.get("body")
        self.answers = self.answers or {self.status: view.__annotations__["return"]}
        OPERATIONS.append(self)
        name = view.__name__
        blueprint.add_url_rule(self.path, name, self.respond, methods=[self.method])
        blueprint.add_url_rule(self.path, f"preflight_{name}", self.permit, methods=["OPTIONS"])
        return view

    @property
    def page_place(self) -> str:
        """Tell where a request names its page: in its path, body or query."""
        if "<page_id>" in self.path:
            return "path"
        return "body" if self.body else "query"

    def respond(self, page_id: str | None = None) -> Response:
        if self.needs_secret_key:
            auth.check_secret_key()
        if self.check_first is not None:
            self.check_first()
        arguments = {}
        if self.body is not None:
            arguments["body"] = body = read_body(self.body)
            page_id = body.tracking_page_id
        auth.check_page(_read_page_in_query() if page_id is None else page_id)
        answer = self.view(**arguments)
        if isinstance(answer, Response):
            return answer
        json_text = write_json(answer, is_compact=True)
        return Response(json_text, self.status, content_type="application/json")

    def permit(self, page_id: str | None = None) -> Response:
        """Answer a preflight."""
        if page_id is not None:
            check_preflight_origin(page_id)
        return answer_preflight(self.method)


OPERATIONS: list[Operation] = []


def _read_page_in_query() -> str:
    page_id = request.args.get("trackingPageId")
    if not page_id:
        raise ApiError("missing_tracking_page_id")
    return page_id


def read_body(body_type: type[WalletRequest]) -> WalletRequest:
    """Return the request's body, of which only the types of its fields are checked.

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
    """Parse with Python's own reader, which takes lone surrogates: their field has a code."""
    if not request.is_json:
        raise ApiError("invalid_json")
    try:
        return json.loads(_read_bytes().decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ApiError("invalid_json") from None


def _read_bytes() -> bytes:
    try:
        return request.get_data()
    except Exception:
        # Too long, truncated, or with invalid chunks: the WSGI server reads the body here and
        # may raise any exception, but only for a body that cannot be read.
        raise ApiError("invalid_json") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
