"""Observations of the chain and entered balances: which one counts, and how they are written."""

from decimal import Decimal

import pytest
from support.remote import at_once
from support.world import USDC, Visitor

from embed.balances.known import BalanceSource
from embed.balances.observations import (
    ChainObservation,
    count_days,
    store_chain,
    store_chain_of_mints,
)
from embed.db.connection import db
from embed.db.models import Balance, ChainBalance, DailyBalance
from embed.domain.policy import Policy
from embed.pages import get_page
from embed.people import accounts
from embed.submissions.policy_simulation import simulate
from embed.submissions.review_context import build_review_context
from embed.wallets.tracking import list_wallets

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

WSOL = "So11111111111111111111111111111111111111112"


@pytest.fixture
def address() -> str:
    return Visitor().address


@pytest.fixture
def observe(world):
    """Record an observation: ``observe(address, 5, slot=7)``."""

    def record(address, amount, *, slot=1, other=None, mint=USDC):
        other_amount = None if other is None else Decimal(other)
        row = ChainObservation(
            address, address[::-1], Decimal(amount), slot, world.clock(), other_amount
        )
        return store_chain(mint, [row])

    return record


def read_public(world, page_id=None):
    return {one["address"]: one["tokenBalance"] for one in world.read(page_id).json["wallets"]}


# Which one counts


@pytest.mark.parametrize("observed", [3, 0])
def test_chain_counts_before_what_was_entered(world, observe, address, observed):
    world.track(address, balance=100)
    assert read_public(world) == {address: 100}

    observe(address, observed)

    assert read_public(world) == {address: observed}
    assert [one.token_balance for one in list_wallets(world.page, world.balances)] == [observed]
    assert world.balances.read(world.page, [address])[address].amount == observed
    world.observe(address, 50)
    assert read_public(world) == {address: observed}
    without_endpoint = BalanceSource(uses_chain=False).read(world.page, [address])[address]
    assert (without_endpoint.source, without_endpoint.amount) == ("entered", 50)


def test_every_page_of_the_mint_shares_the_chains_balance_and_no_other_page_does(
    world, observe, address
):
    stranger = accounts.create_person("other@site.example", world.clock())
    page_ids = [world.page_id, world.make_page(owner=stranger), world.make_page(token_mint=WSOL)]
    for page_id in page_ids:
        world.track(address, page_id=page_id)

    observe(address, 8)

    tracked = [list_wallets(get_page(page_id), world.balances) for page_id in page_ids]
    assert [wallet.token_balance for (wallet,) in tracked] == [8, 8, 0]


def test_queue_and_policy_preview_use_the_chains_balance(world, observe):
    visitor = Visitor()
    world.submit(visitor)
    world.observe(visitor.address, 1000)
    observe(visitor.address, 4)
    (waiting,) = world.page.submission_set

    context = build_review_context(world.page, [waiting], world.balances)[waiting.id]
    assert (context.balance.amount, context.balance.observed_at) == (4, world.clock())
    simulated = simulate(world.page, Policy(min_balance=Decimal(5)), world.balances)
    assert [one.after for one in simulated] == ["ca_gate"]


# Writing


def test_older_slot_never_overwrites_a_newer_one(world, observe, address):
    observed_at = world.clock()
    assert observe(address, 5, slot=10) == {address}
    world.clock.forward(minutes=1)

    assert observe(address, 9, slot=9) == set()

    row = ChainBalance.get()
    assert (row.amount, row.slot, row.observed_at) == (5, 10, observed_at)
    assert observe(address, 6, slot=10) == {address}


def test_slot_that_no_answer_reaches_for_a_day_blocks_no_wallet_for_ever(world, observe, address):
    observe(address, 5, slot=2**62)  # a lie, or another chain's
    world.clock.forward(hours=24)
    assert observe(address, 9, slot=9) == set()
    world.clock.forward(seconds=1)

    assert observe(address, 9, slot=10) == {address}

    row = ChainBalance.get()
    assert (row.amount, row.slot, row.observed_at) == (9, 10, world.clock())


def test_sweep_replaces_the_associated_part_and_a_complete_read_both(world, observe, address):
    observe(address, 5, slot=1)
    row = ChainBalance.get()
    assert (row.amount, row.other_amount, row.all_observed_at) == (5, 0, None)

    observe(address, 5, slot=2, other=7)
    completely_at = world.clock()
    row = ChainBalance.get()
    assert (row.amount, row.other_amount, row.all_observed_at) == (12, 7, completely_at)

    world.clock.forward(minutes=1)
    observe(address, 1, slot=3)
    row = ChainBalance.get()
    assert (row.amount, row.other_amount, row.all_observed_at) == (8, 7, completely_at)
    assert row.observed_at == world.clock()

    observe(address, "18446744073709.551615", slot=4, other="0.000000000000000001")
    assert ChainBalance.get().amount == Decimal("18446744073709.551615000000000001")


def test_pages_whose_amounts_did_not_change_keep_their_version(world, observe, address):
    other_id = world.make_page(token_mint=WSOL)
    versions = [world.page.version, get_page(other_id).version]

    observe(address, 5, slot=1)
    assert [world.page.version, get_page(other_id).version] == [versions[0] + 1, versions[1]]

    world.clock.forward(minutes=1)
    observe(address, 5, slot=2)
    assert world.page.version == versions[0] + 1
    assert ChainBalance.get().slot == 2

    observe(address, 4, slot=1)  # older
    assert world.page.version == versions[0] + 1


def test_first_observation_of_each_day_is_kept(world, observe, address):
    first_day = count_days(world.clock())
    for slot, (hours, amount) in enumerate([(0, 1), (1, 2), (24, 3), (1, 4)]):
        world.clock.forward(hours=hours)
        observe(address, amount, slot=slot)

    kept = [
        (row.day - first_day, row.amount)
        for row in DailyBalance.select().order_by(DailyBalance.day)
    ]
    assert kept == [(0, 1), (1, 3)]


def test_entered_balances_stay_with_their_owner(world, address):
    stranger = accounts.create_person("other@site.example", world.clock())
    page = get_page(world.make_page(owner=stranger))

    world.observe(address, 100)

    assert world.balances.read(page, [address]) == {}
    assert Balance.select().count() == 1


def test_observations_and_changes_at_once_lose_nothing_and_never_wait_in_a_circle(world, observe):
    stranger = accounts.create_person("other@site.example", world.clock())
    page_ids = [world.page_id, world.make_page(owner=stranger), world.make_page(token_mint=WSOL)]
    addresses = [Visitor().address for _ in range(20)]
    for page_id in page_ids:
        world.track(addresses[0], page_id=page_id)

    def repeat(act):
        try:
            for number in range(10):
                act(number)
        finally:
            db.close()

    def sweep(number):
        row = [
            ChainObservation(one, "x", Decimal(number), number, world.clock()) for one in addresses
        ]
        store_chain_of_mints({WSOL: row, USDC: row})

    def read_all(number):
        observe(addresses[0], number, slot=number, other=100)

    def edit(number):
        world.track(Visitor().address, page_id=page_ids[number % 3], balance=number)

    at_once([lambda act=act: repeat(act) for act in (sweep, read_all, edit) * 2])

    row = ChainBalance.get(ChainBalance.mint == USDC, ChainBalance.address == addresses[0])
    assert (row.slot, row.amount, row.other_amount) == (9, 109, 100)
