import re
from decimal import Decimal, Inexact, localcontext
from fractions import Fraction

import pytest
from bad_amounts import BAD_AMOUNTS
from hypothesis import given
from hypothesis import strategies as st

from embed.domain.amounts import (
    MAX_AMOUNT,
    MAX_DECIMALS,
    Holding,
    Sums,
    add,
    add_up,
    find_share,
    format_amount,
    parse_amount,
    subtract,
)
from embed.errors import InvalidInput


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        pytest.param(0, "0", id="nothing"),
        pytest.param(100, "100", id="no trailing zeros are lost"),
        pytest.param(2**64 - 1, "18446744073709551615", id="the most that a mint can issue"),
        pytest.param(Decimal("1E+20"), "100000000000000000000", id="the bound itself"),
        pytest.param("18446744073.709551615", "18446744073.709551615", id="beyond a float"),
        pytest.param("1e3", "1000", id="exponent"),
        pytest.param("2.5E-7", "0.00000025", id="negative exponent"),
        pytest.param("9" * 20 + "." + "9" * 20, "9" * 20 + "." + "9" * 20, id="forty digits"),
    ],
)
def test_amount_that_can_be_held_is_taken_to_the_last_digit(raw, text):
    amount = parse_amount(raw)

    assert type(amount) is Decimal
    assert format_amount(amount) == text


@pytest.mark.parametrize("raw", BAD_AMOUNTS.values(), ids=BAD_AMOUNTS)
def test_text_that_is_no_amount_is_refused_in_a_short_sentence(raw):
    with pytest.raises(InvalidInput, match=r"^The minimum balance must .*\.$") as refusal:
        parse_amount(raw, "The minimum balance")

    assert len(str(refusal.value)) < 100


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(-1, id="negative"),
        pytest.param(Decimal("-0"), id="minus zero"),
        pytest.param(10**20 + 1, id="just above the bound"),
        pytest.param(Decimal("inf"), id="infinite"),
        pytest.param(Decimal("1e-21"), id="21 decimals"),
    ],
)
def test_amount_that_nobody_can_hold_is_refused_in_a_sentence(raw):
    with pytest.raises(InvalidInput, match=r"^A balance must .*\.$"):
        parse_amount(raw)


@pytest.mark.parametrize("use", [parse_amount, format_amount])
def test_float_is_no_amount(use):
    with pytest.raises(TypeError, match="not float"):
        use(0.5)


def test_amount_is_written_plainly():
    assert format_amount(Decimal("-0.0")) == "0"
    assert format_amount(Decimal("1E-7")) == "0.0000001"


amounts = st.decimals(0, MAX_AMOUNT, places=MAX_DECIMALS)


@given(amounts, st.sampled_from(["f", "e", "E", ""]))
def test_amount_survives_being_written_and_read_in_any_notation(amount, notation):
    assert parse_amount(f"{amount:{notation}}") == amount
    text = format_amount(amount)
    assert re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]*[1-9])?", text)
    assert parse_amount(text) == amount


@given(amounts, amounts)
def test_sums_and_differences_are_exact(amount, other):
    with localcontext(prec=1):
        total, difference = add(amount, other, amount), subtract(amount, other)

    assert Fraction(total) == 2 * Fraction(amount) + Fraction(other)
    assert Fraction(difference) == Fraction(amount) - Fraction(other)


def test_arithmetic_that_would_round_raises():
    with pytest.raises(Inexact):
        add(MAX_AMOUNT, Decimal("1e-40"))


@pytest.mark.parametrize(
    ("amount", "supply", "share"),
    [
        pytest.param("1", "3", "0.333333", id="six digits"),
        pytest.param("0.000001", "18446744073.709551615", "5.42101E-17", id="of any size"),
        pytest.param("5", "4", "1.25", id="read before tokens were burned"),
        pytest.param("0", "0", None, id="no supply has no shares"),
        pytest.param("7", None, None, id="nobody knows"),
    ],
)
def test_share_of_the_supply(amount, supply, share):
    found = find_share(Decimal(amount), supply and Decimal(supply))

    assert found == (share and Decimal(share))


def test_wallets_that_are_not_counted_or_known_are_left_out_of_their_sums():
    holdings = [
        Holding(Decimal(5), True),
        Holding(Decimal(90), False),
        Holding(Decimal(1), True),
        Holding(None, True),
        Holding(None, False),
    ]

    assert add_up(holdings) == Sums(
        balance=Decimal(96),
        wallet_count=3,
        counted_balance=Decimal(6),
        counted_wallet_count=2,
    )


@pytest.mark.parametrize("holdings", [[], [Holding(None, True)] * 3], ids=["no wallet", "unknown"])
def test_nothing_known_is_no_sum_of_zero(holdings):
    assert add_up(holdings) is None
