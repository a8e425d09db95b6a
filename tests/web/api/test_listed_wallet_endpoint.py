"""GET /tracking/{page}/wallets/{address}: whether one wallet is on the list."""

from decimal import Decimal

import pytest
from support.world import USDC, Visitor, code_of

from embed.db.models import Token

pytestmark = pytest.mark.slow


@pytest.fixture
def read(world):
    def read(address: str, **how):
        return world.call("GET", f"/api/embed/tracking/{world.page_id}/wallets/{address}", **how)

    return read


@pytest.mark.parametrize("key", ["public_key", "secret_key"])
def test_wallet_is_as_the_list_has_it(world, read, key):
    address = Visitor().address
    world.track(address, balance="1250.5", alias="Treasury")

    answer = read(address, key=getattr(world, key))

    assert answer.status_code == 200
    assert [answer.json] == world.read().json["wallets"]
    assert answer.json["tokenBalance"] == 1250.5


def test_share_is_there_once_the_supply_is_known(world, read):
    world.use_endpoint("http://127.0.0.1:9/")
    known, unknown = Visitor().address, Visitor().address
    world.track(known, balance="250")
    world.track(unknown)
    assert "share" not in read(known).json

    Token.create(mint=USDC, supply=Decimal(1000), supply_observed_at=world.clock())

    assert read(known).json["share"] == 0.25
    assert "share" not in read(unknown).json


def test_hidden_and_unknown_wallets_cannot_be_told_apart(world, read):
    hidden = Visitor().address
    world.track(hidden, is_hidden=True)

    answers = [read(hidden), read(Visitor().address)]

    assert [code_of(one) for one in answers] == ["wallet_not_found"] * 2
    assert answers[0].data == answers[1].data
