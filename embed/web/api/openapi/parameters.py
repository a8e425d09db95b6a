"""What requests carry: headers, the session cookie, the page's id and bodies."""

from typing import Any

from embed.web.api.openapi.examples import EXAMPLES, PAGE_ID
from embed.web.api.openapi.schemas import refer_to


def _describe_parameter(
    where: str, name: str, description: str, *, required: bool = False, **more: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "in": where,
        "required": required,
        "description": description,
        "schema": {"type": "string"},
    } | more


ORIGIN = _describe_parameter(
    "header",
    "Origin",
    "Public keys: an origin on the key's list. Browsers send it by themselves.",
    example="https://www.example.com",
)
ORIGIN_HEADERS = [
    ORIGIN,
    _describe_parameter(
        "header",
        "Referer",
        "Public keys: its origin counts if there is no `Origin`.",
        example="https://www.example.com/wallets",
    ),
    _describe_parameter(
        "header",
        "Sec-Fetch-Site",
        "Public keys: `same-origin` counts if there is neither `Origin` nor `Referer`.",
        example="same-origin",
    ),
]
CONDITIONS = [
    _describe_parameter(
        "header",
        "If-None-Match",
        "At `/embed/api`: the `ETag` of the payload that the client has.",
    ),
    _describe_parameter(
        "header",
        "A-IM",
        "At `/embed/api`: `wallets` asks for only what has changed (RFC 3229).",
    ),
]
SESSION = _describe_parameter(
    "cookie",
    "embed_session",
    "The visitor's session, which the widget's page starts. No credential.",
)
PAGE_IN_PATH = _describe_parameter(
    "path", "trackingPageId", "The id of the key's page.", required=True, example=PAGE_ID
)
PAGE_IN_QUERY = _describe_parameter(
    "query", "trackingPageId", "The id of the key's page.", required=True, example=PAGE_ID
)


def describe_body(name: str) -> dict[str, Any]:
    """Describe a request's body by the name of its schema."""
    media_type = {"schema": refer_to(name), "example": EXAMPLES[name]}
    return {
        "required": True,
        "description": "At most 16 KiB. Unknown fields are ignored.",
        "content": {"application/json": media_type},
    }
