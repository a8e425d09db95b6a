"""Limits per address, key and session (docs/api.md, Limits); windows run on real time."""

import pytest
from peewee import OperationalError
from support.world import SITE, Visitor, code_of, with_session

from embed.web.api import operations

HERE = "192.0.2.1"


def at(address: str, *, forwarded: str | None = None) -> dict:
    """Return the arguments of a call that comes from this address."""
    environ = {"REMOTE_ADDR": address}
    if forwarded is not None:
        environ["HTTP_X_FORWARDED_FOR"] = forwarded
    return {"environ_base": environ}


def is_limited(world, address: str, **more) -> bool:
    return code_of(world.read(**at(address, **more))) == "rate_limit_ip"


def retry_after(answer) -> int:
    assert answer.status_code == 429
    return int(answer.headers["Retry-After"])


# Per address


ROUTES = [
    ("GET", "/"),
    ("GET", "/api/embed/tracking/x"),
    ("HEAD", "/embed/tracking/x"),
    ("GET", "/api/embed/openapi.json"),
    ("POST", "/embed/api/siws/nonce"),
    ("GET", "/dashboard/nothing"),
    ("POST", "/dashboard/sign-in"),
    ("GET", "/docs/"),
]


def test_every_request_to_a_route_counts_whatever_its_answer(world_with):
    world = world_with(LIMIT_PER_IP=f"{len(ROUTES)}/hour")

    first, second = ([world.call(*route).status_code for route in ROUTES] for _ in range(2))

    assert 429 not in first
    assert second == [429] * len(ROUTES)
    widget = world.call("GET", f"/embed/tracking/{world.page_id}?key={world.public_key}")
    assert widget.mimetype == "text/html"
    assert 3570 <= retry_after(widget) <= 3600
    assert "Set-Cookie" not in widget.headers


def test_static_files_are_not_limited(world_with):
    world = world_with(LIMIT_PER_IP="1/hour")
    for path in ("/embed.js", "/static/x/embed.js", "/embed.js"):
        with world.call("GET", path) as answer:  # an open file
            assert answer.status_code == 200

    assert code_of(world.read()) is None


@pytest.mark.parametrize(
    ("first", "second", "are_one"),
    [
        (HERE, "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", HERE, True),
    ],
)
def test_client_is_an_ipv4_address_or_an_ipv6_network_of_64_bits(
    world_with, first, second, are_one
):
    world = world_with(LIMIT_PER_IP="1/hour")
    assert not is_limited(world, first)

    assert is_limited(world, second) is are_one


@pytest.mark.parametrize(
    ("proxies", "forwarded", "client"),
    [
        ("0", "198.51.100.7", HERE),
        ("1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("1", "198.51.100.7:4711", "198.51.100.7"),
        ("2", "192.0.2.99, 203.0.113.9, 198.51.100.7", "203.0.113.9"),
        ("2", "198.51.100.7", HERE),
    ],
)
def test_as_many_forwarded_hops_are_believed_as_there_are_trusted_proxies(
    world_with, proxies, forwarded, client
):
    world = world_with(LIMIT_PER_IP="1/hour", TRUSTED_PROXIES=proxies)
    assert not is_limited(world, HERE, forwarded=forwarded)

    assert is_limited(world, client)
    assert not is_limited(world, "198.51.100.99")


def send_preflight(world, *, origin=SITE, **arguments):
    path = f"/api/embed/tracking/{world.page_id}"
    return world.call("OPTIONS", path, headers={"Origin": origin}, **arguments)


def test_flood_of_preflights_is_answered_without_the_database(world_with, count_statements):
    world = world_with(LIMIT_PER_IP="3/hour")
    world.read()
    assert count_statements(lambda: send_preflight(world)) == 1
    for _ in range(2):
        assert send_preflight(world, origin="https://evil.example").status_code == 403

    assert count_statements(lambda: send_preflight(world)) == 0
    assert send_preflight(world).status_code == 204
    assert count_statements(lambda: send_preflight(world, **at("192.0.2.2"))) == 1
    assert [code_of(world.read()) for _ in range(3)] == [None, None, "rate_limit_ip"]


# Submissions per address


def test_one_address_cannot_fill_a_queue(world_with):
    world = world_with(LIMIT_IP_SUBMISSIONS="2/10 minutes")
    world.configure(queue_capacity=3)
    for _ in range(2):
        assert code_of(world.submit(Visitor())) is None

    refused = world.submit(Visitor())

    assert code_of(refused) == "rate_limit_ip"
    assert 570 <= retry_after(refused) <= 600
    assert code_of(world.read()) is None
    draft = world.draft(Visitor())
    assert code_of(world.post(draft, **at("192.0.2.2"))) is None


def test_only_good_signatures_count_for_an_address(world_with):
    world = world_with(LIMIT_IP_SUBMISSIONS="1/hour")
    draft = world.draft(Visitor())
    for wrong in ({"signature": ""}, {"nickname": ""}, {"nonceId": "x"}, {"walletAddress": "x"}):
        assert world.post(draft | wrong).status_code in (400, 401)

    assert code_of(world.post(draft)) is None
    assert code_of(world.submit(Visitor())) == "rate_limit_ip"


# Per key


def test_all_endpoints_and_both_addresses_count_together_for_a_key(world_with):
    world = world_with(LIMIT_PER_KEY="5/hour")
    visitor = Visitor()

    answers = [world.read(), world.ask_nonce(visitor), world.list_own(visitor)]
    world.root = "/embed/api"
    answers += [world.read(), world.post({})]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 400]

    for refused in (world.read(), world.ask_nonce(visitor), world.post({})):
        assert code_of(refused) == "rate_limit_key"
        assert 3570 <= retry_after(refused) <= 3600


# Per session


def test_nonces_are_limited_per_session(world_with):
    world = world_with(LIMIT_SESSION_NONCES="2/hour")
    visitor = with_session(world)
    for _ in range(2):
        assert code_of(world.ask_nonce(visitor)) is None

    refused = world.ask_nonce(visitor)

    assert code_of(refused) == "rate_limit_session"
    assert 3570 <= retry_after(refused) <= 3600
    for other in (with_session(world), *[Visitor()] * 3):
        assert code_of(world.ask_nonce(other)) is None


def test_submissions_are_limited_per_session_whose_list_shows_the_refusal(world_with):
    world = world_with(LIMIT_SESSION_SUBMISSIONS="1/10 minutes")
    visitor = with_session(world)
    first, second = (world.draft(Visitor()) for _ in range(2))
    assert code_of(world.post(first, cookie=visitor.cookie)) is None

    refused = world.post(second, cookie=visitor.cookie)

    assert code_of(refused) == "rate_limit_session"
    assert 570 <= retry_after(refused) <= 600
    own = world.list_own(visitor).json["submissions"]
    assert {one["status"]: one["rejectReason"] for one in own} == {
        "pending": None,
        "soft_rejected": "rate_limited",
    }
    assert code_of(world.post(second)) is None


# The limits of client and key, one after the other (docs/api.md, The order of checks)


EVIL = {"Origin": "https://evil.example"}


def test_flood_of_a_client_does_not_ask_the_database(world_with, count_statements):
    world = world_with(LIMIT_PER_IP="1/hour")
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


def test_client_above_its_limit_is_told_so_first_and_uses_up_no_key(world_with):
    world = world_with(LIMIT_PER_IP="2/hour", LIMIT_PER_KEY="3/hour")
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
def test_refused_request_counts_for_its_client_and_not_for_the_key(world_with, code):
    world = world_with(LIMIT_PER_IP="3/hour", LIMIT_PER_KEY="1/hour", PUBLIC_URL="http://localhost")
    here = at("192.0.2.1")

    codes = [code_of(world.read(**REFUSED[code], **here)) for _ in range(5)]

    assert codes == 3 * [code] + 2 * ["rate_limit_ip"]
    assert code_of(world.read(**at("192.0.2.2"))) is None
    assert code_of(world.read(**at("192.0.2.2"))) == "rate_limit_key"


def test_client_is_limited_while_the_database_is_away(world_with, monkeypatch):
    def fail(_key):
        raise OperationalError("gone")

    world = world_with(LIMIT_PER_IP="2/hour", LIMIT_PER_KEY="1/hour")
    with monkeypatch.context() as patch:
        patch.setattr(operations, "get_access", fail)
        codes = [code_of(world.read(**at("192.0.2.1"))) for _ in range(4)]

    assert codes == 2 * ["unavailable"] + 2 * ["rate_limit_ip"]
    assert code_of(world.read()) is None


@pytest.mark.parametrize(
    "path", ["/api/embed/openapi.json", "/dashboard/sign-in", "/embed/tracking/x"]
)
def test_limit_of_the_client_comes_before_the_host_everywhere(world_with, path):
    world = world_with(LIMIT_PER_IP="1/hour", PUBLIC_URL="http://localhost")
    wrong = {"headers": {"Host": "other.example"}}

    assert [world.call("GET", path, **wrong).status_code for _ in range(2)] == [400, 429]
    preflight = f"/api/embed/tracking/{world.page_id}"
    answer = world.call("OPTIONS", preflight, headers={"Host": "other.example", "Origin": SITE})
    assert answer.status_code == 400
