"""Compares the OpenAPI document with what the service has and does; each returns differences."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from flask import Flask
from openapi_schema_validator import OAS31Validator

from embed.serializers import write_json
from embed.web.api.openapi import build_document

DOCUMENT_PATH = "/api/embed/openapi.json"
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
# What HTTP itself adds, what `content` describes, and what guards every answer of the service.
OTHER_HEADERS = {"Content-Type", "Content-Length", "Content-Encoding", "Date"} | {
    "Content-Security-Policy",
    "X-Content-Type-Options",
    "Cross-Origin-Resource-Policy",
}


@dataclass(frozen=True)
class Answer:
    """An answer of the service to a call of one operation."""

    operation: str
    status: int
    headers: dict[str, str]
    body: Any  # None: empty

    @property
    def code(self) -> str | None:
        return self.body["error"] if self.status >= 400 else None


def list_operations(document: dict) -> dict[str, tuple[str, str, dict]]:
    """Return method, path and description of each operation by its id."""
    return {
        described["operationId"]: (method.upper(), path, described)
        for path, item in document["paths"].items()
        for method, described in item.items()
        if method in METHODS
    }


DOCUMENT = json.loads(write_json(build_document()))
OPERATIONS = list_operations(DOCUMENT)


def compare_routes(document: dict, app: Flask) -> set[tuple[str, str]]:
    """Return (method, path) of every route that only one of the two sides has."""
    described = {
        (method, server["url"] + re.sub(r"{[^}]+}", "{}", path))
        for server in document["servers"]
        for method, path, _ in list_operations(document).values()
    }
    served = {
        (method, re.sub(r"<[^>]+>", "{}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD"}  # Flask answers it wherever there is a GET
        if rule.rule.startswith(("/api", "/embed/api")) and rule.rule != DOCUMENT_PATH
    }
    return described ^ served


def list_codes(operation: dict) -> set[tuple[int, str]]:
    """Return the status and code of every refusal that an operation describes."""
    return {
        (int(status), code)
        for status, response in operation["responses"].items()
        if int(status) >= 400
        for code in read_codes(response)
    }


def read_codes(response: dict) -> list[str]:
    return response["content"]["application/json"]["schema"]["properties"]["error"]["enum"]


def list_undescribed(document: dict, answers: Iterable[Answer]) -> set[str]:
    """Return what answers have and the document has not."""
    operations = list_operations(document)
    return {
        f"{answer.operation}: {problem}"
        for answer in answers
        for problem in check_answer(
            document, operations[answer.operation][2]["responses"].get(str(answer.status)), answer
        )
    }


def check_answer(document: dict, response: dict | None, answer: Answer) -> Iterable[str]:
    """Yield the differences between an answer and the description of it."""
    if response is None:
        yield f"no status {answer.status}"
        return
    yield from _check_headers(document, response.get("headers", {}), answer)
    if "content" not in response:
        if answer.body is not None:
            yield f"{answer.status} has a body"
        return
    if answer.headers["Content-Type"] not in response["content"]:
        yield f"{answer.status} is {answer.headers['Content-Type']}"
    schema = response["content"]["application/json"]["schema"]
    for error in find_mistakes(document, schema, answer.body, is_closed=True):
        yield f"{answer.status} {error}"


def _check_headers(document: dict, headers: dict[str, dict], answer: Answer) -> Iterable[str]:
    for name in answer.headers.keys() - headers.keys() - OTHER_HEADERS:
        yield f"{answer.status} no header {name}"
    for name, reference in headers.items():
        header = resolve(document, reference)
        if name not in answer.headers:
            if header["required"]:
                yield f"{answer.status} lacks header {name}"
            continue
        raw = answer.headers[name]
        value = int(raw) if header["schema"]["type"] == "integer" else raw
        for error in find_mistakes(document, header["schema"], value):
            yield f"{answer.status} header {name}: {error}"


def list_unseen(document: dict, answers: Iterable[Answer]) -> set[str]:
    """Return the statuses, codes and headers that the document describes and no answer has."""
    return _list_features(document) - {
        f"{answer.operation} {answer.status} {feature}"
        for answer in answers
        for feature in ("", answer.code, *answer.headers)
    }


def _list_features(document: dict) -> set[str]:
    return {
        f"{name} {status} {feature}"
        for name, (_, _, operation) in list_operations(document).items()
        for status, response in operation["responses"].items()
        for feature in (
            "",
            *response.get("headers", ()),
            *(read_codes(response) if int(status) >= 400 else ()),
        )
    }


def resolve(document: dict, described: dict) -> dict:
    """Return what a reference refers to, or `described` itself."""
    if "$ref" not in described:
        return described
    found = document
    for name in described["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return found


def find_mistakes(document: dict, schema: dict, value: object, *, is_closed=False) -> list[str]:
    """Return what makes a value invalid; `is_closed`: objects have exactly the described fields.

    The document itself is open, since answers may gain fields.
    """
    components = document["components"]["schemas"]
    whole = schema | {"components": {"schemas": components}}
    validator = OAS31Validator(
        close_objects(whole) if is_closed else whole, format_checker=OAS31Validator.FORMAT_CHECKER
    )
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


# A page has them where something is known, or where it is not as usual.
ABSENT_IF_UNKNOWN = {"supply", "sums", "countedShare", "balanceKnown", "counted"}
OF_THE_CHAIN = {"belowMinimum"}  # tests/balances/test_gate.py has it


def close_objects(schema: Any) -> Any:
    """Return a copy in which every object has exactly the fields that are described.

    Those of ABSENT_IF_UNKNOWN it may have.
    """
    if isinstance(schema, list):
        return [close_objects(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: close_objects(one) for name, one in schema.items()}
    if isinstance(properties := closed.get("properties"), dict) and closed.get("type") == "object":
        wanted = [name for name in properties if name not in ABSENT_IF_UNKNOWN | OF_THE_CHAIN]
        closed |= {"additionalProperties": False, "required": wanted}
    return closed
