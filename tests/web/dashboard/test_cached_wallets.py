"""What is cached of a page's wallets: each change shows at the next look."""

import re
from decimal import Decimal

import pytest
from support.many_submissions import add_submissions
from support.owner_browser import read_text
from support.world import USDC, Visitor, change_at

from embed.balances.observations import ChainObservation, store_chain
from embed.wallets import bulk, tracking
from embed.wallets.tracking import WalletFields

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


def look(world, owner) -> tuple[list[str], bool, str]:
    """Return the names in the list, whether the queue points a name out, and the overview's sum."""
    page = f"/dashboard/pages/{world.page_id}"
    listed = read_text(owner.get(f"{page}/wallets?sort=-balance"))
    names = sorted(
        (name for name in ("Alice", "Bob", "Carol") if f" {name} " in listed), key=listed.index
    )
    is_alike = "Looks like Alice" in read_text(owner.get(f"{page}/queue"))
    table = owner.get("/dashboard/").text.partition("<tbody>")[2].partition("</tbody>")[0]
    return names, is_alike, re.search(r'<td class="number more">(?:<bdi[^>]*>)?([^<]*)<', table)[1]


def test_each_change_of_the_wallets_shows_at_the_next_look(world, owner):
    now = world.clock()
    alice = world.track(Visitor().address, alias="Alice", balance="5")
    world.track(Visitor().address, alias="Bob", balance="7")
    add_submissions(world, 1, nickname="A1ice")
    assert look(world, owner) == (["Bob", "Alice"], True, "12")

    world.observe(alice.address, "9")
    assert look(world, owner) == (["Alice", "Bob"], True, "16")

    tracking.update_wallet(alice.id, WalletFields(alias="Carol"), change_at(now))
    assert look(world, owner) == (["Carol", "Bob"], False, "16")

    tracking.update_wallet(alice.id, WalletFields(alias="Alice", is_hidden=True), change_at(now))
    assert look(world, owner) == (["Alice", "Bob"], True, "7")
    bulk.change_wallets(world.page_id, [alice.id], "show", change_at(now, "owner"), tag=None)
    assert look(world, owner) == (["Alice", "Bob"], True, "16")

    pool = world.add_tag("pool", is_counted=False)
    bulk.change_wallets(world.page_id, [alice.id], "tag", change_at(now, "owner"), tag=pool)
    assert look(world, owner) == (["Alice", "Bob"], True, "7")

    world.use_endpoint("https://rpc.example/")
    seen = ChainObservation(alice.address, "account", Decimal(6), 1, now, Decimal(0))
    store_chain(USDC, [seen])
    assert look(world, owner) == (["Bob", "Alice"], True, "7")

    tracking.remove_wallet(alice.id, change_at(now))
    assert look(world, owner) == (["Bob"], False, "7")

    carol = Visitor()
    world.open_widget(carol)
    world.approve(world.submit(carol, "Carol").json["submissionId"])
    assert look(world, owner) == (["Bob", "Carol"], False, "7")
