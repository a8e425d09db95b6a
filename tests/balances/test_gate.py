"""The holding gate asks the chain while a visitor waits, and nobody is refused for its failures."""

from datetime import timedelta
from decimal import Decimal

import pytest
from support.fake_chain import COMPLETE
from support.world import USDC, Visitor, code_of

from embed.balances.gate import LiveBalances
from embed.balances.observations import ChainObservation, store_chain
from embed.balances.solana_rpc import UnusableAnswer
from embed.balances.tokens import find_problem
from embed.db.connection import db
from embed.db.models import ChainBalance
from embed.errors import ApiError
from embed.runtime import EXTENSION

pytestmark = pytest.mark.slow

OTHER = "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN"
REFRESH = timedelta(minutes=10)


@pytest.fixture
def gate(world) -> LiveBalances:
    balances = world.app.extensions[EXTENSION].balances
    assert isinstance(balances, LiveBalances)
    return balances


@pytest.fixture
def visitor(world) -> Visitor:
    world.configure(min_balance=10)
    return Visitor()


def observe(world, address, amount, *, other=None, mint=USDC):
    other_amount = None if other is None else Decimal(other)
    row = ChainObservation(address, "x", Decimal(amount), 1, world.clock(), other_amount)
    store_chain(mint, [row])


def ask(gate, page, address):
    """Return the balance, or the refusal's code."""
    try:
        return gate.get_balance(page, address)
    except ApiError as refusal:
        return refusal.code


# What it asks


@pytest.mark.databases("sqlite", "postgres")
def test_gate_reads_all_accounts_live_and_counts_nothing_that_was_entered(world, chain, visitor):
    world.observe(visitor.address, 1000)
    assert code_of(world.submit(visitor)) == "ca_gate_failed"

    chain.hold(visitor.address, 4, auxiliary=6)
    world.clock.forward(seconds=31)

    assert code_of(world.submit(visitor)) is None
    known = world.balances.read(world.page, [visitor.address])[visitor.address]
    assert (known.amount, known.observed_at, known.source) == (10, world.clock(), "chain")
    assert known.all_observed_at == world.clock()


def test_page_without_a_minimum_asks_nobody(world, chain):
    assert code_of(world.submit(Visitor())) is None
    assert not chain.calls


@pytest.mark.databases("sqlite", "postgres")
def test_same_wallet_asked_again_within_30_seconds_costs_no_second_call(world, chain, gate):
    page, address = world.page, Visitor().address
    chain.hold(address, 5)
    for _ in range(3):
        assert gate.get_balance(page, address) == 5
        world.clock.forward(seconds=10)
    assert chain.calls[COMPLETE] == 1

    world.clock.forward(milliseconds=1)
    gate.get_balance(page, address)
    assert chain.calls[COMPLETE] == 2


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize(
    ("other", "balance", "calls"),
    [
        pytest.param(4, 7, 0, id="complete"),
        pytest.param(None, 0, 1, id="a sweep of one account"),
    ],
)
def test_answer_that_another_process_got_is_used_if_it_is_complete(
    world, chain, gate, other, balance, calls
):
    address = Visitor().address
    observe(world, address, 3, other=other)
    world.clock.forward(seconds=30)

    assert gate.get_balance(world.page, address) == balance
    assert chain.calls[COMPLETE] == calls


@pytest.mark.databases("sqlite", "postgres")
def test_answer_of_an_older_slot_counts_less_than_what_is_known(world, chain, gate):
    address = Visitor().address
    row = ChainObservation(address, "x", Decimal(12), 10**12, world.clock())
    store_chain(USDC, [row])

    assert gate.get_balance(world.page, address) == 12
    assert ChainBalance.get().slot == 10**12


@pytest.mark.databases("sqlite", "postgres")
def test_chain_is_asked_outside_of_any_transaction(world, gate, visitor, monkeypatch):
    seen = []
    get_balance = LiveBalances.get_balance

    def look(self, page, address):
        seen.append(db.in_transaction())
        return get_balance(self, page, address)

    monkeypatch.setattr(LiveBalances, "get_balance", look)
    world.submit(visitor)

    assert seen == [False]


# Many at once


def test_two_requests_at_most_ask_the_chain_and_others_do_not_wait(world, chain, gate):
    fresh, unknown = Visitor().address, Visitor().address
    observe(world, fresh, 12)
    with chain.concurrency_limit, chain.concurrency_limit:
        assert ask(gate, world.page, fresh) == 12
        assert ask(gate, world.page, unknown) == "balance_unavailable"
    assert not chain.calls

    assert ask(gate, world.page, unknown) == 0


# Failures


def test_after_a_failure_the_chain_is_not_asked_for_some_seconds(world, chain, visitor):
    chain.is_down = True
    answer = world.submit(visitor)
    assert code_of(answer) == "balance_unavailable"
    assert answer.headers["Retry-After"] == "5"
    calls = chain.calls.total()
    chain.is_down = False
    chain.hold(visitor.address, 10)

    world.clock.forward(seconds=4)
    assert code_of(world.submit(visitor)) == "balance_unavailable"
    assert chain.calls.total() == calls

    world.clock.forward(seconds=1)
    assert code_of(world.submit(visitor)) is None


def test_wallet_of_which_nothing_usable_is_said_delays_no_other_wallet(
    world, chain, gate, monkeypatch
):
    strange, address = Visitor().address, Visitor().address
    chain.hold(address, 5)
    answer = chain.call

    def call(method, params, **options):
        if strange in params:
            raise UnusableAnswer("No RPC server gave a usable answer: too large.")
        return answer(method, params, **options)

    monkeypatch.setattr(chain, "call", call)

    assert ask(gate, world.page, strange) == "balance_unavailable"
    assert ask(gate, world.page, address) == 5


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize(
    ("age", "expected"),
    [(3 * REFRESH, 12), (3 * REFRESH + timedelta(milliseconds=1), "balance_unavailable")],
)
def test_observation_younger_than_three_refreshes_stands_in(world, chain, gate, age, expected):
    address = Visitor().address
    observe(world, address, 12)
    world.clock.now += age
    chain.is_down = True

    assert ask(gate, world.page, address) == expected


def test_nobody_is_poor_by_a_stand_in_that_saw_one_account_only(world, chain, gate, visitor):
    seen, complete = Visitor().address, Visitor().address
    observe(world, seen, 3)
    observe(world, complete, 3, other=1)
    world.clock.forward(minutes=1)
    chain.is_down = True

    assert ask(gate, world.page, seen) == "balance_unavailable"
    assert ask(gate, world.page, complete) == 4


def test_unavailable_balance_keeps_nonce_and_leaves_no_mark_on_the_visitor(world, chain, visitor):
    world.open_widget(visitor)
    chain.is_down = True
    draft = world.draft(visitor)
    assert code_of(world.post(draft, cookie=visitor.cookie)) == "balance_unavailable"
    assert world.list_own(visitor).json["submissions"] == []

    chain.is_down = False
    chain.hold(visitor.address, 10)
    world.clock.forward(seconds=5)

    assert code_of(world.post(draft, cookie=visitor.cookie)) is None


def test_mint_that_does_not_exist_is_asked_for_once(world, chain):
    world.configure(token_mint=OTHER, min_balance=1)

    answers = [code_of(world.submit(Visitor())) for _ in range(3)]

    assert answers == ["balance_unavailable"] * 3
    assert chain.calls.total() == 1
    assert OTHER in find_problem(OTHER)


# Before anything is signed


def ask_first(world, visitor, **how):
    return world.ask_nonce(visitor, **how).json.get("belowMinimum")


def test_widget_learns_before_the_signature_that_a_wallet_holds_too_little(world, chain, visitor):
    chain.hold(visitor.address, 4)
    world.root = "/embed/api"

    assert ask_first(world, visitor) == {"balance": 4, "minBalance": 10}
    assert ask_first(world, visitor, nickname="Night heron") is None
    world.root = "/api/embed"
    assert ask_first(world, visitor) is None
    chain.hold(visitor.address, 10)
    world.root = "/embed/api"
    world.clock.forward(seconds=31)
    assert ask_first(world, visitor) is None


def test_client_asks_the_chain_first_only_as_often_as_it_may_submit(world, chain, visitor):
    world.root = "/embed/api"
    asked = [ask_first(world, Visitor()) is not None for _ in range(25)]

    assert asked == [True] * 20 + [False] * 5
