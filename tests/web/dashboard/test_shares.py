"""What the owner sees of the supply: shares of wallets and of the list, on the page and as CSV."""

import csv
import io
from decimal import Decimal

import pytest
from support.chain_history import record_history
from support.owner_browser import OwnerBrowser
from support.world import USDC, Visitor, World

from embed.db.models import Balance, Token
from embed.wallets import imports
from embed.wallets.csv_lines import parse_table
from embed.wallets.csv_reader import read_table

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


@pytest.fixture
def chain_world(world_with) -> World:
    """A page of a service with an endpoint, of a token of which there are 1,000."""
    world = world_with(SOLANA_RPC_URL="https://rpc.example/")
    Token.create(mint=USDC, supply=1000, supply_observed_at=world.clock())
    return world


@pytest.fixture
def chain_owner(chain_world) -> OwnerBrowser:
    browser = OwnerBrowser(chain_world)
    browser.take(chain_world.page_id)
    return browser


def open_wallets(owner) -> str:
    return owner.see(f"/dashboard/pages/{owner.world.page_id}/wallets")


def hold(world, amount: str, **details) -> str:
    address = Visitor().address
    world.track(address, **details)
    record_history(USDC, address, world.clock(), amount, {})
    return address


def test_each_wallet_and_the_list_have_their_shares(chain_world, chain_owner):
    path = f"/dashboard/pages/{chain_world.page_id}/wallets/new"
    assert "until the balance is first read from the chain" in chain_owner.see(path)
    chain_world.track(Visitor().address, alias="Nobody knows")
    assert "% of $USDC" not in open_wallets(chain_owner)
    chain_world.add_tag("pool", is_counted=False)
    hold(chain_world, "29", alias="Ann")
    hold(chain_world, "0.5", alias="Ben")
    hold(chain_world, "500", alias="Pool", tag_names=["pool"])
    hold(chain_world, "100", is_hidden=True)

    text = open_wallets(chain_owner)

    for said in (
        "53.0% of $USDC 29.5 without pool",
        "1 with an unknown balance",
        "29 2.9%",
        "<1 <0.1%",
        "500 50.0%",
        "100 10.0%",
    ):
        assert said in text


def test_list_says_when_its_balances_were_read_with_a_mark_if_that_is_long_ago(
    chain_world, chain_owner
):
    path = f"/dashboard/pages/{chain_world.page_id}/wallets"
    mark = '<span class="pill warn" title="Jan 31, 2026, 9:30\u202fAM UTC">balances read'
    chain_world.track(Visitor().address)
    assert "balances read" not in open_wallets(chain_owner)
    hold(chain_world, "29", is_hidden=True)

    chain_world.clock.forward(minutes=30)
    assert "balances read 30 minutes ago" in open_wallets(chain_owner)
    assert mark not in chain_owner.get(path).text

    chain_world.clock.forward(hours=2, minutes=30)
    assert "balances read 3 hours ago" in open_wallets(chain_owner)
    assert mark in chain_owner.get(path).text
    chain_world.use_endpoint()
    assert "balances read" not in open_wallets(chain_owner)


def test_without_an_endpoint_there_is_a_sum_and_no_share(world, owner):
    Token.create(mint=USDC, supply=1000, supply_observed_at=world.clock())
    world.track(Visitor().address, balance=29)

    text = open_wallets(owner)

    assert "29 $USDC" in text
    assert "Share" not in text
    assert "%" not in text
    (row,) = read_sheet(world)
    assert "share" not in row
    assert row["balance"] == "29"


def read_sheet(world) -> list[dict[str, str]]:
    text = imports.export_csv(world.page, world.balances)
    return list(csv.DictReader(io.StringIO(text)))


def test_export_has_shares_that_an_import_does_not_read(chain_world):
    address, unknown = hold(chain_world, "0.0001"), Visitor().address
    chain_world.track(unknown)

    rows = {row["address"]: row for row in read_sheet(chain_world)}

    assert (rows[address]["balance"], rows[address]["share"]) == ("0.0001", "0.0000001")
    assert (rows[unknown]["balance"], rows[unknown]["share"]) == ("", "")
    text = imports.export_csv(chain_world.page, chain_world.balances)
    settings = chain_world.settings
    parsed = parse_table(read_table(text, max_wallets=settings.max_wallets))
    plan = imports.plan_import(
        chain_world.page,
        parsed,
        makes_tags=False,
        balances=chain_world.balances,
        settings=settings,
    )
    assert (plan.mistakes, plan.changes) == ([], [])


def test_zero_that_the_owner_enters_is_known_from_then_on(world, owner):
    wallet = world.track(Visitor().address)
    path = f"/dashboard/pages/{world.page_id}/wallets/{wallet.id}"
    assert owner.post(path, alias="New", balance="").status_code == 303
    assert Balance.select().count() == 0

    assert owner.post(path, alias="New", balance="0").status_code == 303

    assert Balance.get().amount == Decimal(0)
    assert "0 $USDC" in open_wallets(owner)
