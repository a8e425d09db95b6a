"""Listings: when wallets joined and left a page's public list."""

import pytest
from support.world import Visitor

from embed.db.models import Listing, Wallet
from embed.events.editing import bump_version
from embed.wallets import tracking
from embed.wallets.listings import prune_listings, update_listings
from embed.wallets.tracking import WalletFields

pytestmark = pytest.mark.databases("sqlite", "postgres")


class Listings:
    """The page's listings; every update comes a minute later."""

    def __init__(self, world) -> None:
        self.world = world

    def update(self) -> str:
        self.world.clock.forward(minutes=1)
        return update_listings(self.world.clock())

    def list(self) -> list[tuple[str | None, str]]:
        """Return the names and what happened to them, oldest first."""
        events = [
            (at, one.id, one.name, what)
            for one in list_listings(self.world.page_id)
            for at, what in ((one.joined_at, "joined"), (one.left_at, "left"))
            if at is not None
        ]
        return [(name, what) for *_, name, what in sorted(events)]

    def change(self, wallet, **changes) -> None:
        tracking.update_wallet(wallet.id, WalletFields(**changes), self.world.change())

    def remove(self, wallet) -> None:
        tracking.remove_wallet(wallet.id, self.world.change())


@pytest.fixture
def running(world) -> Listings:
    """Those of a page that was brought up to date before."""
    listings = Listings(world)
    listings.update()
    return listings


def list_listings(page_id) -> list[Listing]:
    return list(Listing.select().where(Listing.page == page_id).order_by(Listing.id))


def track(world, name="Ann", **changes):
    return world.track(Visitor().address, alias=name, **changes)


def test_wallet_joins_and_leaves_each_page_for_itself(world, running):
    ann, other = track(world), world.make_page()
    world.track(ann.address, page_id=other, alias="Other name")
    assert running.update() == "2 joined and 0 left, on 2 pages."
    joined_at = world.clock()
    running.remove(ann)
    assert running.update() == "0 joined and 1 left, on 1 page."
    left_at = world.clock()

    assert running.list() == [("Ann", "joined"), ("Ann", "left")]
    (listing,) = list_listings(world.page_id)
    assert listing.address == ann.address
    assert (listing.joined_at, listing.left_at) == (joined_at, left_at)
    assert [(one.name, one.left_at) for one in list_listings(other)] == [("Other name", None)]
    assert running.update() == "No list has changed."


@pytest.mark.databases("sqlite")
def test_wallets_of_a_page_without_listings_joined_when_they_were_added(world):
    added_at = world.clock()
    track(world)
    world.clock.forward(days=40)

    update_listings(world.clock())

    assert [one.joined_at for one in list_listings(world.page_id)] == [added_at]


@pytest.mark.parametrize("hide", ["hide", "withhold"])
def test_hidden_wallet_leaves_and_shown_one_joins_again(world, running, hide):
    ann = track(world)
    running.update()

    def set_hidden(is_hidden):
        if hide == "hide":
            running.change(ann, is_hidden=is_hidden)
        else:  # as the holding watch does
            Wallet.update(is_withheld=is_hidden).execute()
            bump_version(world.page_id)
        running.update()

    set_hidden(True)
    assert running.list() == [("Ann", "joined"), ("Ann", "left")]
    set_hidden(False)
    assert running.list() == [("Ann", "joined"), ("Ann", "left"), ("Ann", "joined")]
    set_hidden(True)
    assert len(running.list()) == 4


def test_wallet_that_was_never_shown_is_never_listed(world, running):
    ann = track(world, is_hidden=True)
    running.update()
    running.remove(ann)
    running.update()

    assert Listing.select().count() == 0


@pytest.mark.databases("sqlite")
def test_wallet_that_is_removed_and_added_within_the_minute_stays(world, running):
    ann = track(world)
    running.update()
    running.remove(ann)
    world.track(ann.address, alias="Anna")
    running.update()

    assert running.list() == [("Anna", "joined")]


def test_current_listing_takes_the_alias_of_today_and_past_ones_keep_theirs(world, running):
    ann, ben = track(world), track(world, "Ben")
    running.update()
    running.remove(ann)
    running.update()
    world.track(ann.address, alias="Anna")
    running.change(ben, alias="")
    running.update()

    assert {(one.address, one.name) for one in Listing.select()} == {
        (ann.address, "Ann"),
        (ann.address, "Anna"),
        (ben.address, None),
    }
    running.change(ben, alias="Benno")
    running.update()
    assert Listing.get(Listing.address == ben.address).name == "Benno"


@pytest.mark.parametrize("switch", ["is_public", "is_embeddable"])
def test_what_happens_while_nobody_can_read_the_page_is_not_told(world, running, switch):
    ann = track(world)
    running.update()
    world.configure(**{switch: False})
    ben, _ = track(world, "Ben"), track(world, "Cleo")
    running.update()
    running.remove(ben)
    running.remove(ann)
    assert running.update() == "No list has changed."
    assert running.list() == [("Ann", "joined")]

    world.configure(**{switch: True})
    running.update()

    assert running.list() == [("Ann", "joined"), ("Ann", "left"), ("Cleo", "joined")]


def test_listings_are_kept_for_a_year_after_the_wallet_left(world, running):
    for name in ("Ann", "Ben"):
        wallet = track(world, name)
        running.update()
        running.remove(wallet)
        running.update()
        world.clock.forward(days=100)
    track(world, "Cleo")
    running.update()
    world.clock.forward(days=200)

    assert prune_listings(world.clock()) == 1
    assert {one.name for one in Listing.select()} == {"Ben", "Cleo"}
