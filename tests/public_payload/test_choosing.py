"""Which wallets of the list are shown, and in which order."""

import pytest
from support.folded import TYPED_BY_NAME
from support.world import Visitor

from embed.public_payload import NO_TAG, ORDERS, get_payload
from embed.wallets import tracking
from embed.wallets.csv_lines import parse_table
from embed.wallets.csv_reader import read_table
from embed.wallets.imports import apply_import


@pytest.fixture
def read(world):
    """Return the current payload: ``read()``."""
    return lambda: get_payload(world.page_id, world.page.version, world.balances)


@pytest.fixture
def choose(read):
    """Return the chosen wallets' names: ``choose("name", search="ann")``."""

    def choose_names(order: str = "listed", **how: str | None) -> list[str | None]:
        payload = read()
        chosen = payload.read_wallets(payload.choose(order, **how))
        return [wallet["publicAlias"] for wallet in chosen]

    return choose_names


def track(world, alias: str | None, **fields) -> str:
    world.clock.forward(seconds=1)
    return world.track(Visitor().address, alias=alias, **fields).address


# Orders


def test_orders_are_by_list_age_balance_and_name(world, choose):
    for alias, balance in {"b": 2, "C": 3, "a": 1}.items():
        track(world, alias, balance=balance)

    orders = {"listed": "bCa", "newest": "aCb", "balance": "Cba", "name": "abC"}
    assert {order: "".join(choose(order)) for order in ORDERS} == orders


def test_newest_is_who_came_last_and_a_table_stays_in_its_own_order(world, choose):
    first = world.track(Visitor().address, alias="first")
    world.clock.forward(seconds=1)
    table = "".join(f"{Visitor().address},{name}\n" for name in ("x", "y", "z"))
    apply_import(
        world.page_id,
        parse_table(read_table(table, max_wallets=9)),
        world.change(),
        makes_tags=False,
        balances=world.balances,
    )
    track(world, "last")
    fields = tracking.WalletFields(alias="renamed", balance="5")
    tracking.update_wallet(first.id, fields, world.change())

    assert choose("newest") == ["last", "x", "y", "z", "renamed"]


def test_names_are_in_order_as_people_sort_them(world, choose):
    names = ["Ann", "Ärzte", "Ben", "Émile", "Eve", "Łódź", "Moon", "Wallet 2", "wallet 10",
             "Wallet 10 1", "Wallet 10 20", "Zoe", "Ольга"]  # fmt: skip
    for alias in names[1::2] + names[::2]:
        track(world, alias)

    assert choose("name") == names


# Tags


def test_tag_and_search_choose_wallets_that_are_not_hidden_in_each_order(world, choose):
    team, unused = world.add_tag("team").id, world.add_tag("unused").id
    assert choose("newest") == choose("name", search="anna", tag=NO_TAG) == []
    track(world, "Hanna", is_hidden=True)
    for alias, tags in {"Bob": ["team"], "Xenia": [], "Anna": ["team"]}.items():
        track(world, alias, tag_names=tags)

    assert choose("listed", tag=team) == ["Bob", "Anna"]
    assert choose("name", tag=team) == choose("newest", tag=team) == ["Anna", "Bob"]
    assert choose(tag=NO_TAG) == ["Xenia"]
    assert choose(tag=unused) == choose(tag=NO_TAG, search="anna") == []
    assert choose(tag=team, search="anna") == choose(search="anna") == ["Anna"]
    for how in ({"tag": None}, {"tag": "gone"}, {"search": "\u200e "}):
        assert choose(**how) == ["Bob", "Xenia", "Anna"]


# Searches


def test_names_are_found_as_people_type_them(world, choose):
    for name in TYPED_BY_NAME:
        track(world, name)
    track(world, None)

    for name, typed in TYPED_BY_NAME.items():
        assert choose("balance", search=typed) == [name]


def test_addresses_are_found_whole_in_part_and_shortened(world, choose):
    address = track(world, "Ann")
    track(world, "Ben")

    begin, end = address[:5], address[-5:]
    for search in (address, address[8:30].lower(), f"{begin}…{end}", f"{begin}..{end}"):
        assert choose(search=search) == ["Ann"]
    assert choose(search=f"{end}…{begin}") == []


# Places


def test_wallet_is_found_by_its_exact_address(world, read):
    assert read().find_place(Visitor().address) is None
    names = {track(world, f'{number}"address":"'): number for number in range(20)}
    payload = read()

    assert {address: payload.find_place(address) for address in names} == names
    assert payload.find_place(Visitor().address) is None
    for address in names:
        for other in (address.swapcase(), address[:-1], "", "~"):
            assert payload.find_place(other) is None


# Memory
