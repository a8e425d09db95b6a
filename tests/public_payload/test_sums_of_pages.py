"""What a page's payload says of its list as a whole: supply, sums and share."""

from decimal import Decimal

import pytest
from support.fake_chain import FakeChain
from support.world import USDC, Visitor, read_exactly

from embed.db.connection import db
from embed.db.models import Balance, Token, Wallet
from embed.domain.identifiers import make_id
from embed.public_payload import get_payload
from embed.runtime import EXTENSION
from embed.wallets import tags
from embed.wallets.balance_refresh import refresh_balances
from embed.wallets.tags import TagFields

pytestmark = pytest.mark.databases("sqlite", "postgres")


def test_page_says_nothing_of_the_supply_without_an_endpoint(world):
    Token.create(mint=USDC, supply=Decimal(1000), supply_observed_at=world.clock())
    world.track(Visitor().address, balance=25)

    page = world.read().json

    assert "supply" not in page
    assert page["sums"] == {
        "balance": 25, "wallets": 1, "countedBalance": 25, "countedWallets": 1,
    }  # fmt: skip


def test_page_of_unknown_balances_has_no_sums(world):
    world.track(Visitor().address)

    page = world.read().json

    assert "sums" not in page
    assert page["wallets"][0]["tokenBalance"] == 0
    assert page["wallets"][0]["balanceKnown"] is False


def test_balance_of_zero_that_the_owner_entered_is_known(world):
    world.track(Visitor().address, balance=0)

    page = world.read().json

    assert page["sums"]["balance"] == 0
    assert "balanceKnown" not in page["wallets"][0]


def test_sums_tell_of_how_many_wallets_they_are(world):
    world.track(Visitor().address, balance=5)
    world.track(Visitor().address)

    page = world.read().json

    assert (page["sums"]["balance"], page["sums"]["wallets"]) == (5, 1)
    assert len(page["wallets"]) == 2


def test_hidden_wallets_are_in_no_sum(world):
    world.track(Visitor().address, balance=5)
    world.track(Visitor().address, balance=90, is_hidden=True)

    assert world.read().json["sums"]["balance"] == 5


def test_wallets_of_a_tag_that_is_not_counted_stay_on_the_list_and_out_of_its_sums(world):
    pool = world.add_tag("pool")
    world.add_tag("team")
    world.track(Visitor().address, balance=5, tag_names=["team"])
    world.track(Visitor().address, balance=90, tag_names=["team", "pool"])
    before = world.read()

    tags.update_tag(pool.id, TagFields(is_counted=False), world.change())

    page = world.read().json
    assert page["sums"] == {
        "balance": 95, "wallets": 2, "countedBalance": 5, "countedWallets": 1,
    }  # fmt: skip
    assert {tag["name"]: tag.get("counted") for tag in page["tags"]} == {
        "pool": False,
        "team": None,
    }
    assert len(page["wallets"]) == 2
    tags.update_tag(pool.id, TagFields(is_counted=True), world.change())
    assert world.read().data == before.data


class TestWithAnEndpoint:
    @pytest.fixture
    def chain(self):
        return FakeChain()

    @pytest.fixture
    def run(self, world):
        return lambda: refresh_balances(
            world.app.extensions[EXTENSION], on_progress=lambda done, total: None
        )

    def test_page_has_the_supply_and_the_share_of_what_is_counted(self, world, chain, run):
        world.add_tag("pool", is_counted=False)
        holder, pool = Visitor().address, Visitor().address
        world.track(holder)
        world.track(pool, tag_names=["pool"])
        for address, amount in ((holder, 25), (pool, 50), (Visitor().address, 125)):
            chain.hold(address, amount)
        run()

        page = world.read().json

        assert page["supply"] == 200
        assert page["sums"] == {
            "balance": 75,
            "wallets": 2,
            "countedBalance": 25,
            "countedWallets": 1,
            "countedShare": 0.125,
        }

    def test_nothing_stands_where_nothing_was_read_yet(self, world):
        world.track(Visitor().address)

        page = world.read().json

        assert "supply" not in page
        assert "sums" not in page

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

    page = read_exactly(world.read())

    assert page["sums"]["balance"] == Decimal("999999999999999.9999999999999999")
    assert page["sums"]["wallets"] == 10_000


def test_ranks_are_by_exact_balances(world):
    balances = ["10000000000", "10000000000.00000000000000000001", "10000000000", "0"]
    for balance in balances:
        world.track(Visitor().address, balance=balance)
        world.clock.forward(seconds=1)

    payload = get_payload(world.page_id, world.page.version, world.balances)

    assert list(payload.standings.ranks) == [2, 1, 2, 0]
    assert list(payload.choose("balance")) == [1, 0, 2, 3]
    assert payload.standings.highest == Decimal(balances[1])
