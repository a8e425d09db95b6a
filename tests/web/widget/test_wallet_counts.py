"""/embed/page/{id}/count.json: what caches and other sites may keep of a list."""

from decimal import Decimal

import pytest
from shared_pages import ENDINGS, every_ending, get, share
from support.world import USDC, Visitor

from embed.db.models import Token


@pytest.fixture
def path(world) -> str:
    return f"{share(world)}/count.json"


@pytest.fixture
def known_supply(world) -> None:
    """128 wallets, which hold 12.4 % of the supply."""
    world.use_endpoint("http://127.0.0.1:9/")
    now = world.clock()
    Token.insert(
        mint=USDC,
        program=USDC,
        decimals=6,
        supply=Decimal(128_000),
        supply_observed_at=now,
        observed_at=now,
    ).execute()
    for _ in range(128):
        world.track(Visitor().address, balance=124)


def test_counts_are_numbers_and_a_sentence(world, path, known_supply):
    answer = get(world, path)

    assert answer.content_type == "application/json"
    assert answer.json == {
        "wallets": 128,
        "share": 0.124,
        "text": "128 wallets · 12.4% of supply",
    }


def test_share_is_left_out_while_nobody_knows_it(world, path):
    world.track(Visitor().address, balance=5)

    assert get(world, path).json == {
        "wallets": 1,
        "share": None,
        "text": "1 wallet",
    }


def test_share_is_of_all_wallets_as_in_the_sentence_of_the_list(world, path, known_supply):
    world.add_tag("pool", is_counted=False)
    world.track(Visitor().address, balance=64_000, tag_names=["pool"])

    counts = get(world, path).json
    assert (counts["wallets"], counts["share"]) == (129, 0.624)


@pytest.mark.parametrize(
    ("named", "text"),
    [({}, "0 wallets"), ({"lang": "xx"}, "0 wallets"), ({"lang": "de-AT"}, "0 Wallets")],
)
def test_text_is_in_the_language_of_the_address_else_in_english(world, path, named, text):
    # A browser's language would get into shared caches, most of which ignore Vary.
    assert get(world, path, headers={"Accept-Language": "ar"}, **named).json["text"] == text


def test_shared_caches_may_keep_it_for_five_minutes_and_every_site_may_read_it(world, path):
    headers = get(world, path).headers

    assert set(headers["Cache-Control"].split(", ")) == {"public", "max-age=300"}
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in headers
    assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Set-Cookie" not in headers


def test_nothing_is_sent_again_until_the_counts_change(world, path):
    etag = get(world, path).headers["ETag"]

    same = get(world, path, headers={"If-None-Match": etag})
    assert (same.status_code, same.data) == (304, b"")
    assert same.headers["Cache-Control"] == get(world, path).headers["Cache-Control"]

    world.track(Visitor().address)
    changed = get(world, path, headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != etag


@every_ending
def test_nothing_is_told_once_the_link_has_ended(world, path, ending):
    ENDINGS[ending](world)
    answer = get(world, path)

    assert answer.status_code == 404
    assert "no-store" in answer.headers["Cache-Control"]


def test_refusal_of_counts_is_json_that_every_site_may_read(world):
    answer = get(world, f"/embed/page/{world.page_id}/count.json")

    assert answer.json == {"error": "not_found"}
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
