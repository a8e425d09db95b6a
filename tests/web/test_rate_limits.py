"""Limits per address, key and session (docs/api.md, Limits); windows run on real time."""

import secrets

import pytest
import redis
from support.servers import find_free_port
from support.world import SITE, Visitor, World, code_of, with_session

from embed.db import connection
from embed.factory import create_app
from embed.settings import Settings

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


def test_every_request_counts_whatever_its_answer(world_with):
    world = world_with(LIMIT_PER_IP="7/hour")

    answers = [
        world.read(headers={"Authorization": None}),
        world.read(key="svc_pub_" + "0" * 32),
        world.read(headers={"Origin": "https://evil.example"}),
        world.post({}),
        world.call("GET", f"/embed/tracking/{world.page_id}"),
        world.call("GET", "/dashboard/"),
        world.call("GET", "/dashboard/nothing"),
    ]
    assert [answer.status_code for answer in answers] == [401, 401, 403, 400, 401, 302, 404]

    assert code_of(world.read()) == "rate_limit_ip"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/api/embed/tracking/x"),
        ("GET", "/embed/api/tracking/x"),
        ("HEAD", "/embed/tracking/x"),
        ("GET", "/api/embed/openapi.json"),
        ("POST", "/api/embed/siws/nonce"),
        ("GET", "/dashboard/"),
        ("POST", "/dashboard/sign-in"),
        ("GET", "/docs/"),
    ],
)
def test_every_path_with_a_route_is_limited(world_with, method, path):
    world = world_with(LIMIT_PER_IP="1/hour")
    assert world.call(method, path).status_code != 429

    assert world.call(method, path).status_code == 429


def test_static_files_are_not_limited(world_with):
    world = world_with(LIMIT_PER_IP="1/hour")
    for path in ("/embed.js", "/static/x/embed.js", "/embed.js"):
        with world.call("GET", path) as answer:  # an open file
            assert answer.status_code == 200

    assert code_of(world.read()) is None


def test_iframe_route_is_limited_with_a_page_for_people(world_with):
    world = world_with(LIMIT_PER_IP="1/hour")
    path = f"/embed/tracking/{world.page_id}?key={world.public_key}"
    assert world.call("GET", path).status_code == 200

    refused = world.call("GET", path)

    assert refused.mimetype == "text/html"
    assert 3570 <= retry_after(refused) <= 3600
    assert "Set-Cookie" not in refused.headers


@pytest.mark.parametrize("path", ["/tracking/{}", "/siws/nonce", "/session/submissions"])
def test_preflights_neither_count_nor_are_refused(world_with, path):
    world = world_with(LIMIT_PER_IP="1/hour")
    for _ in range(3):
        world.call("OPTIONS", "/api/embed" + path.format(world.page_id))

    assert code_of(world.read()) is None
    assert code_of(world.read()) == "rate_limit_ip"
    assert world.call("OPTIONS", f"/api/embed/tracking/{world.page_id}").status_code == 204


@pytest.mark.parametrize(
    ("first", "second", "are_one"),
    [
        (HERE, HERE, True),
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
        ("1", "[2001:db8::7]:4711", "2001:db8::1"),
        ("2", "203.0.113.9, 198.51.100.7", "203.0.113.9"),
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


def test_flood_of_preflights_is_answered_without_the_database_while_redis_is_away(
    world_with, count_statements
):
    nowhere = f"redis://127.0.0.1:{find_free_port()}"
    world = world_with(RATELIMIT_STORAGE_URI=nowhere)

    assert count_statements(lambda: [send_preflight(world) for _ in range(3)]) <= 3
    assert count_statements(lambda: send_preflight(world, origin="https://evil.example")) == 0


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

    for root in ("/api/embed", "/embed/api"):
        world.root = root
        for refused in (
            world.read(),
            world.ask_nonce(visitor),
            world.post({}),
            world.list_own(visitor),
        ):
            assert code_of(refused) == "rate_limit_key"
            assert 3570 <= retry_after(refused) <= 3600


# Per session


@pytest.fixture
def tight(world_with):
    return world_with(LIMIT_SESSION_NONCES="2/hour", LIMIT_SESSION_SUBMISSIONS="1/10 minutes")


def test_nonces_are_limited_per_session(tight):
    visitor = with_session(tight)
    for _ in range(2):
        assert code_of(tight.ask_nonce(visitor)) is None

    refused = tight.ask_nonce(visitor)

    assert code_of(refused) == "rate_limit_session"
    assert 3570 <= retry_after(refused) <= 3600


def test_other_sessions_and_visitors_without_one_are_not_concerned(tight):
    visitor, other = with_session(tight), with_session(tight)
    for _ in range(3):
        tight.ask_nonce(visitor)

    assert code_of(tight.ask_nonce(other)) is None
    visitor.cookie = None
    for _ in range(3):
        assert code_of(tight.ask_nonce(visitor)) is None


def test_submissions_are_limited_per_session(tight):
    visitor, second = with_session(tight), Visitor()
    drafts = [tight.draft(visitor), tight.draft(second)]
    assert code_of(tight.post(drafts[0], cookie=visitor.cookie)) is None

    refused = tight.post(drafts[1], cookie=visitor.cookie)

    assert code_of(refused) == "rate_limit_session"
    assert 570 <= retry_after(refused) <= 600
    assert code_of(tight.post(drafts[1])) is None


# Where the counters are stored


@pytest.mark.parametrize(
    ("setting", "code"), [("LIMIT_PER_IP", "rate_limit_ip"), ("LIMIT_PER_KEY", "rate_limit_key")]
)
def test_processes_count_together_in_redis(environ, redis_url, clock, setting, code):
    environ |= {"RATELIMIT_STORAGE_URI": redis_url, setting: "1/hour"}
    # Redis keeps its counters after this test, so no other test may use this address.
    here = at(f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1")
    settings = Settings.from_environ(environ)
    first = World(create_app(settings, clock=clock), clock)
    assert code_of(first.read(**here)) is None

    connection.db.close()
    second = create_app(settings, clock=clock)
    first.client = second.test_client(use_cookies=False)
    refused = first.read(**here)
    connection.db.close()

    assert code_of(refused) == code
    assert 3570 <= retry_after(refused) <= 3600


def test_redis_holds_nothing_but_counters(world_with, redis_url):
    url = f"{redis_url}?db=9"  # no other test's
    world = world_with(RATELIMIT_STORAGE_URI=url)
    visitor = with_session(world)
    world.submit(visitor, **at("203.0.113.77"))
    world.list_own(visitor)

    with redis.Redis.from_url(url.removeprefix("redis+"), decode_responses=True) as client:
        values = {key: client.get(key) for key in client.scan_iter()}

    assert {key.split("/")[2] for key in values} == {
        "rate_limit_ip",
        "rate_limit_key",
        "rate_limit_session",
    }
    assert all(value.isdigit() for value in values.values())
    assert not any("203.0.113.77" in key for key in values)  # Redis may save them to disk


def check_limits_hold(world) -> None:
    assert code_of(world.read()) is None
    assert code_of(world.read()) is None
    assert code_of(world.read()) == "rate_limit_key"
    assert code_of(world.read(key=world.secret_key)) == "rate_limit_ip"


@pytest.mark.parametrize("scheme", ["redis", "valkey"])
def test_limits_hold_per_process_while_redis_is_away(world_with, scheme):
    world = world_with(
        RATELIMIT_STORAGE_URI=f"{scheme}://127.0.0.1:{find_free_port()}",
        LIMIT_PER_IP="3/hour",
        LIMIT_PER_KEY="2/hour",
    )

    check_limits_hold(world)
