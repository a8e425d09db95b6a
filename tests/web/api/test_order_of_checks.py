"""The order of the checks (design: life of a request): the first that fails answers.

For every step there is a fault. A request with the faults of a step and of all steps after it
has to get that step's code, so no two neighbours can change places unseen.
"""

import pytest
from support.refusal_cases import (
    LIST,
    NONCE,
    READ,
    RECORD_NONCE,
    RECORDS,
    REFRESH,
    SETTINGS,
    SUBMIT,
    Attempt,
)
from support.world import code_of


def each_step(steps):
    return pytest.mark.parametrize(
        "position", range(len(steps)), ids=[fault.__name__ for _, fault in steps]
    )


def check_step(attempt, steps, position) -> None:
    for _, fault in reversed(steps[position:]):
        fault(attempt)

    assert code_of(attempt.send()) == steps[position][0]


@pytest.fixture
def environ(environ):
    return environ | SETTINGS


@each_step(READ)
def test_tracking_read_answers_with_the_first_step_that_fails(world, position):
    attempt = Attempt(world, "GET", f"/api/embed/tracking/{world.page_id}")

    check_step(attempt, READ, position)


@each_step(NONCE)
def test_nonce_endpoint_answers_with_the_first_step_that_fails(world, position):
    attempt = Attempt(world, "POST", "/api/embed/siws/nonce")
    attempt.body = {"trackingPageId": world.page_id, "walletAddress": attempt.visitor.address}

    check_step(attempt, NONCE, position)


@each_step(LIST)
def test_session_list_answers_with_the_first_step_that_fails(world, position):
    attempt = Attempt(world, "GET", "/api/embed/session/submissions")
    attempt.query["trackingPageId"] = world.page_id

    check_step(attempt, LIST, position)


@each_step(SUBMIT)
def test_submission_answers_with_the_first_step_that_fails(world, position):
    attempt = Attempt(world, "POST", "/api/embed/submissions")
    attempt.prepare_draft()

    check_step(attempt, SUBMIT, position)


@each_step(RECORD_NONCE)
def test_nonce_endpoint_of_records_answers_with_the_first_step_that_fails(world, position):
    attempt = Attempt(world, "POST", "/api/embed/wallet-records/nonce")
    attempt.prepare_record_nonce()

    check_step(attempt, RECORD_NONCE, position)


@pytest.mark.parametrize(
    ("action", "path"), [("show", "wallet-records"), ("withdraw", "wallet-records/withdraw")]
)
@each_step(RECORDS)
def test_request_for_records_answers_with_the_first_step_that_fails(world, position, action, path):
    attempt = Attempt(world, "POST", f"/api/embed/{path}")
    attempt.prepare_records(action)

    check_step(attempt, RECORDS, position)


@each_step(REFRESH)
def test_refresh_answers_with_the_first_step_that_fails(world, position):
    attempt = Attempt(world, "POST", "/api/embed/refresh")
    attempt.prepare_refresh()

    check_step(attempt, REFRESH, position)
