"""Who joined a list lately."""

from datetime import timedelta

import pytest
from support.world import Visitor

from embed.db.models import Wallet
from embed.domain.addresses import shorten_address
from embed.wallets import tracking
from embed.wallets.joined import Joined, list_joined

WEEK = timedelta(days=7)
pytestmark = pytest.mark.databases("sqlite", "postgres")


def join(world, nickname: str) -> Visitor:
    visitor = Visitor()
    world.approve(world.submit(visitor, nickname).json["submissionId"])
    world.clock.forward(days=1)
    return visitor


def change(world, visitor, **changes) -> None:
    wallet = Wallet.get(Wallet.address == visitor.address)
    tracking.update_wallet(wallet.id, tracking.WalletFields(**changes), world.change())


def names_of(world) -> list[str]:
    return [one.name for one in list_joined(world.page, world.clock() - WEEK)]


def test_approved_visitors_are_listed_newest_first_for_as_long_as_asked(world):
    started_at = world.clock()
    visitors = [join(world, name) for name in ("Ann", "Bo")]

    assert list_joined(world.page, started_at) == [
        Joined("Bo", visitors[1].address, started_at + timedelta(days=1)),
        Joined("Ann", visitors[0].address, started_at),
    ]
    world.clock.forward(days=5)
    assert names_of(world) == ["Bo", "Ann"]  # seven days since, to the second
    world.clock.forward(seconds=1)
    assert names_of(world) == ["Bo"]


def test_wallets_that_nobody_sent_that_wait_or_are_not_shown_have_not_joined(world):
    world.track(Visitor().address, alias="Treasury")
    world.submit(Visitor(), "Waiting")
    world.reject(world.submit(Visitor(), "Rejected").json["submissionId"])
    own = Visitor()
    world.track(own.address, alias="Own entry")
    world.approve(world.submit(own, "Own").json["submissionId"])
    undone = world.submit(Visitor(), "Undone").json["submissionId"]
    world.approve(undone)
    world.undo(undone)
    world.withdraw(join(world, "Withdrawn"))
    change(world, join(world, "Hidden"), is_hidden=True)
    unnamed = join(world, "Unnamed")
    change(world, unnamed, alias="")
    join(world, "Listed")

    assert names_of(world) == ["Listed", shorten_address(unnamed.address)]
    assert list_joined(world.page, world.clock()) == []
