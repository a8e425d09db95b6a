"""What the widget learns of a list as a whole: supply, sums, and which balances are known."""

from decimal import Decimal

import pytest
from support.fake_chain import FakeChain
from support.world import USDC, Visitor

from embed.db.connection import db
from embed.db.models import Balance, Tag, Token, TrackedWallet, Wallet
from embed.domain.amounts import Sums
from embed.domain.identifiers import make_id
from embed.public_payload import Payload, build_payload, get_payload
from embed.runtime import EXTENSION
from embed.wallets import tags
from embed.wallets.balance_refresh import refresh_balances
from embed.wallets.tags import TagFields

pytestmark = pytest.mark.databases("sqlite", "postgres")


def read(world) -> Payload:
    return get_payload(world.page_id, world.page.version, world.balances)


def test_page_says_nothing_of_the_supply_without_an_endpoint(world):
    Token.create(mint=USDC, supply=Decimal(1000), supply_observed_at=world.clock())
    world.track(Visitor().address, balance=25)

    page = read(world).details

    assert page["supply"] is None
    assert page["sums"] == Sums(Decimal(25), 1, Decimal(25), 1)


def test_page_of_unknown_balances_has_no_sums(world):
    world.track(Visitor().address)

    payload = read(world)

    assert payload.details["sums"] is None
    assert payload.standings.known == bytes([False])
    assert payload.read_wallets([0])[0]["tokenBalance"] == 0


def test_balance_of_zero_that_the_owner_entered_is_known(world):
    world.track(Visitor().address, balance=0)

    payload = read(world)

    assert payload.details["sums"].balance == 0
    assert payload.standings.known == bytes([True])


def test_sums_tell_of_how_many_wallets_they_are(world):
    world.track(Visitor().address, balance=5)
    world.clock.forward(seconds=1)
    world.track(Visitor().address)

    payload = read(world)

    sums = payload.details["sums"]
    assert (sums.balance, sums.wallet_count, payload.wallet_count) == (5, 1, 2)
    assert payload.standings.known == bytes([True, False])


def test_hidden_wallets_are_in_no_sum(world):
    world.track(Visitor().address, balance=5)
    world.track(Visitor().address, balance=90, is_hidden=True)

    assert read(world).details["sums"].balance == 5


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


class TestWithAnEndpoint:
    @pytest.fixture
    def chain(self):
        return FakeChain()

    @pytest.fixture
    def run(self, world):
        return lambda: refresh_balances(
            world.app.extensions[EXTENSION], on_progress=lambda done, total: None
        )

    def test_page_has_the_supply_and_the_sums_of_what_is_counted(self, world, chain, run):
        world.add_tag("pool", is_counted=False)
        holder, pool = Visitor().address, Visitor().address
        world.track(holder)
        world.track(pool, tag_names=["pool"])
        for address, amount in ((holder, 25), (pool, 50), (Visitor().address, 125)):
            chain.hold(address, amount)
        run()

        page = read(world).details

        assert page["supply"] == 200
        assert page["sums"] == Sums(Decimal(75), 2, Decimal(25), 1)

    def test_nothing_stands_where_nothing_was_read_yet(self, world):
        world.track(Visitor().address)

        page = read(world).details

        assert (page["supply"], page["sums"]) == (None, None)

    @pytest.mark.databases("sqlite")
    def test_reads_from_the_cache_ask_the_database_no_more_often(
        self, world, chain, run, count_statements
    ):
        holder = Visitor().address
        world.track(holder)
        world.read()
        without = count_statements(world.read)
        chain.hold(holder, 25)
        run()
        world.read()

        assert count_statements(world.read) == without


@pytest.mark.slow
@pytest.mark.databases("sqlite")
def test_sums_of_ten_thousand_wallets_are_exact(world):
    amount = Decimal("99999999999.99999999999999999999")
    with db.atomic():
        for number in range(10_000):
            address = f"{number:044}"
            Wallet.insert(
                id=make_id(), page=world.page_id, address=address, created_at=world.clock()
            ).execute()
            Balance.insert(
                owner=world.page.owner_id, mint=USDC, address=address, amount=amount,
                observed_at=world.clock(),
            ).execute()  # fmt: skip

    sums = read(world).details["sums"]

    assert sums.balance == Decimal("999999999999999.9999999999999999")
    assert sums.wallet_count == 10_000


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
