"""/embed/page/{id}/count.json: what caches and other sites may keep of a list."""

from decimal import Decimal

import pytest
from shared_pages import ENDINGS, every_ending, get, share
from support.world import USDC, Visitor

from embed.db.models import Token


@pytest.fixture
def path(world) -> str:
    return f"{share(world)}/count.json"


def test_counts_are_numbers_and_a_sentence_and_the_share_is_of_all_wallets(world, path):
    world.add_tag("pool", is_counted=False)
    world.track(Visitor().address, balance=100, tag_names=["pool"])
    world.track(Visitor().address, balance=24)
    assert get(world, path).json == {"wallets": 2, "share": None, "text": "2 wallets"}

    world.use_endpoint("http://127.0.0.1:9/")
    Token.create(mint=USDC, supply=Decimal(1000), supply_observed_at=world.clock())
    answer = get(world, path)

    assert answer.content_type == "application/json"
    assert answer.json == {"wallets": 2, "share": 0.124, "text": "2 wallets · 12.4% of supply"}


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

    assert (answer.status_code, answer.json) == (404, {"error": "not_found"})
    assert "no-store" in answer.headers["Cache-Control"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
