"""The embed doctor: refused origins are counted, and their number is bounded."""

import pytest
from support.world import SITE, Visitor, code_of

from embed.db.models import ApiKey, RefusedOrigin
from embed.keys import access, refused_origins

pytestmark = pytest.mark.databases("sqlite", "postgres")

STRANGE = "https://strange.example"


def read_from(world, origin: str, client: int = 0):
    """Read the page from a site, with one of many clients."""
    address = {"REMOTE_ADDR": f"198.51.100.{client}"}
    return world.read(headers={"Origin": origin}, environ_base=address)


def list_refused(world) -> dict[str, int]:
    by_key = refused_origins.list_refused_origins(world.page_id)
    return {refusal.origin: refusal.count for refusals in by_key.values() for refusal in refusals}


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (STRANGE, STRANGE),
        ("HTTPS://Strange.Example:443", STRANGE),
        ("null", "null"),
        ("no origin", None),
        (f"https://{'a' * 60}.{'b' * 300}", None),
    ],
)
def test_refused_site_is_kept_in_its_normal_form_if_it_has_one(world, said, kept):
    answer = world.read(headers={"Origin": said})

    assert answer.json == {"error": "origin_not_allowed"}
    assert list(list_refused(world)) == ([kept] if kept else [])


def test_refusals_count_at_most_once_a_minute(world):
    for client in range(5):
        read_from(world, STRANGE, client)
    assert list_refused(world) == {STRANGE: 1}

    world.clock.forward(seconds=59)
    read_from(world, STRANGE)
    assert list_refused(world) == {STRANGE: 1}

    world.clock.forward(seconds=1)
    read_from(world, STRANGE)
    assert list_refused(world) == {STRANGE: 2}


def test_one_client_reports_few_sites(world):
    for number in range(20):
        assert code_of(read_from(world, f"https://{number}.example")) == "origin_not_allowed"
        world.clock.forward(minutes=1)
    read_from(world, STRANGE, client=1)

    assert list(list_refused(world)) == [
        STRANGE,
        *(f"https://{number}.example" for number in (4, 3, 2, 1, 0)),
    ]


def test_flood_of_made_up_sites_fills_nothing_and_stops_writing(world):
    for number in range(refused_origins.MAX_PER_KEY + 10):
        read_from(world, f"https://{number}.example", client=number)

    kept = list_refused(world)
    assert list(kept.values()) == [1] * refused_origins.MAX_PER_KEY
    assert "https://25.example" not in kept

    world.clock.forward(minutes=1)
    read_from(world, "https://25.example", client=99)
    assert "https://25.example" in list_refused(world)
    assert RefusedOrigin.select().count() == refused_origins.MAX_PER_KEY


def test_frame_on_a_site_that_is_not_listed_is_noticed(world):
    path = f"/embed/tracking/{world.page_id}?key={world.public_key}"
    framed = {"Sec-Fetch-Dest": "iframe"}

    for site in (SITE, "http://localhost"):
        world.client.get(path, headers={"Referer": f"{site}/page"} | framed)
    world.client.get(path, headers={"Referer": "https://search.example/"})  # a plain link
    assert list_refused(world) == {}

    answer = world.client.get(path, headers={"Referer": f"{STRANGE}/page"} | framed)
    assert answer.status_code == 200
    assert list_refused(world) == {STRANGE: 1}


@pytest.mark.parametrize(("allows_null", "refused"), [(False, [STRANGE, "null"]), (True, [])])
def test_sites_around_a_frame_are_noticed_though_only_the_innermost_asks_for_it(
    world, allows_null, refused
):
    key = world.make_key("public", origins=[SITE], allow_null_origin=allows_null)
    path = f"/embed/tracking/{world.page_id}/sites"
    sites = [SITE, "http://localhost", f"{STRANGE}:443", "null", "no origin", ""]

    answer = world.client.get(path, query_string={"key": key, "site": sites})

    assert answer.json == {"refused": refused}
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert list_refused(world) == dict.fromkeys(refused, 1)
    other = world.make_key("public", page_id=world.make_page())
    assert world.client.get(path, query_string={"key": other}).status_code == 401


def test_doctor_that_cannot_write_fails_no_request(world):
    RefusedOrigin.drop_table()
    try:
        assert world.read(headers={"Origin": STRANGE}).json == {"error": "origin_not_allowed"}
        assert world.read().status_code == 200
    finally:
        RefusedOrigin.create_table()


def test_use_of_a_key_is_noted_to_the_hour(world):
    def last_used():
        return ApiKey.get(ApiKey.id == access.find_access(world.public_key).key_id).last_used_at

    world.read(headers={"Origin": STRANGE})
    assert last_used() is None
    world.read()
    first = last_used()
    assert first == world.clock()
    world.clock.forward(minutes=59)
    world.ask_nonce(Visitor())
    assert last_used() == first
    world.clock.forward(minutes=1)
    world.ask_nonce(Visitor())
    assert last_used() == world.clock()
