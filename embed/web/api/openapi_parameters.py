"""The OpenAPI document's headers and parameters, and which operations have them."""

from typing import Any

import msgspec

from embed.logs.context import REQUEST_ID_HEADER
from embed.schemas import PageId, WalletAddress
from embed.web.api.cors import EXPOSED
from embed.web.api.operations import Operation
from embed.web.visitor import COOKIE

Described = dict[str, Any]  # a part of the document

_TEXT = {"type": "string"}


def describe_header(description: str, *, required: bool = False, **schema: Any) -> Described:
    return {"description": description, "required": required, "schema": _TEXT | schema}


HEADERS = {
    "Vary": describe_header(
        "Names `Origin`, since the answer's headers depend on it.",
        required=True,
        pattern="(^|, )Origin$",
    ),
    "Access-Control-Allow-Origin": describe_header(
        "The request's `Origin` header; absent without one."
    ),
    "Access-Control-Allow-Credentials": describe_header(
        "Scripts may send the session cookie; absent without an `Origin` header.", const="true"
    ),
    "Access-Control-Expose-Headers": describe_header(
        "What scripts may read besides; absent without an `Origin` header.",
        const=", ".join(EXPOSED),
    ),
    REQUEST_ID_HEADER: describe_header(
        "Names this request to the operator, whose log has it.",
        required=True,
        pattern="^[0-9A-Za-z-]{8,64}$",
    ),
    "Retry-After": describe_header(
        "The seconds to wait, rounded up.", required=True, type="integer", minimum=1
    ),
    "ETag": describe_header("At `/embed/api`: the payload's tag.", pattern="^W/"),
    "Cache-Control": describe_header("At `/embed/api`: whether a browser may keep the answer."),
    "Allow": describe_header(
        "The methods that this path has, with commas between them.", required=True
    ),
}
OF_ALL = ("Vary", REQUEST_ID_HEADER)
OF_PREFLIGHT = (*OF_ALL, "Access-Control-Allow-Origin")
OF_ANSWER = (*OF_PREFLIGHT, "Access-Control-Allow-Credentials", "Access-Control-Expose-Headers")


def refer_to_headers(*names: str) -> Described:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _parameter(
    where: str, name: str, description: str, example: str | None = None, *, required: bool = False
) -> Described:
    described = {"name": name, "in": where, "required": required, "description": description}
    return described | {"schema": _TEXT} | ({"example": example} if example else {})


ORIGIN = _parameter(
    "header",
    "Origin",
    "Public keys: an origin on the key's list. Browsers send it by themselves.",
    "https://www.example.com",
)
_ORIGIN_HEADERS = [
    ORIGIN,
    _parameter(
        "header",
        "Referer",
        "Public keys: its origin counts if there is no `Origin`.",
        "https://www.example.com/wallets",
    ),
    _parameter(
        "header",
        "Sec-Fetch-Site",
        "Public keys: `same-origin` counts if there is neither `Origin` nor `Referer`.",
        "same-origin",
    ),
]
_CONDITIONS = [
    _parameter(
        "header", "If-None-Match", "At `/embed/api`: the `ETag` of the payload that the client has."
    )
]
_LANGUAGE = [
    _parameter(
        "query",
        "lang",
        "At `/embed/api`: the language of sentences, if the widget speaks it.",
        "de",
    ),
    _parameter(
        "header",
        "Accept-Language",
        "At `/embed/api`: the language of sentences if `lang` names none. Otherwise English.",
    ),
]
_SESSION = _parameter(
    "cookie", COOKIE, "The visitor's session, which the widget's page starts. No credential."
)


def describe_page(place: str) -> Described:
    (example,) = msgspec.json.schema(PageId)["examples"]
    about = "The id of the key's page."
    return _parameter(place, "trackingPageId", about, example, required=True)


_ADDRESS = msgspec.json.schema(WalletAddress)
# By their place in the path of an operation.
IN_PATH = {
    "<page_id>": describe_page("path"),
    "<address>": _parameter(
        "path", "address", _ADDRESS["description"], *_ADDRESS["examples"], required=True
    ),
}


def list_parameters(operation: Operation) -> list[Described]:
    """Describe an operation's parameters, except for those in its path."""
    return [
        *(() if operation.needs_secret_key else _ORIGIN_HEADERS),
        *(_CONDITIONS if 304 in operation.answers else ()),
        *(_LANGUAGE if operation.is_translated else ()),
        *([_SESSION] if operation.has_session else ()),
        *([describe_page("query")] if operation.page_place == "query" else ()),
    ]


def list_headers(operation: Operation) -> list[str]:
    """Return the names of an answer's headers."""
    return [*OF_ANSWER, *(("ETag", "Cache-Control") if 304 in operation.answers else ())]
