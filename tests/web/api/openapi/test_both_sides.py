"""The document and the service say the same: nothing is missing on either side."""

import pytest
from contract import (
    DOCUMENT,
    OPERATIONS,
    check_answer,
    compare_routes,
    list_codes,
    list_undescribed,
    list_unseen,
    read_codes,
)
from support.promised_errors import ENDPOINTS, ROWS

from embed.errors import OWN_STATUS_BY_CODE, STATUS_BY_CODE

pytestmark = pytest.mark.slow

ELSEWHERE = DOCUMENT["components"]["responses"]  # for no operation in particular
# The names that promised_errors.py has for the endpoints, in its order.
ENDPOINT_BY_OPERATION = dict(
    zip(
        ("readTrackingPage", "createNonce", "createSubmission", "listSessionSubmissions"),
        ENDPOINTS,
        strict=True,
    )
)
OF_OTHERS = ("invalid_action", "secret_key_required", "wallet_not_found", "chain_disabled")


# Routes


def test_document_has_every_route_and_no_other(world):
    assert compare_routes(DOCUMENT, world.app) == set()


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
def test_endpoint_has_the_codes_that_callers_were_promised(operation):
    endpoint = ENDPOINT_BY_OPERATION[operation]
    elsewhere = {code for one in ELSEWHERE.values() for code in read_codes(one)}

    promised = {(row.status, row.code) for row in ROWS if endpoint in row.endpoints}
    own = {(status, code) for code, status in OWN_STATUS_BY_CODE.items() if code not in elsewhere}
    if operation != "createSubmission":  # nothing else asks for a balance or a deny list
        own -= {(503, "balance_unavailable"), (403, "not_accepted")}
    if operation == "createNonce":  # its optional nickname is our addition
        own |= {(400, "invalid_nickname_length"), (400, "invalid_nickname_chars")}
    # Of endpoints that promised_errors.py does not have:
    own -= {(OWN_STATUS_BY_CODE[code], code) for code in OF_OTHERS}
    assert list_codes(OPERATIONS[operation][2]) == promised | own


# Answers


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


def test_answers_have_every_status_of_a_submission(answers):
    listed = [one for answer in answers for one in (answer.body or {}).get("submissions", ())]

    described = DOCUMENT["components"]["schemas"]["Submission"]["properties"]["status"]
    assert {one["status"] for one in listed} == set(described["enum"])
