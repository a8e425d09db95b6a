"""docs/openapi.json says what the service has and does, and nothing else."""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from real_answers import succeed
from refusal_cases import ENDPOINTS, begin
from support.fake_chain import FakeChain
from support.world import SITE

from embed import schemas
from embed.domain.nonces import ACTIONS
from embed.domain.policy import REJECT_REASON_BY_CODE, Decision
from embed.domain.reasons import CODES, MAX_LENGTH
from embed.errors import STATUS_BY_CODE
from embed.settings import PROJECT_DIR
from embed.web.api.endpoints import OPENAPI_FILE
from embed.web.dashboard.activity import STACK

PATH = "/api/embed/openapi.json"
ROOTS = ("/api/embed", "/embed/api")
DOCUMENT = json.loads(OPENAPI_FILE.read_text())
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
# Any endpoint can answer with these; the next two are of no endpoint.
CODES_OF_ALL = {"invalid_host", "origin_not_allowed", "internal_error", "unavailable"}
CODES_OF_NONE = {"method_not_allowed", "bad_request"}


def resolve(described: dict) -> dict:
    """Return what a reference refers to; what stands beside the reference overrides it."""
    if "$ref" not in described:
        return described
    found = DOCUMENT
    for name in described["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return found | {name: value for name, value in described.items() if name != "$ref"}


def list_codes(operation: dict) -> set[tuple[int, str]]:
    """Return the status and code of every refusal of an operation."""
    return {
        (int(status), code)
        for status, response in operation["responses"].items()
        if int(status) >= 400
        for code in re.findall(r"`(\w+)`", resolve(response)["description"])
    }


def find_mistakes(schema: dict, value: object) -> list[str]:
    """Return what makes a value invalid, including fields that the document doesn't have."""
    closed = close(schema | {"components": {"schemas": SCHEMAS}})
    validator = OAS31Validator(closed, format_checker=OAS31Validator.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


def close(schema: Any) -> Any:
    """Return a copy in which no object has other fields than those described."""
    if isinstance(schema, list):
        return [close(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: close(one) for name, one in flatten(schema).items()}
    is_object = closed.get("type") == "object"
    return closed | ({"additionalProperties": False} if is_object else {})


def flatten(schema: dict) -> dict:
    """Return one object for a schema that extends another."""
    if "allOf" not in schema:
        return schema
    parts = [resolve(part) for part in schema["allOf"]]
    return {
        "type": "object",
        "required": [name for part in parts for name in part.get("required", ())],
        "properties": {name: one for part in parts for name, one in part["properties"].items()},
    }


# The document itself


def test_document_is_valid_openapi():
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_anybody_may_read_the_file(world):
    answer = world.call("GET", PATH, headers={"Authorization": None})

    assert (answer.status_code, answer.content_type) == (200, "application/json")
    assert answer.data == OPENAPI_FILE.read_bytes()
    assert answer.headers["Access-Control-Allow-Origin"] == SITE


def test_version_is_the_projects():
    with (PROJECT_DIR / "pyproject.toml").open("rb") as file:
        assert DOCUMENT["info"]["version"] == tomllib.load(file)["project"]["version"]


# Routes, Structs and codes


def test_document_has_every_route_and_no_other(app):
    described = {
        (method, server["url"] + re.sub(r"{\w+}", "{}", path))
        for server in DOCUMENT["servers"]
        for method, path, _ in OPERATIONS.values()
    }
    served = {
        (method, re.sub(r"<\w+>", "{}", rule.rule))
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith(ROOTS) and rule.rule != PATH
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }

    assert described == served


STRUCTS = [
    struct
    for struct in vars(schemas).values()
    if isinstance(struct, type) and issubclass(struct, schemas.Json)
    if struct not in (schemas.Json, schemas.WalletRequest)
]


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_schema_has_the_fields_of_its_struct(struct):
    _, made = msgspec.json.schema_components([struct], ref_template="#/components/schemas/{name}")
    expected, described = made[struct.__name__], flatten(SCHEMAS[struct.__name__])

    assert described["properties"].keys() == expected["properties"].keys()
    assert set(described.get("required", ())) == set(expected["required"])
    for name, field in expected["properties"].items():
        assert list_types(described["properties"][name]) == list_types(field), name


def list_types(schema: dict) -> set[str]:
    """Return the types that a schema allows, and the names of objects."""
    if "anyOf" in schema:
        return {kind for one in schema["anyOf"] for kind in list_types(one)}
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        is_object = name in {struct.__name__ for struct in STRUCTS}
        return {name} if is_object else list_types(SCHEMAS[name])
    if "items" in schema:
        return {f"{kind}[]" for kind in list_types(schema["items"])}
    kinds = schema.get("type", "number")  # a Struct's Raw has no type: it's an exact number
    return {kinds} if isinstance(kinds, str) else set(kinds)


def test_enumerations_are_those_of_the_code():
    new, own = SCHEMAS["NewSubmission"]["properties"], SCHEMAS["Submission"]["properties"]

    assert set(new["status"]["enum"]) == set(get_args(Decision))
    assert set(own["status"]["enum"]) == set(STACK)
    assert set(SCHEMAS["RejectReason"]["enum"]) == {"manual", *REJECT_REASON_BY_CODE.values()}
    assert set(SCHEMAS["ReasonCode"]["enum"]) == set(CODES)
    recorded = flatten(SCHEMAS["RecordedSubmission"])["properties"]
    assert recorded["reasonText"]["maxLength"] == MAX_LENGTH
    assert SCHEMAS["RecordNonceRequest"]["properties"]["action"]["enum"] == list(ACTIONS)


def test_document_has_every_code_with_its_status():
    described = {pair for _, _, operation in OPERATIONS.values() for pair in list_codes(operation)}

    assert described == {
        (status, code) for code, status in STATUS_BY_CODE.items() if code not in CODES_OF_NONE
    }
    assert set(SCHEMAS["ErrorCode"]["enum"]) == set(STATUS_BY_CODE)
    assert set(SCHEMAS["ErrorCode"]["x-enumDescriptions"]) == set(STATUS_BY_CODE)
    assert all(
        f"`{STATUS_BY_CODE[code]} {code}`" in DOCUMENT["info"]["description"]
        for code in CODES_OF_NONE
    )


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_has_the_codes_of_its_checks(name):
    checks = set(ENDPOINTS[name][-1].values())

    assert {code for _, code in list_codes(OPERATIONS[name][2])} == checks | CODES_OF_ALL


# Examples


def list_media_types() -> Iterator[tuple[str, dict]]:
    for name, (_, _, operation) in OPERATIONS.items():
        bodies = {"request": operation.get("requestBody", {})} | operation["responses"]
        for place, body in bodies.items():
            for media_type in body.get("content", {}).values():
                yield f"{name} {place}", media_type


MEDIA_TYPES = dict(list_media_types())


@pytest.mark.parametrize("place", MEDIA_TYPES)
def test_example_is_valid(place):
    media_type = MEDIA_TYPES[place]

    assert find_mistakes(media_type["schema"], media_type["example"]) == []
    assert find_mistakes(media_type["schema"], media_type["example"] | {"more": 1}) != []


# Real answers


def check_answer(name: str, answer) -> None:
    """Compare an answer with the description of its operation."""
    response = resolve(OPERATIONS[name][2]["responses"][str(answer.status_code)])
    for header, described in response.get("headers", {}).items():
        value = answer.headers.get(header)
        schema = resolve(described)["schema"]
        if value is not None or resolve(described).get("required"):
            assert find_mistakes(schema, int(value) if schema["type"] == "integer" else value) == []
    if "content" not in response:
        assert answer.data == b""
        return
    schema = response["content"][answer.content_type]["schema"]
    assert find_mistakes(schema, answer.json) == []


def find_operation(answer) -> str:
    path = re.sub("/embed/api|/api/embed", "", answer.request.path)
    (name,) = (
        name
        for name, (method, template, _) in OPERATIONS.items()
        if method == answer.request.method
        and re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), path)
    )
    return name


@pytest.mark.parametrize("chain", [FakeChain()])
def test_successes_are_as_described_and_have_every_field(world, chain):
    answers = [
        (find_operation(answer), answer) for world.root in ROOTS for answer in succeed(world, chain)
    ]

    described = {
        (name, int(status))
        for name, (_, _, operation) in OPERATIONS.items()
        for status in operation["responses"]
        if int(status) < 400
    }
    assert {(name, answer.status_code) for name, answer in answers} == described
    for name, answer in answers:
        check_answer(name, answer)
    seen = {field for _, answer in answers for field in re.findall(r'"(\w+)":', answer.text)}
    of_answers = {name: one for name, one in SCHEMAS.items() if not name.endswith("Request")}
    wanted = {field for one in of_answers.values() for field in flatten(one).get("properties", ())}
    assert wanted - seen == {"error"}


@pytest.mark.parametrize(
    "name", [name for name, (*_, one) in OPERATIONS.items() if "requestBody" in one]
)
@pytest.mark.parametrize("chain", [FakeChain()])
def test_request_with_the_fields_of_the_example_succeeds(world, name):
    attempt = begin(world, name)
    example = MEDIA_TYPES[f"{name} request"]["example"]
    attempt.body = {field: attempt.body.get(field) for field in example}

    answer = attempt.send()

    assert answer.status_code < 300
    check_answer(name, answer)
