"""Changes and lines on the page of wallets."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from flask import Flask
from support.chain_history import record_history
from support.owner_browser import OwnerBrowser, read_text
from support.world import USDC, Visitor

from embed.db.models import Balance
from embed.web.figures import format_in_full

pytestmark = pytest.mark.slow

DAY = timedelta(days=1)


@pytest.fixture
def chain_owner(world_with) -> OwnerBrowser:
    """The owner of a page of a service with an endpoint."""
    world = world_with(SOLANA_RPC_URL="https://rpc.example/")
    browser = OwnerBrowser(world)
    browser.take(world.page_id)
    return browser


def track(world, amount, earlier, alias="Ann", **changes):
    wallet = world.track(Visitor().address, alias=alias, **changes)
    ages = {days * DAY: held for days, held in earlier.items()}
    record_history(USDC, wallet.address, world.clock(), amount, ages)
    return wallet


def open_wallets(owner, **search):
    answer = owner.get(f"/dashboard/pages/{owner.world.page_id}/wallets", query_string=search)
    assert answer.status_code == 200
    return answer


@pytest.mark.databases("sqlite", "postgres")
def test_wallets_show_changes_exactly_and_a_line(chain_owner):
    track(chain_owner.world, "18446744073.709551615", {1: "0.5", 7: "20000000000"})

    answer = open_wallets(chain_owner)

    text = read_text(answer)
    assert "24 h 7 d 30 days Balance" in text
    assert ">999% \N{MINUS SIGN}7.8%" in text
    assert 'title="+18,446,744,073.209551615"' in answer.text
    assert 'title="−1,553,255,926.290448385"' in answer.text
    assert "<title>7 days: −1,553,255,926.290448385</title>" in answer.text
    assert '<svg class="line up"' in answer.text
    assert '<path d="m108 5 27 38 4-35"/><circle cx="139" cy="8" r="4"/>' in answer.text


def test_wallets_without_a_history_keep_the_columns_of_the_others(chain_owner):
    track(chain_owner.world, "5", {3: "4"})
    track(chain_owner.world, "5", {1: "5"}, alias="Unchanged")
    chain_owner.world.track(Visitor().address, alias="New")

    answer = open_wallets(chain_owner)

    assert [row.count("<td") for row in answer.text.split("<tr>")[2:]] == [6, 6, 6]
    assert answer.text.count('class="line"') == 1
    assert not re.search("good-text|bad-text", answer.text)  # no change, no figure


def test_without_an_endpoint_or_any_history_there_are_no_columns(chain_owner):
    world = chain_owner.world
    world.track(Visitor().address, alias="New")
    assert "30 days" not in open_wallets(chain_owner).text
    track(world, "5", {1: "4"}, is_hidden=True)
    assert "hidden +25.0% " in read_text(open_wallets(chain_owner))

    assert "30 days" not in open_wallets(chain_owner, q="New").text
    world.use_endpoint()
    assert "30 days" not in open_wallets(chain_owner).text


@pytest.mark.databases("sqlite", "postgres")
def test_a_hundred_wallets_take_as_many_statements_as_one(chain_owner, count_statements):
    track(chain_owner.world, "5", {1: "4"})
    one = count_statements(lambda: open_wallets(chain_owner))
    for number in range(99):
        track(chain_owner.world, "5", {1: "4", 7: "3"}, alias=f"Wallet {number}")

    assert count_statements(lambda: open_wallets(chain_owner)) == one


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ("1250.5", "+1,250.5"),
        ("-0.00", "0"),
        ("-9999999999999.00000000000000000001", "−9,999,999,999,999.00000000000000000001"),
        ("1E-9", "+0.000000001"),
    ],
)
def test_changes_have_their_sign_and_all_digits(change, shown):
    with Flask(__name__).test_request_context():
        assert format_in_full(Decimal(change), signed=True) == shown


# The form of one wallet


def test_form_has_a_balance_to_enter_only_until_one_was_read_from_the_chain(chain_owner):
    world = chain_owner.world
    unread, read = world.track(Visitor().address), track(world, "1250.5", {})
    forms = f"/dashboard/pages/{world.page_id}/wallets"

    assert "until the balance is first read" in chain_owner.see(f"{forms}/{unread.id}")
    text = chain_owner.see(f"{forms}/{read.id}")
    assert "Balance: 1,250.5, read Jan 31, 2026, 9:30 AM UTC" in text.replace("\u202f", " ")
    assert "In whole tokens" not in text
    assert chain_owner.post(f"{forms}/{read.id}", alias="Ben", balance="7").status_code == 303
    assert "Balance: 1,250.5," in chain_owner.see(f"{forms}/{read.id}")
    assert Balance.select().count() == 0
