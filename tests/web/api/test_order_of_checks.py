"""The order of the checks (design: life of a request): the first that fails answers.

For every step there is a fault. A request with the faults of a step and of all steps after it
has to get that step's code, so no two neighbours can change places unseen.
"""

import pytest
from refusal_cases import ENDPOINTS, FAULTS, SETTINGS, begin
from support.world import code_of
from test_openapi import check_answer


@pytest.mark.parametrize(
    ("endpoint", "first"),
    [(endpoint, fault) for endpoint, (*_, steps) in ENDPOINTS.items() for fault in steps],
)
def test_endpoint_answers_with_the_first_step_that_fails(world_with, endpoint, first):
    attempt = begin(world_with(**SETTINGS), endpoint)
    steps = ENDPOINTS[endpoint][-1]

    for fault in reversed(list(steps)[list(steps).index(first) :]):
        FAULTS[fault](attempt)

    answer = attempt.send()
    assert code_of(answer) == steps[first]
    check_answer(endpoint, answer)
