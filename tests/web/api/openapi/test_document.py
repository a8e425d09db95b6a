"""The OpenAPI document itself: valid, public, and in agreement with code and docs."""

import re
import tomllib
from decimal import Decimal
from typing import get_args

import pytest
from contract import (
    ABSENT_IF_UNKNOWN,
    DOCUMENT,
    DOCUMENT_PATH,
    OPERATIONS,
    find_mistakes,
    read_codes,
)
from openapi_spec_validator import OpenAPIV31SpecValidator
from support.world import SITE, Visitor, read_exactly

from embed.domain.amounts import Holding, add_up
from embed.domain.policy import REJECT_REASON_BY_CODE, Decision
from embed.domain.reasons import CODES
from embed.domain.wallet_signatures import verify_signature
from embed.serializers import describe_sums, write_json
from embed.settings import PROJECT_DIR
from embed.web.dashboard.activity import STACK

pytestmark = pytest.mark.slow

SCHEMAS = DOCUMENT["components"]["schemas"]


def test_document_is_valid_openapi():
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_version_is_the_projects():
    with (PROJECT_DIR / "pyproject.toml").open("rb") as file:
        assert DOCUMENT["info"]["version"] == tomllib.load(file)["project"]["version"]


def test_links_lead_to_operations():
    links = [
        link
        for *_, operation in OPERATIONS.values()
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    ]

    assert {link["operationId"] for link in links} == {
        "createSubmission",
        "listSessionSubmissions",
        "showWalletRecords",
        "withdrawWallet",
    }
    assert {link["operationId"] for link in links} <= set(OPERATIONS)


def test_enumerations_are_those_of_the_code():
    submission = SCHEMAS["Submission"]["properties"]
    reasons = set(submission["rejectReason"]["enum"])

    assert set(SCHEMAS["NewSubmission"]["properties"]["status"]["enum"]) == set(get_args(Decision))
    assert set(submission["status"]["enum"]) == set(STACK)
    assert reasons == {None, "manual", *REJECT_REASON_BY_CODE.values()}
    assert set(submission["reasonCode"]["enum"]) == {None, *CODES}


def test_document_knows_no_people():
    """Keys open the API: who signs in to the dashboard, and as what, is nothing of it."""
    names = {name for schema in SCHEMAS.values() for name in schema.get("properties", {})}

    assert "walletAddress" in names
    assert not re.findall("person|people|member|role|owner|email|passkey", " ".join(names).lower())


# How it is served


def test_anybody_may_read_the_document(world):
    answer = world.call("GET", DOCUMENT_PATH, headers={"Authorization": None})

    assert (answer.status_code, answer.content_type) == (200, "application/json")
    assert answer.json == DOCUMENT
    assert answer.headers["Access-Control-Allow-Origin"] == SITE


# Examples


def list_media_types() -> dict[str, dict]:
    """Return every media type of requests and responses by its place."""
    found = {}
    for name, (_, _, operation) in OPERATIONS.items():
        if "requestBody" in operation:
            found[f"{name} request"] = operation["requestBody"]["content"]["application/json"]
        for status, response in operation["responses"].items():
            if "content" in response:
                found[f"{name} {status}"] = response["content"]["application/json"]
    for name, response in DOCUMENT["components"]["responses"].items():
        found[name] = response["content"]["application/json"]
    return found


def list_examples(media_type: dict) -> list:
    if "example" in media_type:
        return [media_type["example"]]
    return [one["value"] for one in media_type["examples"].values()]


MEDIA_TYPES = list_media_types()


@pytest.mark.parametrize("place", MEDIA_TYPES)
def test_examples_are_complete_and_valid(place):
    media_type = MEDIA_TYPES[place]

    examples = list_examples(media_type)

    assert examples
    for example in examples:
        assert find_mistakes(DOCUMENT, media_type["schema"], example, is_closed=True) == []
        assert find_mistakes(DOCUMENT, media_type["schema"], []) != []


def test_every_code_has_an_example():
    responses = [
        response
        for *_, operation in OPERATIONS.values()
        for status, response in operation["responses"].items()
        if int(status) >= 400
    ]

    for response in [*responses, *DOCUMENT["components"]["responses"].values()]:
        examples = list_examples(response["content"]["application/json"])
        assert [example["error"] for example in examples] == read_codes(response)


@pytest.mark.parametrize(
    ("first", "second"),
    [("createNonce", "createSubmission"), ("createRecordNonce", "showWalletRecords")],
)
def test_signature_of_the_example_fits_its_message(first, second):
    (nonce,) = list_examples(MEDIA_TYPES[f"{first} 200"])
    (submission,) = list_examples(MEDIA_TYPES[f"{second} request"])

    assert nonce["nonceId"] == submission["nonceId"]
    verify_signature(
        submission["walletAddress"], nonce["message"], submission["signature"], host=""
    )


def test_page_of_which_all_is_known_is_as_described(world):
    """The fields that real_answers.py has no answer for."""
    world.add_tag("pool", is_counted=False)
    world.track(Visitor().address, balance=5, tag_names=["pool"])
    world.track(Visitor().address)
    page = read_exactly(world.read())
    page |= describe_sums(add_up([Holding(Decimal(1), True)], Decimal(3)), Decimal(3))

    schema = {"$ref": "#/components/schemas/TrackingPage"}
    assert find_mistakes(DOCUMENT, schema, page, is_closed=True) == []
    assert all(f'"{name}":' in write_json(page).decode() for name in ABSENT_IF_UNKNOWN)
