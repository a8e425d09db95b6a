"""Each comparison of document and service finds what is wrong in a document."""

from copy import deepcopy

import pytest
from contract import DOCUMENT, compare_routes, list_undescribed, list_unseen, resolve

pytestmark = pytest.mark.slow


@pytest.fixture
def document() -> dict:
    """A copy of the document, to be made wrong."""
    return deepcopy(DOCUMENT)


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
