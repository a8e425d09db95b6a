"""Wallets in the order of their balances or names, in every database."""

from decimal import Decimal

import pytest
from support.chain_history import record_history
from support.folded import TYPED_BY_NAME
from support.world import USDC, Visitor

from embed.balances.known import BalanceSource
from embed.domain.amounts import MAX_AMOUNT
from embed.wallets import search
from embed.wallets.search import Order, WalletFilter

pytestmark = pytest.mark.databases("sqlite", "postgres")

# Texts that a database would put in another order, and doubles that are the same.
AMOUNTS = ["0", "0.00000000000000000001", "0.5", "9", "9.99", "10", "10.5", "100",
           "1000.05", "9007199254740992", "9007199254740993", "18446744073709551615.1",
           str(MAX_AMOUNT)]  # fmt: skip


def list_found(world, column, *, is_descending=False, uses_chain=False):
    order = Order(column, is_descending)
    balances = BalanceSource(uses_chain=uses_chain)
    result = search.search_wallets(world.page, WalletFilter(), order, balances=balances)
    return [(wallet.public_alias, wallet.token_balance) for wallet in result.wallets]


@pytest.mark.parametrize("uses_chain", [False, True])
def test_balances_are_in_exact_order(world, uses_chain):
    for number, amount in enumerate(AMOUNTS[1::2] + AMOUNTS[::2]):
        address = world.track(Visitor().address).address
        is_observed = uses_chain and number % 2
        world.observe(address, "1" if is_observed else amount)
        if is_observed:
            record_history(USDC, address, world.clock(), amount, {})
    world.track(Visitor().address, alias="Never observed")

    found = [held for _, held in list_found(world, "balance", uses_chain=uses_chain)]

    assert found == [Decimal(0), *map(Decimal, AMOUNTS)]
    falling = list_found(world, "balance", is_descending=True, uses_chain=uses_chain)
    assert [held for _, held in falling] == found[::-1]


def test_names_are_in_order_whatever_their_case_and_those_without_one_are_last(world):
    for alias in (None, "b", "\u0443\u0436", "C", "a", None, "a", "Ärzte", "Zoe"):
        world.track(Visitor().address, alias=alias)

    rising = ["a", "a", "Ärzte", "b", "C", "Zoe", "\u0443\u0436"]
    assert [name for name, _ in list_found(world, "name")] == [*rising, None, None]
    falling = [name for name, _ in list_found(world, "name", is_descending=True)]
    assert falling == [*rising[::-1], None, None]


def list_matches(world, text: str) -> list[str | None]:
    result = search.search_wallets(
        world.page, WalletFilter(text), Order("name", False), balances=world.balances
    )
    return [wallet.public_alias for wallet in result.wallets]


def test_names_are_found_as_people_type_them(world):
    for name in TYPED_BY_NAME:
        world.track(Visitor().address, alias=name)
    world.track(Visitor().address)

    for name, typed in TYPED_BY_NAME.items():
        assert list_matches(world, typed) == [name]
        assert list_matches(world, f" {name.upper()}\u200e ") == [name]


def test_wildcards_are_looked_for_as_they_are(world):
    for alias in ("100%", "1000", "a_b", "aéb", "a\\b"):
        world.track(Visitor().address, alias=alias)

    found = [list_matches(world, text) for text in ("0%", "a_b", "a\\b", "%_")]
    assert found == [["100%"], ["a_b"], ["a\\b"], []]
    assert len(list_matches(world, " \u200e\0")) == 5  # which is no text at all


def test_shortened_addresses_are_found(world):
    address = world.track(Visitor().address, alias="Ann").address
    world.track(Visitor().address, alias="Ben")

    assert list_matches(world, f" {address[:6]} .. {address[-4:]} ") == ["Ann"]
    assert list_matches(world, f"{address[-6:]}…{address[:4]}") == []


@pytest.mark.parametrize("is_descending", [False, True])
def test_wallets_that_hold_the_same_come_oldest_first(world, is_descending):
    for alias in ("x", "a", "m"):
        world.clock.forward(seconds=1)
        world.track(Visitor().address, alias=alias)

    found = list_found(world, "balance", is_descending=is_descending)

    assert [name for name, _ in found] == ["x", "a", "m"]


@pytest.mark.parametrize(
    ("column", "key"), [("balance", "token_balance"), ("name", "public_alias")]
)
def test_each_page_of_results_goes_on_where_the_one_before_ended(world, column, key):
    for number in range(250):
        world.track(Visitor().address, alias=f"{number % 7}", balance=number % 5)

    parts = [
        search.search_wallets(
            world.page, WalletFilter(), Order(column), part, balances=world.balances
        ).wallets
        for part in (1, 2, 3)
    ]

    found = [wallet for part in parts for wallet in part]
    assert len({wallet.id for wallet in found}) == 250
    keys = [getattr(wallet, key) for wallet in found]
    assert keys == sorted(keys, reverse=True)
