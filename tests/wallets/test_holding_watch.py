"""Visitors' wallets that fall below the minimum: left, flagged or withheld, and never deleted."""

from datetime import timedelta
from decimal import Decimal

import pytest
from support.fake_chain import FakeChain
from support.world import USDC, Visitor, read_log

from embed.balances.observations import ChainObservation, store_chain
from embed.db.models import Wallet
from embed.runtime import EXTENSION
from embed.wallets.balance_refresh import refresh_balances
from embed.wallets.holding_watch import ACTOR, watch_holdings
from embed.wallets.tracking import list_wallets

on_both_databases = pytest.mark.databases("sqlite", "postgres")

EVERY = timedelta(minutes=10)
OTHER = "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN"


@pytest.fixture
def chain():
    return FakeChain()


class Watch:
    """A page with a minimum of 10, and a wallet that a visitor put there."""

    def __init__(self, world, chain) -> None:
        self.world, self.chain = world, chain
        self.visitor = Visitor()
        self.address = self.visitor.address
        chain.hold(self.address, 10)
        world.configure(min_balance=10, auto_approve=True)
        assert world.submit(self.visitor).json["status"] == "auto_approved"
        world.configure(holding_watch="hide")
        self._slot = 10**9

    @property
    def wallet(self) -> Wallet:
        return Wallet.get(Wallet.address == self.address)

    @property
    def marks(self) -> tuple[int, bool]:
        return self.wallet.low_count, self.wallet.is_withheld

    def observe(self, amount, *, other=0, address=None) -> None:
        """Observe later than before, completely unless `other` is None, and watch."""
        self.world.clock.forward(minutes=1)
        self._slot += 1
        self.record(amount, other=other, address=address)
        self.watch()

    def record(self, amount, *, other=0, address=None) -> None:
        other_amount = None if other is None else Decimal(other)
        row = (Decimal(amount), self._slot, self.world.clock(), other_amount)
        store_chain(USDC, [ChainObservation(address or self.address, "x", *row)])

    def watch(self):
        return watch_holdings(self.world.change(ACTOR, balance_refresh=EVERY))

    def list_public(self) -> list[str]:
        return [one["address"] for one in self.world.read().json["wallets"]]

    def list_events(self) -> list[str]:
        entries = read_log(self.world.page_id)
        return [one.action for one in entries if one.action.endswith("flag wallet")]


@pytest.fixture
def watch(world, chain) -> Watch:
    return Watch(world, chain)


# Two in a row


@on_both_databases
def test_wallet_is_withheld_after_two_low_observations_and_shown_again_when_it_holds(watch):
    for amount in (9, 10, 9):
        watch.observe(amount)
    assert watch.marks == (1, False)
    assert watch.list_public() == [watch.address]

    watch.observe(9)
    assert watch.marks == (2, True)
    assert watch.list_public() == []

    watch.observe(10)
    assert watch.marks == (0, False)
    assert watch.wallet.low_observed_at is None
    assert watch.list_public() == [watch.address]
    assert watch.list_events() == ["unflag wallet", "flag wallet"]


def test_wallet_is_left_or_only_flagged_where_the_page_chose_so(watch):
    watch.world.configure(holding_watch="leave")
    for _ in range(3):
        watch.observe(0)
    assert watch.marks == (0, False)
    assert watch.list_events() == []

    watch.world.configure(holding_watch="flag")
    for _ in range(2):
        watch.observe(9)
    assert watch.list_public() == [watch.address]
    (wallet,) = list_wallets(watch.world.page, watch.world.balances)
    assert (wallet.is_flagged, wallet.is_withheld, wallet.is_hidden) == (True, False, False)
    assert len(watch.list_events()) == 1


# What counts


@on_both_databases
def test_same_observation_counts_once(watch):
    watch.observe(9)
    watch.watch()
    watch.watch()

    assert watch.marks == (1, False)


@on_both_databases
def test_observation_from_before_the_wallet_was_put_there_does_not_count(watch):
    visitor = Visitor()
    watch.record(1, address=visitor.address)
    watch.chain.hold(visitor.address, 10)
    watch.world.configure(min_balance=0)
    watch.world.submit(visitor)
    watch.world.configure(min_balance=10)
    watch.watch()

    assert Wallet.get(Wallet.address == visitor.address).low_count == 0


def test_associated_account_alone_can_prove_the_return_and_old_other_accounts_cannot(watch):
    watch.observe(2, other=8)
    assert watch.marks == (0, False)
    for _ in range(2):
        watch.observe(1, other=8)
    assert watch.marks == (2, True)

    watch.observe(2, other=None)  # 10 with what other accounts held before
    assert watch.marks == (2, True)

    watch.observe(10, other=None)
    assert watch.marks == (0, False)


# Whose wallets


@pytest.mark.parametrize("is_submitted", [False, True])
def test_owners_wallets_are_never_touched(world, chain, watch, is_submitted):
    visitor = Visitor()
    world.track(visitor.address)
    if is_submitted:
        chain.hold(visitor.address, 10)
        world.clock.forward(minutes=1)
        assert world.submit(visitor).status_code == 201
    for _ in range(3):
        watch.observe(0, address=visitor.address)

    own = Wallet.get(Wallet.address == visitor.address)
    assert (own.low_count, own.is_withheld) == (0, False)


def test_owners_own_hiding_is_separate(watch):
    wallet = watch.wallet
    Wallet.update(is_hidden=True).where(Wallet.id == wallet.id).execute()
    for amount in (9, 9, 10):
        watch.observe(amount)

    assert watch.wallet.is_hidden
    assert watch.marks == (0, False)


def test_page_without_a_minimum_and_deleted_pages_are_not_watched(watch):
    watch.world.configure(min_balance=0)
    for _ in range(2):
        watch.observe(0)
    watch.world.configure(min_balance=10)
    watch.world.delete_page()
    for _ in range(2):
        watch.observe(0)

    assert watch.marks == (0, False)


# Changes of the page


def test_choice_takes_effect_at_once(watch):
    for _ in range(2):
        watch.observe(9)

    watch.world.configure(holding_watch="flag")
    assert watch.marks == (2, False)
    assert watch.list_public() == [watch.address]
    watch.world.configure(holding_watch="hide")
    assert watch.marks == (2, True)
    assert watch.list_public() == []
    watch.world.configure(holding_watch="leave")
    assert watch.marks == (0, False)
    assert watch.list_public() == [watch.address]


@on_both_databases
@pytest.mark.parametrize(
    ("fields", "marks"),
    [
        ({"min_balance": "9"}, (0, False)),
        ({"min_balance": "9.5"}, (2, True)),
        ({"min_balance": "0"}, (0, False)),
        ({"token_mint": OTHER}, (0, False)),
    ],
)
def test_minimum_and_mint_take_effect_where_the_last_observation_says_enough(watch, fields, marks):
    for _ in range(2):
        watch.observe(9)

    watch.world.configure(**fields)

    assert watch.marks == marks


def test_raised_minimum_flags_nobody_without_another_observation(watch):
    watch.observe(10)
    watch.world.configure(min_balance=100)
    for _ in range(2):
        watch.watch()
    assert watch.list_events() == []

    watch.observe(10)
    assert watch.marks == (2, True)


# Within the refresh


@on_both_databases
def test_refresh_reads_low_wallets_completely_and_decides_after_two_runs(watch):
    world, chain = watch.world, watch.chain
    runtime = world.app.extensions[EXTENSION]
    chain.spend(watch.address, 1)
    flagged = []
    for _ in range(3):
        world.clock.forward(minutes=11)
        summary = refresh_balances(runtime, on_progress=lambda done, total: None)
        flagged.append(summary.flagged)

    assert flagged == [0, 1, 0]
    assert watch.list_public() == []
    chain.hold(watch.address, 1)
    world.clock.forward(minutes=11)
    assert refresh_balances(runtime, on_progress=lambda done, total: None).unflagged == 1
    assert watch.list_public() == [watch.address]
