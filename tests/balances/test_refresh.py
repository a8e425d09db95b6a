"""The sweep and the complete reads: what is read when, and what is stored."""

import logging
from datetime import timedelta

import pytest
from chain.ledger import make_address
from support.fake_chain import COMPLETE, SWEEP
from support.world import USDC

from embed import pages
from embed.balances.rpc_results import UnusableAmount
from embed.balances.solana_rpc import UnusableAnswer
from embed.balances.token_accounts import MOST_ACCOUNTS
from embed.db.models import ChainBalance, DailyBalance, Token, Wallet
from embed.errors import InvalidInput, NotFound
from embed.maintenance.wallet_erasure import erase_wallet
from embed.pages import get_page
from embed.runtime import EXTENSION
from embed.wallets.balance_refresh import (
    RefreshFailed,
    choose_interval,
    run_job,
)

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

OTHER = "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN"
MINUTE = timedelta(minutes=1)


def track_many(world, count: int, page_id=None) -> list[str]:
    return [world.track(make_address(), page_id=page_id).address for _ in range(count)]


def amounts_of(world, page_id=None) -> dict:
    page = get_page(page_id or world.page_id)
    addresses = [one.address for one in Wallet.select().where(Wallet.page == page)]
    return {address: one.amount for address, one in world.balances.read(page, addresses).items()}


# What is read


def test_balances_of_all_pages_are_read_and_shown(world, chain, run):
    chain.ledger.create_mint(6, address=OTHER)
    other_id = world.make_page(token_mint=OTHER)
    here, there = track_many(world, 2), track_many(world, 1, other_id)
    chain.hold(here[0], 5)
    chain.hold(there[0], 7, mint=OTHER)

    summary = run()

    assert (summary.observed, summary.failure) == (3, None)
    assert amounts_of(world) == {here[0]: 5, here[1]: 0}
    assert amounts_of(world, other_id) == {there[0]: 7}
    shown = {one["address"]: one["tokenBalance"] for one in world.read().json["wallets"]}
    assert shown == {here[0]: 5, here[1]: 0}


def test_never_observed_wallets_come_first_then_the_least_recently_observed(world, chain, run):
    for _ in range(2):
        track_many(world, MOST_ACCOUNTS)
        run()
        world.clock.forward(minutes=1)
    track_many(world, MOST_ACCOUNTS)
    observed_at = {one.token_account: one.observed_at for one in ChainBalance.select()}
    chain.swept.clear()
    world.clock.forward(hours=1)

    run()

    new, oldest, newest = chain.swept
    assert [len(new), len(oldest), len(newest)] == [MOST_ACCOUNTS] * 3
    assert set(new).isdisjoint(observed_at)
    assert max(map(observed_at.get, oldest)) <= min(map(observed_at.get, newest))
    assert min(map(observed_at.get, oldest)) < max(map(observed_at.get, newest))


def test_wallets_observed_a_short_while_ago_are_left_out(world, chain, run):
    track_many(world, 3)
    assert run().observed == 3
    world.clock.forward(minutes=9, seconds=59)
    assert run().observed == 0

    world.clock.forward(seconds=1)

    assert run().observed == 3


def test_wallet_on_several_pages_is_read_once_and_deleted_pages_are_left_out(world, chain, run):
    (shared,) = track_many(world, 1)
    world.track(shared, page_id=world.make_page())
    gone = world.make_page()
    track_many(world, 1, gone)
    pages.delete_page(gone, world.change())

    assert run().observed == 1
    assert chain.calls[SWEEP] == 2  # the mint, and the wallets


def test_tokens_in_other_accounts_are_found_by_the_rotation_and_kept_by_the_sweep(
    world, chain, run
):
    (address,) = track_many(world, 1)
    chain.hold(address, 5, auxiliary=7)

    assert run().observed_completely == 1
    assert amounts_of(world) == {address: 12}

    world.clock.forward(minutes=10)
    chain.spend(address, 2)
    assert run().observed == 1
    assert amounts_of(world) == {address: 10}


def test_wallet_that_gave_its_associated_account_away_is_read_in_its_others(world, chain, run):
    giver, other = track_many(world, 2)
    chain.hold(giver, 5, auxiliary=7)
    chain.ledger.give_associated(giver, USDC, other)

    assert run().observed == 2
    assert amounts_of(world)[giver] == 7

    def refuse(method):
        if method == COMPLETE:
            raise UnusableAnswer("Too many accounts.")

    chain.before_answer = refuse
    world.clock.forward(hours=1)
    assert run().observed == 1  # the other, of the same batch


def test_rotation_reads_a_bounded_number_those_that_wait_longest_first(world_with, chain, request):
    world = world_with(LIMIT_RPC="6/10 seconds")
    run = request.getfixturevalue("run")
    track_many(world, 5)

    assert run().observed_completely == 3
    assert run().observed_completely == 2
    assert run().observed_completely == 0
    first = list(ChainBalance.select().order_by(ChainBalance.all_observed_at))
    world.clock.forward(minutes=11)

    assert run().observed_completely == 3
    read_now = ChainBalance.select().where(ChainBalance.all_observed_at == world.clock())
    assert len(first) == 5
    assert read_now.count() == 3


# Failures


def test_wallet_that_is_erased_while_it_is_read_does_not_come_back(world, chain, run):
    erased, other = track_many(world, 2)
    erasing = [erased]

    def erase_once(_done, _total):
        while erasing:
            erase_wallet(erasing.pop(), world.change(nonce_lifetime=MINUTE))

    run(on_progress=erase_once)

    assert [one.address for one in ChainBalance.select()] == [other]


def test_failed_refresh_keeps_values_and_when_they_were_observed(world, chain, run):
    (address,) = track_many(world, 1)
    chain.hold(address, 5)
    run()
    observed_at = world.clock()
    world.clock.forward(hours=1)
    chain.is_down = True

    summary = run()

    assert summary.failure == "No RPC server gave a usable answer: timed out."
    known = world.balances.read(world.page, [address])[address]
    assert (known.amount, known.observed_at) == (5, observed_at)


def test_what_was_observed_before_a_failure_stays(world, chain, run):
    track_many(world, 250)

    def fail_third(method):
        chain.is_down = len(chain.swept) == 3

    chain.before_answer = fail_third

    assert run().failure
    assert ChainBalance.select().count() == DailyBalance.select().count() == 2 * MOST_ACCOUNTS


def test_mint_that_does_not_exist_is_told_once_and_left_out_and_others_are_read(
    world, chain, run, caplog
):
    bad_id = world.make_page(token_mint=OTHER)
    track_many(world, 1, bad_id)
    track_many(world, 1)
    with caplog.at_level(logging.WARNING, "embed"):
        assert run().observed == 1
        world.clock.forward(hours=1)
        calls = chain.calls.copy()
        assert run().observed == 1
        assert chain.calls[SWEEP] == calls[SWEEP] + 1

    told = [one.getMessage() for one in caplog.records if OTHER in one.getMessage()]
    assert len(told) == 1
    assert OTHER in Token.get_by_id(OTHER).problem


def test_refused_mint_is_tried_again_for_its_page_and_for_another_mint(world, chain, run):
    bad_id = world.make_page(token_mint=OTHER)
    (address,) = track_many(world, 1, bad_id)
    run()
    assert run(bad_id).problem == f"{OTHER} is not the mint of a token."

    chain.ledger.create_mint(6, address=OTHER)
    assert run().observed == 0
    summary = run(bad_id)

    assert (summary.observed, summary.problem) == (1, None)
    assert amounts_of(world, bad_id) == {address: 0}
    assert Token.get_by_id(OTHER).problem is None


def test_page_that_is_unknown_or_deleted_and_a_missing_endpoint_are_told(world, run):
    with pytest.raises(NotFound):
        run("x" * 20)
    pages.delete_page(world.page_id, world.change())
    with pytest.raises(InvalidInput, match="deleted"):
        run(world.page_id)
    world.use_endpoint()
    with pytest.raises(InvalidInput, match="SOLANA_RPC_URL"):
        run()


def test_job_tells_what_it_did_or_why_it_ended(world, chain):
    runtime = world.app.extensions[EXTENSION]
    track_many(world, 150)
    beats = []

    assert run_job(runtime, lambda: beats.append(1)) == "150 balances read."
    assert len(beats) == 2 + 20
    world.clock.forward(hours=1)
    chain.is_down = True
    with pytest.raises(RefreshFailed, match=r"^No RPC server gave a usable answer"):
        run_job(runtime, lambda: None)
    world.use_endpoint()
    assert run_job(world.app.extensions[EXTENSION], lambda: None) == "No RPC server is set."


def test_job_runs_often_enough_that_each_balance_is_read_when_it_is_due():
    assert choose_interval(timedelta(minutes=10)) == timedelta(minutes=1)
    assert choose_interval(timedelta(seconds=5)) == timedelta(seconds=5)


@pytest.mark.parametrize("failure", [UnusableAnswer("Too many accounts."), UnusableAmount()])
def test_wallet_that_cannot_be_read_keeps_no_other_from_being_read(
    world, chain, run, monkeypatch, failure
):
    (first,) = track_many(world, 1)
    answer = chain.call

    def call(method, params, **options):
        if method == COMPLETE and params[0] == first:
            raise failure
        return answer(method, params, **options)

    monkeypatch.setattr(chain, "call", call)
    run()
    (other,) = track_many(world, 1)
    chain.hold(other, 5, auxiliary=7)

    summary = run()

    assert (summary.observed, summary.observed_completely) == (1, 1)
    assert amounts_of(world) == {first: 0, other: 12}
