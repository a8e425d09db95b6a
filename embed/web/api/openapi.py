"""The OpenAPI document, made from the endpoints, their Structs and the table of errors.

This file and openapi_parameters.py hold what several endpoints share: codes, headers and
parameters.
"""

import inspect
import re
from collections.abc import Iterable
from typing import Any

import msgspec
from flask import Blueprint, Response

from embed import __version__
from embed.errors import STATUS_BY_CODE, WHEN_BY_CODE
from embed.schemas import GateRefusal, Json
from embed.serializers import write_json
from embed.web.api import endpoints as _endpoints  # noqa: F401 - registers the operations
from embed.web.api.cors import share_answers
from embed.web.api.openapi_parameters import (
    HEADERS,
    IN_PATH,
    OF_ALL,
    OF_ANSWER,
    OF_PREFLIGHT,
    ORIGIN,
    Described,
    describe_header,
    list_headers,
    list_parameters,
    refer_to_headers,
)
from embed.web.api.operations import OPERATIONS, Operation
from embed.web.api.preflights import list_permissions

DESCRIPTION = """\
Reads a tracking page, starts and finishes the submission of a wallet, and lists what a visitor \
has submitted. The holder of a wallet's key can see and withdraw what the page stores about it.

Every request carries a bearer key that belongs to one tracking page. Public keys (`svc_pub_`) are \
for browsers and work for the origins on their list only. Secret keys (`svc_sec_`) are for servers.

Every refusal is JSON with an `error` code. An unknown path is answered with `404 not_found`, and \
another method with `405 method_not_allowed`. Answers may gain fields, so ignore those that you do \
not know."""

# Structs, their schemas and examples

_STRUCTS = [one for each in OPERATIONS for one in (each.body, *each.answers.values()) if one]
_REF = "#/components/schemas/"


def _build_schemas() -> dict[str, Described]:
    types = [*_STRUCTS, GateRefusal]
    _, schemas = msgspec.json.schema_components(types, ref_template=f"{_REF}{{name}}")
    for schema in schemas.values():
        del schema["title"]  # the same as its name
        for field in schema["properties"].values():
            if field.get("anyOf") == [{"type": "string"}, {"type": "null"}]:
                del field["anyOf"]
                field["type"] = ["string", "null"]
            if field.get("default", ...) is None:
                del field["default"]  # the same as having none
    return schemas


SCHEMAS = _build_schemas()


def _refer_to(struct: type[Json]) -> Described:
    return {"$ref": f"{_REF}{struct.__name__}"}


def make_example(schema: Described) -> Any:
    """Return an example built from those of the fields."""
    if "examples" in schema:
        return schema["examples"][0]
    if "$ref" in schema:
        return make_example(SCHEMAS[schema["$ref"].removeprefix(_REF)])
    if "anyOf" in schema:
        return make_example(schema["anyOf"][0])
    if "items" in schema:
        return [make_example(one) for one in schema["items"].get("anyOf", [schema["items"]])]
    fields = schema["properties"].items()
    return {name: make_example(one) for name, one in fields if "default" not in one}


def _drop_examples(described: Any) -> Any:
    """Return schemas without examples of fields: whole bodies and answers have their own."""
    if isinstance(described, list):
        return [_drop_examples(one) for one in described]
    if isinstance(described, dict):
        return {name: _drop_examples(one) for name, one in described.items() if name != "examples"}
    return described


# Refusals

_BY_ANY_PREFLIGHT = ("invalid_host", "internal_error")
_BY_ANY = (
    *_BY_ANY_PREFLIGHT,
    "missing_key",
    "invalid_key",
    "revoked_key",
    "missing_origin",
    "origin_not_allowed",
    "rate_limit_key",
    "rate_limit_ip",
    "unavailable",
)
_BY_PLACE_OF_PAGE = {
    "path": (),
    "query": ("missing_tracking_page_id",),
    "body": ("invalid_json", "missing_fields"),
}
_DETAILS_BY_CODE = {"ca_gate_failed": SCHEMAS[GateRefusal.__name__]["properties"]}
_RETRYABLE = {429, 503}


def _describe_refusals(codes: Iterable[str], headers: Iterable[str]) -> Described:
    """Describe refusals by their status."""
    codes_by_status: dict[int, list[str]] = {}
    for code in codes:
        codes_by_status.setdefault(STATUS_BY_CODE[code], []).append(code)
    return {
        str(status): _describe_refusal(
            codes_by_status[status], *headers, *(["Retry-After"] if status in _RETRYABLE else [])
        )
        for status in sorted(codes_by_status)
    }


def _describe_refusal(codes: list[str], *headers: str) -> Described:
    fields = {"error": {"type": "string", "enum": codes}}
    examples = {}
    for code in codes:
        details = _DETAILS_BY_CODE.get(code, {})
        fields |= _drop_examples(details)
        examples[code] = {"error": code} | make_example({"properties": details})
    return _json(
        "\n".join(f"- `{code}`: {WHEN_BY_CODE[code]}" for code in codes),
        {"type": "object", "required": list(fields), "properties": fields},
        examples,
        headers,
    )


def _json(
    description: str, schema: Described, examples: Described, headers: Iterable[str]
) -> Described:
    """Describe an answer; `examples` maps names to values."""
    named = {name: {"value": value} for name, value in examples.items()}
    return {
        "description": description,
        "headers": refer_to_headers(*headers),
        "content": {"application/json": {"schema": schema, "examples": named}},
    }


# Operations


def _describe_operation(operation: Operation) -> Described:
    summary, *more = inspect.cleandoc(operation.view.__doc__ or "").split("\n\n")
    described: Described = {
        "operationId": _name(operation),
        "summary": summary.removesuffix("."),
        "description": "\n\n".join(one.replace("\n", " ") for one in more),
        "parameters": list_parameters(operation),
    }
    if operation.body:
        schema = _refer_to(operation.body)
        described["requestBody"] = {
            "required": True,
            "description": "At most 16 KiB. Unknown fields are ignored.",
            "content": {"application/json": {"schema": schema, "example": make_example(schema)}},
        }
    answers = {
        str(status): _describe_answer(operation, answer)
        for status, answer in operation.answers.items()
    }
    codes = (*_BY_ANY, *_BY_PLACE_OF_PAGE[operation.page_place], *operation.refusals)
    return described | {"responses": answers | _describe_refusals(codes, OF_ANSWER)}


def _name(operation: Operation) -> str:
    return _write_camel(operation.view.__name__)


def _write_camel(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def _describe_answer(operation: Operation, answer: type[Json] | None) -> Described:
    headers = list_headers(operation)
    if answer is None:
        description = "Only at `/embed/api`: the client has the present payload."
        return {"description": description, "headers": refer_to_headers(*headers)}
    schema = _refer_to(answer)
    description = SCHEMAS[answer.__name__]["description"]
    described = _json(description, schema, {answer.__name__: make_example(schema)}, headers)
    links = {
        name: _describe_link(operation, target, when)
        for name, (target, when) in operation.links.items()
    }
    return described | ({"links": links} if links else {})


def _describe_link(operation: Operation, target_name: str, when: str) -> Described:
    """Describe the next step, whose values come from the answer or else from the request."""
    (target,) = (one for one in OPERATIONS if _name(one) == target_name)
    (answer,) = operation.answers.values()
    sources = {
        name: f"${source}.body#/{name}"
        for source, struct in (("request", operation.body), ("response", answer))
        for name in (SCHEMAS[struct.__name__]["required"] if struct else ())
    }
    described = {"operationId": target_name, "description": when}
    if target.body is None:
        return described | {"parameters": {"trackingPageId": sources["trackingPageId"]}}
    wanted = SCHEMAS[target.body.__name__]["properties"]
    return described | {
        "requestBody": {name: source for name, source in sources.items() if name in wanted}
    }


def _describe_preflight(operation: Operation) -> Described:
    noun = operation.view.__name__.partition("_")[2]
    codes: tuple[str, ...] = _BY_ANY_PREFLIGHT
    if operation.page_place == "path":  # only then does it look up the page's keys
        codes += ("origin_not_allowed", "unavailable")
    fixed = {
        name: describe_header("Always the same.", required=True, const=value)
        for name, value in list_permissions(operation.method).items()
    }
    return {
        "operationId": _write_camel(f"preflight_{noun}"),
        "summary": "Answer a browser's preflight",
        "security": [],
        "parameters": [ORIGIN],
        "responses": {
            "204": {
                "description": "The browser may send the request.",
                "headers": refer_to_headers(*OF_PREFLIGHT) | fixed,
            },
            **_describe_refusals(codes, OF_ALL),
        },
    }


def _describe_path(operation: Operation) -> Described:
    described = {
        operation.method.lower(): _describe_operation(operation),
        "options": _describe_preflight(operation),
    }
    in_path = [parameter for place, parameter in IN_PATH.items() if place in operation.path]
    return ({"parameters": in_path} if in_path else {}) | described


def _write_path(operation: Operation) -> str:
    path = operation.path
    for place, parameter in IN_PATH.items():
        path = path.replace(place, f"{{{parameter['name']}}}")
    return path


def build_document() -> Described:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tracking embed", "version": __version__, "description": DESCRIPTION},
        "servers": [
            {
                "url": "/api/embed",
                "description": "For servers. Browsers do not send the session cookie here.",
            },
            {
                "url": "/embed/api",
                "description": "The same for browsers, which send the session cookie here.",
            },
        ],
        "security": [{"bearerKey": []}],
        "paths": {_write_path(one): _describe_path(one) for one in OPERATIONS},
        "components": {
            "securitySchemes": {
                "bearerKey": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The key of a tracking page, public or secret. Preflights "
                    "need none.",
                }
            },
            "schemas": _drop_examples(SCHEMAS),
            "headers": HEADERS,
            # For no single operation: wrong methods, and requests that Werkzeug itself refuses.
            "responses": {
                "MethodNotAllowed": _describe_refusal(["method_not_allowed"], *OF_ANSWER, "Allow"),
                "BadRequest": _describe_refusal(["bad_request"], *OF_ANSWER),
            },
        },
    }


# A blueprint of its own: the document is public, so it needs no key.
blueprint = Blueprint("openapi", __name__)
share_answers(blueprint)
_DOCUMENT = write_json(build_document(), is_compact=True)


@blueprint.get("/openapi.json")
def read_openapi_document() -> Response:
    """Return the OpenAPI document, to anyone."""
    return Response(_DOCUMENT, content_type="application/json")
