"""What the wallets of a list hold together."""

from decimal import Decimal

import pytest

from embed.domain.amounts import Holding, Sums, add_up


def test_wallets_that_are_not_counted_are_in_the_first_sum_only():
    holdings = [Holding(Decimal(5), True), Holding(Decimal(90), False), Holding(Decimal(1), True)]

    assert add_up(holdings, Decimal(600)) == Sums(
        balance=Decimal(96),
        wallet_count=3,
        counted_balance=Decimal(6),
        counted_wallet_count=2,
        counted_share=Decimal("0.01"),
    )


def test_sums_tell_of_how_many_wallets_they_are():
    sums = add_up([Holding(Decimal(5), True), Holding(None, True), Holding(None, False)], None)

    assert sums is not None
    assert (sums.balance, sums.wallet_count, sums.counted_wallet_count) == (5, 1, 1)
    assert sums.counted_share is None


@pytest.mark.parametrize("holdings", [[], [Holding(None, True)] * 3], ids=["no wallet", "unknown"])
def test_nothing_known_is_no_sum_of_zero(holdings):
    assert add_up(holdings, Decimal(600)) is None


def test_sum_of_zeros_that_were_read_is_zero():
    sums = add_up([Holding(Decimal(0), True)], Decimal(600))

    assert sums is not None
    assert (sums.balance, sums.counted_share) == (0, 0)


def test_sum_of_wallets_of_which_none_is_counted_is_zero_of_no_wallet():
    sums = add_up([Holding(Decimal(7), False)], Decimal(600))

    assert sums is not None
    assert (sums.counted_balance, sums.counted_wallet_count, sums.counted_share) == (0, 0, 0)


def test_ten_thousand_of_the_finest_amounts_are_added_exactly():
    finest = Decimal("99999999999999999999.99999999999999999999")

    sums = add_up([Holding(finest, True)] * 10_000, finest)

    assert sums is not None
    assert str(sums.balance) == "999999999999999999999999.99999999999999990000"
    assert sums.counted_share == 10_000
