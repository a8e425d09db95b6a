"""What the wallets' page tells of balances: shares, changes and lines, and when they were read."""

import csv
import io
from datetime import timedelta

import pytest
from support.chain_history import record_history
from support.owner_browser import OwnerBrowser, read_text
from support.world import USDC, Visitor
from wallet_pages import path_of

from embed.db.models import Balance, Token
from embed.wallets import imports
from embed.wallets.csv_lines import parse_table
from embed.wallets.csv_reader import read_table

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

DAY = timedelta(days=1)


@pytest.fixture
def owner(world_with) -> OwnerBrowser:
    """The owner of a page of a service with an endpoint, of a token of which there are 1,000."""
    world = world_with(SOLANA_RPC_URL="https://rpc.example/")
    Token.create(mint=USDC, supply=1000, supply_observed_at=world.clock())
    browser = OwnerBrowser(world)
    browser.take(world.page_id)
    return browser


def hold(owner, amount: str, earlier: dict[int, str] | None = None, **details):
    """Track a wallet with balances read from the chain, now and so many days ago."""
    world = owner.world
    wallet = world.track(Visitor().address, **details)
    ages = {days * DAY: held for days, held in (earlier or {}).items()}
    record_history(USDC, wallet.address, world.clock(), amount, ages)
    return wallet


def open_wallets(owner, query: str = ""):
    answer = owner.get(path_of(owner.world) + query)
    assert answer.status_code == 200
    return answer


def test_each_wallet_and_the_list_have_their_shares(owner):
    owner.world.track(Visitor().address, alias="Nobody knows")
    assert "% of $USDC" not in read_text(open_wallets(owner))
    owner.world.add_tag("pool", is_counted=False)
    hold(owner, "29")
    hold(owner, "0.5")
    hold(owner, "500", tag_names=["pool"])
    hold(owner, "100", is_hidden=True)

    text = read_text(open_wallets(owner))

    for said in (
        "53.0% of $USDC 29.5 without pool",
        "1 with an unknown balance",
        "29 2.9%",
        "<1 <0.1%",
        "500 50.0%",
        "100 10.0%",
    ):
        assert said in text


def test_list_says_when_its_balances_were_read_with_a_mark_if_that_is_long_ago(owner):
    mark = '<span class="pill warn" title="Jan 31, 2026, 9:30\u202fAM UTC">balances read'
    owner.world.track(Visitor().address)
    assert "balances read" not in open_wallets(owner).text
    hold(owner, "29", is_hidden=True)

    for minutes, said, is_marked in ((30, "30 minutes ago", False), (150, "3 hours ago", True)):
        owner.world.clock.forward(minutes=minutes)
        answer = open_wallets(owner)
        assert f"balances read {said}" in read_text(answer)
        assert (mark in answer.text) == is_marked
    owner.world.use_endpoint()
    text = read_text(open_wallets(owner))
    assert "balances read" not in text
    assert "%" not in text


def test_export_has_shares_that_an_import_does_not_read(owner):
    world = owner.world
    address, unknown = hold(owner, "0.0001").address, Visitor().address
    world.track(unknown)

    text = imports.export_csv(world.page, world.balances)

    rows = {row["address"]: row for row in csv.DictReader(io.StringIO(text))}
    assert (rows[address]["balance"], rows[address]["share"]) == ("0.0001", "0.0000001")
    assert (rows[unknown]["balance"], rows[unknown]["share"]) == ("", "")
    plan = imports.plan_import(
        world.page,
        parse_table(read_table(text, max_wallets=world.settings.max_wallets)),
        makes_tags=False,
        balances=world.balances,
        settings=world.settings,
    )
    assert (plan.mistakes, plan.changes) == ([], [])


def test_wallets_show_changes_exactly_and_a_line(owner):
    hold(owner, "18446744073.709551615", {1: "0.5", 7: "20000000000"})

    answer = open_wallets(owner)

    text = read_text(answer)
    assert "24 h 7 d 30 days Balance" in text
    assert ">999% \N{MINUS SIGN}7.8%" in text
    assert 'title="+18,446,744,073.209551615"' in answer.text
    assert "<title>7 days: −1,553,255,926.290448385</title>" in answer.text
    assert '<path d="m108 5 27 38 4-35"/><circle cx="139" cy="8" r="4"/>' in answer.text


# The form of one wallet


def test_form_has_a_balance_to_enter_only_until_one_was_read_from_the_chain(owner):
    world = owner.world
    unread, read = world.track(Visitor().address), hold(owner, "1250.5")

    for path in ("new", unread.id):
        assert "until the balance is first read" in owner.see(path_of(world, path))
    form = path_of(world, read.id)
    text = owner.see(form).replace("\u202f", " ")
    assert "Balance: 1,250.5, read Jan 31, 2026, 9:30 AM UTC" in text
    assert "In whole tokens" not in text
    assert owner.post(form, alias="Ben", balance="7").status_code == 303
    assert "Balance: 1,250.5," in owner.see(form)
    assert Balance.select().count() == 0
