"""What the widget learns of a list as a whole: supply, sums, and which balances are known."""

from decimal import Decimal

import pytest
from support.world import USDC, Visitor

from embed.db.models import Tag, Token, TrackedWallet
from embed.domain.amounts import Sums
from embed.public_payload import Payload, build_payload, get_payload
from embed.wallets import tags
from embed.wallets.tags import TagFields

pytestmark = pytest.mark.databases("sqlite", "postgres")


def read(world) -> Payload:
    return get_payload(world.page_id, world.page.version, world.balances)


@pytest.mark.parametrize(
    ("amounts", "known", "sums"),
    [
        ([None], [False], None),
        ([5, None], [True, False], Sums(Decimal(5), 1, Decimal(5), 1)),
        (
            ["99999999999.99999999999999999999"] * 3,
            [True] * 3,
            Sums(*(Decimal("299999999999.99999999999999999997"), 3) * 2),
        ),
    ],
)
def test_sums_are_exact_and_of_the_known_balances_that_are_not_hidden(world, amounts, known, sums):
    Token.create(mint=USDC, supply=Decimal(1000), supply_observed_at=world.clock())
    world.track(Visitor().address, balance=90, is_hidden=True)
    for amount in amounts:
        world.clock.forward(seconds=1)
        world.track(Visitor().address, balance=amount)

    payload = read(world)

    assert payload.details["sums"] == sums
    assert payload.standings.known == bytes(known)
    assert payload.details["supply"] is None  # without an endpoint


def test_wallets_of_a_tag_that_is_not_counted_stay_on_the_list_and_out_of_its_sums(world):
    pool = world.add_tag("pool")
    world.add_tag("team")
    world.track(Visitor().address, balance=5, tag_names=["team"])
    world.track(Visitor().address, balance=90, tag_names=["team", "pool"])
    before = read(world)

    tags.update_tag(pool.id, TagFields(is_counted=False), world.change())

    payload = read(world)
    assert payload.details["sums"] == Sums(Decimal(95), 2, Decimal(5), 1)
    assert {tag.name: tag.is_counted for tag in payload.details["tags"]} == {
        "pool": False,
        "team": True,
    }
    assert payload.json == before.json
    tags.update_tag(pool.id, TagFields(is_counted=True), world.change())
    assert read(world).details["sums"] == before.details["sums"]


def test_ranks_are_by_exact_balances(world):
    balances = ["10000000000", "10000000000.00000000000000000001", "10000000000", "0"]
    for balance in balances:
        world.track(Visitor().address, balance=balance)
        world.clock.forward(seconds=1)

    payload = read(world)

    assert list(payload.standings.ranks) == [2, 1, 2, 0]
    assert list(payload.choose("balance")) == [1, 0, 2, 3]
    assert payload.standings.highest == Decimal(balances[1])


def test_etag_changes_with_what_only_the_widget_shows(world):
    """A database restored from a backup can reach the same version with other content."""
    page = world.page

    def find_etag(*, balance=None, is_counted=True, supply=None) -> str:
        tag = Tag(id="tag", name="pool", color="red", is_counted=is_counted)
        wallet = TrackedWallet("id", "address", None, False, balance, (tag,), False, False)
        return build_payload(page, [wallet], [tag], supply).etag

    etags = [
        find_etag(),
        find_etag(balance=Decimal(0)),
        find_etag(is_counted=False),
        find_etag(supply=Decimal(5)),
    ]

    assert len(set(etags)) == len(etags)
    assert find_etag() == etags[0]
