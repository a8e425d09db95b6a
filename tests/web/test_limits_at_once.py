"""The limits of client and key, one after the other (docs/api.md, The order of checks)."""

import pytest
from peewee import OperationalError
from support.remote import at_once
from support.servers import open_valkey, provide
from support.world import SITE, code_of
from test_rate_limits import at

from embed.web.api import operations

EVIL = {"Origin": "https://evil.example"}


@pytest.fixture
def valkey():
    yield from provide(open_valkey)


@pytest.fixture(params=["memory", "redis"])
def limited(world_with, request):
    """Make a world with the limits that are given, counted in memory or in a Redis."""
    uri = "memory://"
    if request.param == "redis":
        uri = f"redis+unix://{request.getfixturevalue('valkey').path}"
    return lambda **limits: world_with(RATELIMIT_STORAGE_URI=uri, **limits)


def test_flood_of_a_client_does_not_ask_the_database(limited, count_statements):
    world = limited(LIMIT_PER_IP="1/hour")
    assert [code_of(world.read()) for _ in range(2)] == [None, "rate_limit_ip"]

    for flood in (
        world.read,
        lambda: world.read(headers=EVIL),
        lambda: world.read(key="svc_pub_" + "0" * 32),
        lambda: world.call("GET", "/dashboard/sign-in"),
    ):
        assert count_statements(flood) == 0
        refused = flood()
        assert refused.status_code == 429
        assert 3570 <= int(refused.headers["Retry-After"]) <= 3600


def test_client_above_its_limit_is_told_so_first_and_uses_up_no_key(limited):
    world = limited(LIMIT_PER_IP="2/hour", LIMIT_PER_KEY="3/hour")
    here, there = at("192.0.2.1"), at("192.0.2.2")
    codes = [code_of(world.read(**here)) for _ in range(5)]
    assert codes == 2 * [None] + 3 * ["rate_limit_ip"]

    codes = [code_of(world.read(**there)) for _ in range(3)]
    assert codes == [None, "rate_limit_key", "rate_limit_ip"]


REFUSED = {
    "invalid_host": {"headers": {"Host": "other.example"}},
    "missing_key": {"headers": {"Authorization": None}},
    "invalid_key": {"key": "svc_pub_" + "0" * 32},
    "missing_origin": {"headers": {"Origin": None}},
    "origin_not_allowed": {"headers": EVIL},
}


@pytest.mark.parametrize("code", REFUSED)
def test_refused_request_counts_for_its_client_and_not_for_the_key(limited, code):
    world = limited(LIMIT_PER_IP="3/hour", LIMIT_PER_KEY="1/hour", PUBLIC_URL="http://localhost")
    here = at("192.0.2.1")

    codes = [code_of(world.read(**REFUSED[code], **here)) for _ in range(5)]

    assert codes == 3 * [code] + 2 * ["rate_limit_ip"]
    assert code_of(world.read(**at("192.0.2.2"))) is None
    assert code_of(world.read(**at("192.0.2.2"))) == "rate_limit_key"


def test_client_is_limited_while_the_database_is_away(limited, monkeypatch):
    def fail(_key):
        raise OperationalError("gone")

    world = limited(LIMIT_PER_IP="2/hour", LIMIT_PER_KEY="1/hour")
    with monkeypatch.context() as patch:
        patch.setattr(operations, "get_access", fail)
        codes = [code_of(world.read(**at("192.0.2.1"))) for _ in range(4)]

    assert codes == 2 * ["unavailable"] + 2 * ["rate_limit_ip"]
    assert code_of(world.read()) is None


@pytest.mark.parametrize(
    "path", ["/api/embed/openapi.json", "/dashboard/sign-in", "/embed/tracking/x"]
)
def test_limit_of_the_client_comes_before_the_host_everywhere(limited, path):
    world = limited(LIMIT_PER_IP="1/hour", PUBLIC_URL="http://localhost")
    wrong = {"headers": {"Host": "other.example"}}

    assert [world.call("GET", path, **wrong).status_code for _ in range(2)] == [400, 429]
    preflight = f"/api/embed/tracking/{world.page_id}"
    answer = world.call("OPTIONS", preflight, headers={"Host": "other.example", "Origin": SITE})
    assert answer.status_code == 400


def test_requests_at_once_get_past_both_limits_just_so_often(limited):
    world = limited(LIMIT_PER_IP="12/hour", LIMIT_PER_KEY="7/hour")
    read = world.read

    codes = [
        code
        for codes in at_once([lambda: [code_of(read()) for _ in range(4)]] * 6)
        for code in codes
    ]

    assert codes.count(None) == 7
    assert codes.count("rate_limit_key") == 5
    assert codes.count("rate_limit_ip") == 12
