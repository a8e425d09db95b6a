import json

import pytest

from embed.domain.amounts import parse_amount, simplify_amount
from embed.errors import InvalidInput


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(0, id="nothing"),
        pytest.param(0.000000001, id="one unit of a token with nine decimals"),
        pytest.param(1500, id="whole number"),
        pytest.param(2**64 - 1, id="the most that a mint can issue"),
        pytest.param(1e20, id="the bound itself"),
    ],
)
def test_amount_that_can_be_held_is_taken_as_float(raw):
    amount = parse_amount(raw)

    assert amount == float(raw)
    assert type(amount) is float


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(-1, id="negative"),
        pytest.param(-5e-324, id="just below nothing"),
        pytest.param(100_000_000_000_000_016_384.0, id="just above the bound"),
        pytest.param(10**400, id="beyond what a float can hold"),
        pytest.param(float("inf"), id="infinite"),
        pytest.param(float("-inf"), id="negative infinite"),
        pytest.param(float("nan"), id="no number"),
    ],
)
def test_amount_that_nobody_can_hold_is_refused_in_a_sentence(raw):
    with pytest.raises(InvalidInput, match=r"^A balance is .*\.$"):
        parse_amount(raw)


@pytest.mark.parametrize(
    ("amount", "written"),
    [
        (1500.0, "1500"),
        (0.0, "0"),
        (-0.0, "0"),
        (0.5, "0.5"),
        (1500.25, "1500.25"),
        (1e20, "100000000000000000000"),
    ],
)
def test_json_shows_whole_amounts_without_a_fraction(amount, written):
    assert json.dumps(simplify_amount(amount)) == written
