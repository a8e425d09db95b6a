"""The document and the service say the same: nothing is missing on either side.

Each comparison is also tried with a document that was made wrong.
"""

import json
import shutil
from copy import deepcopy

import pytest
from contract import (
    Answer,
    check_answer,
    compare_routes,
    list_codes,
    list_operations,
    list_undescribed,
    list_unseen,
    read_codes,
    resolve,
)
from real_answers import answer_elsewhere, make_world, refuse, refuse_without_database, succeed
from spec_errors import ENDPOINTS, ROWS
from world import one_database

from embed.errors import OWN_STATUS_BY_CODE, STATUS_BY_CODE
from embed.serializers import write_json
from embed.web.api.openapi import build_document

DOCUMENT = json.loads(write_json(build_document()))
OPERATIONS = list_operations(DOCUMENT)
ELSEWHERE = DOCUMENT["components"]["responses"]  # for no operation in particular
# The spec's names of the endpoints, in its order.
ENDPOINT_BY_OPERATION = dict(
    zip(
        ("readTrackingPage", "createNonce", "createSubmission", "listSessionSubmissions"),
        ENDPOINTS,
        strict=True,
    )
)


@pytest.fixture
def document() -> dict:
    """A copy of the document, to be made wrong."""
    return deepcopy(DOCUMENT)


# Routes


@one_database
def test_document_has_every_route_and_no_other(world):
    assert compare_routes(DOCUMENT, world.app) == set()


@one_database
@pytest.mark.parametrize(
    "falsify",
    [
        lambda document: document["paths"].pop("/submissions"),
        lambda document: document["paths"]["/submissions"].pop("options"),
        lambda document: document["servers"].pop(),
        lambda document: document["paths"].update({"/more": {"get": {"operationId": "more"}}}),
    ],
    ids=["path less", "method less", "address less", "path more"],
)
def test_difference_of_routes_is_found(world, document, falsify):
    falsify(document)

    assert compare_routes(document, world.app) != set()


# Codes


def test_document_has_every_code_and_no_other():
    described = [code for *_, operation in OPERATIONS.values() for code in list_codes(operation)]
    elsewhere = [code for one in ELSEWHERE.values() for code in read_codes(one)]

    assert {code for _, code in described}.isdisjoint(elsewhere)
    assert {code for _, code in described} | set(elsewhere) == set(STATUS_BY_CODE)
    assert {code: STATUS_BY_CODE[code] for _, code in described} == {
        code: status for status, code in described
    }


@pytest.mark.parametrize("operation", ENDPOINT_BY_OPERATION)
def test_endpoint_has_the_codes_of_the_spec(operation):
    endpoint = ENDPOINT_BY_OPERATION[operation]
    elsewhere = {code for one in ELSEWHERE.values() for code in read_codes(one)}

    of_the_spec = {(row.status, row.code) for row in ROWS if endpoint in row.endpoints}
    own = {(status, code) for code, status in OWN_STATUS_BY_CODE.items() if code not in elsewhere}
    assert list_codes(OPERATIONS[operation][2]) == of_the_spec | own


# Answers


@pytest.fixture(scope="module")
def database(memory_dir, sqlite_template) -> str:
    return f"sqlite:///{shutil.copy(sqlite_template, memory_dir / 'both-sides.db')}"


@pytest.fixture(scope="module")
def answers_elsewhere(database) -> dict[str, Answer]:
    return answer_elsewhere(database)


@pytest.fixture(scope="module")
def answers(database, tmp_path_factory) -> list[Answer]:
    """Real answers: all successes at both addresses, and every refusal."""
    found = []
    for root in ("/api/embed", "/embed/api"):
        with make_world(database) as world:
            world.root = root
            found += succeed(world)
    found += refuse(database, OPERATIONS)
    found += refuse_without_database(str(tmp_path_factory.mktemp("folder")), OPERATIONS)
    return found


def test_document_describes_every_answer(answers):
    assert list_undescribed(DOCUMENT, answers) == set()


@pytest.mark.parametrize("name", ELSEWHERE)
def test_answer_for_no_operation_in_particular_is_as_described(name, answers_elsewhere):
    answer = answers_elsewhere[name]

    assert list(check_answer(DOCUMENT, ELSEWHERE[name], answer)) == []
    assert set(ELSEWHERE[name]["headers"]) <= set(answer.headers)
    assert read_codes(ELSEWHERE[name]) == [answer.code]
    assert answer.status == STATUS_BY_CODE[answer.code]


def test_everything_in_the_document_is_answered_somewhere(answers):
    assert list_unseen(DOCUMENT, answers) == set()


def edit(*path: str):
    """Return a function that goes down a document, through references."""

    def find(document: dict) -> dict:
        found = document["paths"]
        for name in path:
            found = resolve(document, found[name])
        return found

    return find


SUBMIT_RESPONSES = edit("/submissions", "post", "responses")
ERRORS = edit(
    *("/submissions", "post", "responses", "400", "content"),
    *("application/json", "schema", "properties", "error"),
)
HEADERS = edit("/submissions", "post", "responses", "429", "headers")
WALLET = edit(
    *("/tracking/{trackingPageId}", "get", "responses", "200", "content", "application/json"),
    *("schema", "properties", "wallets", "items", "properties"),
)
GATE = edit(
    *("/submissions", "post", "responses", "422", "content"),
    *("application/json", "schema", "properties"),
)


@pytest.mark.parametrize(
    "falsify",
    [
        lambda document: SUBMIT_RESPONSES(document).pop("409"),
        lambda document: ERRORS(document)["enum"].remove("invalid_nonce"),
        lambda document: HEADERS(document).pop("Retry-After"),
        lambda document: HEADERS(document).update({"X": {"required": True, "schema": {}}}),
        lambda document: WALLET(document).pop("publicAlias"),
        lambda document: WALLET(document).update({"more": {}}),
        lambda document: WALLET(document).update({"publicAlias": {"type": "string"}}),
        lambda document: GATE(document).pop("minBalance"),
    ],
    ids=[
        "status less",
        "code less",
        "header less",
        "header more",
        "field less",
        "field more",
        "never null",
        "detail less",
    ],
)
def test_answer_that_is_not_described_is_found(answers, document, falsify):
    falsify(document)

    assert list_undescribed(document, answers) != set()


@pytest.mark.parametrize(
    "falsify",
    [
        lambda document: SUBMIT_RESPONSES(document).update({"202": {}}),
        lambda document: ERRORS(document)["enum"].append("not_found"),
        lambda document: HEADERS(document).update({"X": {"required": False, "schema": {}}}),
    ],
    ids=["status more", "code more", "header more"],
)
def test_description_without_an_answer_is_found(answers, document, falsify):
    falsify(document)

    assert list_unseen(document, answers) != set()
