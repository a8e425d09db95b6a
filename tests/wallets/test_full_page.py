"""A page that tracks as many wallets as MAX_WALLETS allows."""

import pytest
from support.owner_browser import OwnerBrowser
from support.remote import race
from support.world import Visitor, code_of

from embed.db.models import Submission, Wallet
from embed.wallets import imports, tracking
from embed.wallets.csv_lines import parse_table
from embed.wallets.csv_reader import read_table
from embed.wallets.tracking import PageFull, WalletFields

pytestmark = pytest.mark.databases("sqlite", "postgres")

MAX_WALLETS = 3


@pytest.fixture
def world(world_with):
    """A page with room for one more wallet."""
    world = world_with(MAX_WALLETS=str(MAX_WALLETS))
    for _ in range(MAX_WALLETS - 1):
        world.track(Visitor().address)
    return world


def list_addresses(world) -> list[str]:
    return [wallet["address"] for wallet in world.read().json["wallets"]]


def add(world) -> None:
    tracking.add_wallet(
        world.page_id,
        Visitor().address,
        WalletFields(is_hidden=True),
        world.change(max_wallets=MAX_WALLETS),
    )


def plan(world, *addresses: str) -> imports.ImportPlan:
    table = "\n".join(addresses)
    parsed = parse_table(read_table(table, max_wallets=world.settings.max_wallets))
    return imports.plan_import(
        world.page, parsed, makes_tags=False, balances=world.balances, settings=world.settings
    )


def test_table_that_does_not_fit_names_the_first_line_too_many(world):
    known = list_addresses(world)
    new = [Visitor().address for _ in range(3)]

    assert plan(world, *known, new[0]).mistakes == []
    found = plan(world, *new)

    assert [mistake.number for mistake in found.mistakes] == [2]
    assert "at most 3 wallets" in str(found.mistakes[0].cause)
    assert found.is_too_long
    with pytest.raises(PageFull):
        plan(world, *known, *new)


def test_visitors_at_once_do_not_overfill_a_page_that_approves_by_itself(world):
    world.configure(auto_approve=True)
    drafts = [world.draft(Visitor()) for _ in range(6)]

    codes = race(*[lambda draft=draft: code_of(world.post(draft)) for draft in drafts])

    assert sorted(codes, key=str) == [None] + ["queue_full"] * 5
    assert len(list_addresses(world)) == MAX_WALLETS


def test_every_way_in_keeps_to_the_setting(world):
    add(world)
    waiting = world.submit(Visitor()).json["submissionId"]
    owner = OwnerBrowser(world)
    owner.take(world.page_id)
    path = f"/dashboard/pages/{world.page_id}"
    address = Visitor().address

    said = {
        "form": owner.post(f"{path}/wallets/new", address=address),
        "table": owner.post(f"{path}/wallets/import/apply", text=address),
        "queue": owner.post(f"{path}/queue/decide", ids=waiting, decision="approve"),
    }
    run = world.app.test_cli_runner().invoke
    commands = [
        run(args=["wallets", "add", world.page_id, address]),
        run(args=["submissions", "approve", waiting]),
    ]

    assert {way: "at most 3 wallets" in answer.text for way, answer in said.items()} == (
        dict.fromkeys(said, True)
    )
    for command in commands:
        assert command.exit_code == 1
        assert "at most 3 wallets" in command.output
    assert Wallet.select().count() == MAX_WALLETS
    assert Submission.get_by_id(waiting).status == "pending"
