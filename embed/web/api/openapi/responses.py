"""Answers of the API with their headers: successes and preflights."""

from typing import Any

from embed.logs.requests import REQUEST_ID_HEADER
from embed.web.api.cors import EXPOSED
from embed.web.api.openapi.examples import EXAMPLES
from embed.web.api.openapi.schemas import refer_to

Header = dict[str, Any]


def _describe_header(description: str, *, required: bool = False, **schema: Any) -> Header:
    return {"description": description, "required": required, "schema": schema}


_ANY_ORIGIN = "The request's `Origin` header; absent without one."

HEADERS: dict[str, Header] = {
    "Vary": _describe_header(
        "Names `Origin`, since the answer's headers depend on it.",
        required=True,
        type="string",
        pattern="(^|, )Origin$",
    ),
    "Access-Control-Allow-Origin": _describe_header(_ANY_ORIGIN, type="string"),
    "Access-Control-Allow-Credentials": _describe_header(
        "Scripts may send the session cookie; absent without an `Origin` header.",
        type="string",
        const="true",
    ),
    "Access-Control-Expose-Headers": _describe_header(
        "What scripts may read besides; absent without an `Origin` header.",
        type="string",
        const=", ".join(EXPOSED),
    ),
    REQUEST_ID_HEADER: _describe_header(
        "Names this request to the operator, whose log has it.",
        required=True,
        type="string",
        pattern="^[0-9A-Za-z-]{8,64}$",
    ),
    "Retry-After": _describe_header(
        "The seconds to wait, rounded up.", required=True, type="integer", minimum=1
    ),
    "ETag": _describe_header("At `/embed/api`: the payload's tag.", type="string", pattern="^W/"),
    "Cache-Control": _describe_header(
        "At `/embed/api`: whether a browser may keep the answer.", type="string"
    ),
    "IM": _describe_header(
        "The format of what has changed.", required=True, type="string", const="wallets"
    ),
    "Delta-Base": _describe_header(
        "The tag of the payload that has changed.", required=True, type="string", pattern="^W/"
    ),
    "Allow": _describe_header(
        "The methods that this path has, with commas between them.", required=True, type="string"
    ),
}


def refer_to_headers(*names: str) -> dict[str, Header]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


# What every answer but a preflight's may have.
ANSWER_HEADERS = refer_to_headers(
    "Vary",
    "Access-Control-Allow-Origin",
    "Access-Control-Allow-Credentials",
    "Access-Control-Expose-Headers",
    REQUEST_ID_HEADER,
)


PAYLOAD_HEADERS = ANSWER_HEADERS | refer_to_headers("ETag", "Cache-Control")
DELTA_HEADERS = PAYLOAD_HEADERS | refer_to_headers("IM", "Delta-Base")


def describe_json(
    schema: dict[str, Any],
    examples: dict[str, Any],
    description: str,
    headers: dict[str, Header],
) -> dict[str, Any]:
    """Describe an answer; `examples` are values by their names."""
    return {
        "description": description,
        "headers": headers,
        "content": {
            "application/json": {
                "schema": schema,
                "examples": {name: {"value": value} for name, value in examples.items()},
            }
        },
    }


def describe_success(
    name: str,
    description: str,
    *,
    schema: str | None = None,
    headers: dict[str, Header] = ANSWER_HEADERS,
    links: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Describe a success by the name of its example, which is its schema's unless that is given."""
    example = {name: EXAMPLES[name]}
    response = describe_json(refer_to(schema or name), example, description, headers)
    return response | ({"links": links} if links else {})


def describe_permission(methods: str, headers: str) -> dict[str, Any]:
    """Describe a preflight's 204 (spec 4.5)."""
    fixed = {
        "Access-Control-Allow-Methods": f"{methods}, OPTIONS",
        "Access-Control-Allow-Headers": headers,
        "Access-Control-Allow-Credentials": "true",
        "Access-Control-Max-Age": "600",
    }
    return {
        "description": "The browser may send the request.",
        "headers": refer_to_headers("Vary", "Access-Control-Allow-Origin", REQUEST_ID_HEADER)
        | {
            name: _describe_header("Always the same.", required=True, type="string", const=value)
            for name, value in fixed.items()
        },
    }
