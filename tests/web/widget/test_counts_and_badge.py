"""/embed/page/{id}/count.json and badge.svg: what caches and other sites may keep of a list."""

import base64
import hashlib
from decimal import Decimal
from xml.etree import ElementTree

import pytest
from shared_pages import ENDINGS, every_ending, get, share
from support.world import USDC, Visitor
from test_iframe_route import read_policy

from embed.db.models import Token
from embed.domain.colors import MIN_SHAPE_CONTRAST, MIN_TEXT_CONTRAST, compute_contrast
from embed.domain.languages import LANGUAGES
from embed.pages import change_look
from embed.web.widget.badge import LETTER_SIZE, measure

BOTH = pytest.mark.parametrize("part", ["/count.json", "/badge.svg"])
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def path(world) -> str:
    return share(world)


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


def read_badge(world, path, **query):
    answer = get(world, f"{path}/badge.svg", **query)
    assert answer.status_code == 200
    assert answer.content_type == "image/svg+xml; charset=utf-8"
    return ElementTree.fromstring(answer.data)  # noqa: S314 -- the service's own


def test_counts_are_numbers_and_a_sentence(world, path, known_supply):
    answer = get(world, f"{path}/count.json")

    assert answer.content_type == "application/json"
    assert answer.json == {
        "wallets": 128,
        "share": 0.124,
        "text": "128 wallets · 12.4% of supply",
    }


def test_share_is_left_out_while_nobody_knows_it(world, path):
    world.track(Visitor().address, balance=5)

    assert get(world, f"{path}/count.json").json == {
        "wallets": 1,
        "share": None,
        "text": "1 wallet",
    }


def test_hidden_wallets_are_not_counted(world, path):
    world.track(Visitor().address, is_hidden=True)

    assert get(world, f"{path}/count.json").json["wallets"] == 0


def test_wallets_that_do_not_count_have_no_part_in_the_share(world, path, known_supply):
    world.add_tag("pool", is_counted=False)
    world.track(Visitor().address, balance=64_000, tag_names=["pool"])

    counts = get(world, f"{path}/count.json").json
    assert (counts["wallets"], counts["share"]) == (129, 0.124)


def test_text_is_in_the_language_of_the_address_else_of_the_browser(world, path):
    german = {"Accept-Language": "de-AT"}

    def read(**how) -> str:
        return get(world, f"{path}/count.json", **how).json["text"]

    assert (read(), read(headers=german)) == ("0 wallets", "0 Wallets")
    assert (read(headers=german, lang="en"), read(lang="xx")) == ("0 wallets", "0 wallets")


@BOTH
def test_shared_caches_may_keep_it_for_five_minutes_and_every_site_may_read_it(world, path, part):
    headers = get(world, path + part).headers

    assert set(headers["Cache-Control"].split(", ")) == {"public", "max-age=300"}
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in headers
    assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Set-Cookie" not in headers


@BOTH
def test_answer_of_the_address_alone_is_kept_for_everybody(world, path, part):
    assert get(world, path + part).headers["Vary"] == "Accept-Language"
    assert "Vary" not in get(world, path + part, lang="de").headers


@BOTH
def test_nothing_is_sent_again_until_the_counts_change(world, path, part):
    etag = get(world, path + part).headers["ETag"]

    same = get(world, path + part, headers={"If-None-Match": etag})
    assert (same.status_code, same.data) == (304, b"")
    assert same.headers["Cache-Control"] == get(world, path + part).headers["Cache-Control"]

    world.track(Visitor().address)
    changed = get(world, path + part, headers={"If-None-Match": etag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != etag


@BOTH
@every_ending
def test_nothing_is_told_once_the_link_has_ended(world, path, part, ending):
    ENDINGS[ending](world)
    answer = get(world, path + part)

    assert answer.status_code == 404
    assert "no-store" in answer.headers["Cache-Control"]


def test_refusal_of_counts_is_json_that_every_site_may_read(world):
    answer = get(world, f"/embed/page/{world.page_id}/count.json")

    assert answer.json == {"error": "not_found"}
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


# The badge


def test_badge_says_the_counts_to_eyes_and_screen_readers(world, path, known_supply):
    svg = read_badge(world, path)

    text = "128 wallets · 12.4% of supply"
    assert (svg.get("role"), svg.get("aria-label")) == ("img", text)
    assert svg.find(f"{SVG}title").text == svg.find(f"{SVG}text").text == text
    assert svg.find(f"{SVG}text").get("textLength") == str(measure(text))
    assert float(svg.get("width")) > measure(text) + 30


@pytest.mark.parametrize("lang", LANGUAGES)
def test_badge_has_room_in_every_language(world, path, known_supply, lang):
    svg = read_badge(world, path, lang=lang)
    text = svg.find(f"{SVG}text").text

    assert text == get(world, f"{path}/count.json", lang=lang).json["text"]
    assert len(text) * LETTER_SIZE / 3 < measure(text) <= len(text) * LETTER_SIZE


def test_badge_follows_the_device_unless_a_theme_is_asked_for(world, path):
    styles = {
        theme: read_badge(world, path, theme=theme).find(f"{SVG}style").text
        for theme in ("auto", "light", "dark", "</style><script>", "")
    }

    assert "@media(prefers-color-scheme:dark)" in styles["auto"]
    assert styles["auto"] == styles["</style><script>"] == styles[""]
    assert styles["auto"].startswith(styles["light"])
    assert styles["dark"] in styles["auto"]
    assert "@media" not in styles["light"] + styles["dark"]


@pytest.mark.parametrize("accent", ["3e63dd", "ffff00", "000000", "ffffff"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_badge_can_be_read_with_every_accent(world, path, accent, theme):
    change_look(world.page_id, {"accent": accent}, world.clock())
    style = read_badge(world, path, theme=theme).find(f"{SVG}style").text
    colors = dict(
        rule.split("{fill:#") for rule in style.replace(";", "}").split("}") if "fill" in rule
    )

    assert compute_contrast(colors[".text"], colors[".ground"]) >= MIN_TEXT_CONTRAST
    assert compute_contrast(colors[".mark"], colors[".ground"]) >= MIN_SHAPE_CONTRAST


def test_badge_that_is_opened_as_a_page_may_load_nothing(world, path):
    answer = get(world, f"{path}/badge.svg")
    style = read_badge(world, path).find(f"{SVG}style").text
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    policy = read_policy(answer)
    assert policy["default-src"] == ["'none'"]
    assert policy["style-src"] == [f"'sha256-{digest}'"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_badge_names_nothing_that_anybody_has_typed(world, path):
    world.configure(public_title="Hostile <title>", token_symbol="HOSTILE", token_name="Hostile")
    world.track(Visitor().address, alias="Hostile")

    assert "ostile" not in get(world, f"{path}/badge.svg").text.lower()


def test_badge_is_small(world, path, known_supply):
    assert len(get(world, f"{path}/badge.svg").data) < 1500
