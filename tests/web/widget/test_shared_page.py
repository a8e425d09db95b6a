"""GET /embed/page/{id}: a page that is share link, and the frame for other sites."""

import io
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from frames import Document, read_policy
from PIL import Image
from shared_pages import ENDINGS, every_ending, get, share
from support.world import Visitor, code_of

from embed.db.models import RefusedOrigin, Wallet
from embed.pages import change_look

HOST = "http://localhost"
HOSTILE = """"><script>alert(1)</script>' & {{ 7 * 7 }}"""


@pytest.fixture
def path(world) -> str:
    return share(world)


def read_key(answer) -> str:
    """Return the key of the address to which a frame is led."""
    assert answer.status_code == 302
    return parse_qs(urlsplit(answer.location).query)["key"][0]


def read_meta(document: Document) -> dict[str, str]:
    return {
        each.get("property") or each.get("name"): each["content"]
        for each in document.find("meta")
        if "content" in each
    }


def test_page_shows_its_list_in_a_frame_without_a_key_in_any_address(world, path):
    world.track(Visitor().address, alias="Ann")

    answer = get(world, path)

    assert answer.status_code == 200
    (frame,) = Document(answer.text).find("iframe")
    assert frame["src"] == f"{path}/frame?theme=light"
    assert "svc_" not in answer.text
    led = get(world, f"{path}/frame")
    assert answer.headers.getlist("Set-Cookie") == led.headers.getlist("Set-Cookie") == []
    site = {"Sec-Fetch-Dest": "iframe", "Referer": "https://blog.example/"}
    widget = world.client.get(led.location, headers=site)
    assert "Ann" in widget.text
    assert len(widget.headers.getlist("Set-Cookie")) == 1
    assert RefusedOrigin.select().count() == 0


def test_other_sites_read_what_the_page_is(world, path):
    world.configure(public_title=HOSTILE, public_comments="Thank you all.")

    document = Document(get(world, path).text)

    meta = read_meta(document)
    assert meta["og:title"] == HOSTILE
    assert meta["description"] == "Thank you all."
    assert meta["og:description"] == "$USDC · Add yours"
    assert meta["og:url"] == f"{HOST}{path}"
    assert (meta["og:site_name"], meta["twitter:card"]) == ("localhost", "summary_large_image")
    image = world.client.get(meta["og:image"])  # an absolute address, of a type that all can show
    assert meta["og:image"].startswith(f"{HOST}{path}/picture.png?lang=en&v=")
    assert (image.content_type, image.data[1:4]) == ("image/png", b"PNG")
    size = Image.open(io.BytesIO(image.data)).size
    assert (meta["og:image:width"], meta["og:image:height"]) == tuple(map(str, size))
    assert meta["og:image:alt"] == meta["og:description"]
    assert meta["robots"] == "noindex"
    assert document.find("iframe")[0]["title"] == HOSTILE
    assert len(document.find("script")) == 1


def describe(world, path: str, **query: str) -> str:
    meta = read_meta(Document(get(world, path, **query).text))
    assert meta["description"] == meta["og:description"]
    return meta["og:description"]


def test_page_without_a_comment_is_described_by_its_figures(world, path):
    world.track(Visitor().address)
    assert describe(world, path) == "1 wallet · $USDC · Add yours"
    german = get(world, path, headers={"Accept-Language": "de"}).text
    assert read_meta(Document(german))["og:description"].startswith("1 Wallet · $USDC")
    assert "picture.png?lang=de&" in german

    visitor = Visitor()
    world.approve(world.submit(visitor).json["submissionId"])
    world.observe(visitor.address, 1_250_000)
    world.configure(min_balance="1000.5", public_title="The crew")
    held = "2 wallets hold 1.25M $USDC · 1 signed · Hold 1,000.5 and add yours"
    assert describe(world, path) == held
    change_look(world.page_id, {"hide": "add"}, world.change())
    assert describe(world, path, lang="en") == "2 wallets hold 1.25M $USDC · 1 signed"


def test_holders_card_opens_the_list_and_names_neither_balance_nor_address(world, path):
    world.configure(public_title="The crew")
    visitor, other = Visitor(), Visitor()
    world.track(other.address)
    world.approve(world.submit(visitor, "Night heron").json["submissionId"])
    (wallet,) = Wallet.select().where(Wallet.public_alias == "Night heron")
    for address, amount in ((visitor.address, 1_234), (other.address, 5_678)):
        world.observe(address, amount)
    world.configure(public_comments="New")

    answer = get(world, f"{path}/card/{wallet.id}")
    document = Document(answer.text)
    meta = read_meta(document)

    assert meta["og:title"] == "Night heron · The crew"
    assert meta["description"] == "Holder #2 of 2, signed"
    since = "Holder #2 of 2, signed · On the list since January 31, 2026"
    assert meta["og:description"] == meta["og:image:alt"] == since
    assert meta["og:url"] == f"{HOST}{path}/card/{wallet.id}"
    assert meta["og:image"].startswith(f"{HOST}{path}/card/{wallet.id}.png?lang=en&v=")
    assert world.client.get(meta["og:image"]).content_type == "image/png"
    assert document.find("iframe")[0]["src"] == f"{path}/frame?theme=light"
    assert not any(one in answer.text for one in ("1,234", "1234", visitor.address, "svc_"))


def test_frame_is_led_to_the_widget_with_what_its_address_asks_for(world, path):
    answer = get(world, f"{path}/frame", lang="de", accent="ff6600", hide="", key="x", page="2")

    asked = parse_qs(urlsplit(answer.location).query, keep_blank_values=True)
    assert set(asked) == {"key", "lang", "accent", "hide"}
    assert asked["key"] != ["x"]
    assert answer.headers["Cache-Control"] == "no-store"


@every_ending
def test_link_ends_at_once_with_its_frames_and_their_keys(world, path, ending):
    key = read_key(get(world, f"{path}/frame"))

    ENDINGS[ending](world)

    for ended in (path, f"{path}/frame"):
        answer = get(world, ended)
        assert answer.status_code == 404
        assert "Set-Cookie" not in answer.headers
    widget = world.client.get(f"/embed/tracking/{world.page_id}?key={key}")
    assert widget.status_code in (401, 403, 404)
    assert "key" not in re.search("<h1>(.*)</h1>", widget.text)[1]  # visitors know of none
    call = world.call(
        "GET", f"/api/embed/tracking/{world.page_id}", key=key, headers={"Origin": HOST}
    )
    assert code_of(call) in ("revoked_key", "embed_disabled", "not_found")


def test_page_that_is_not_public_by_link_cannot_be_told_from_none(world):
    there, nowhere = (get(world, f"/embed/page/{each}") for each in (world.page_id, "x" * 20))

    assert there.status_code == nowhere.status_code == 404
    assert there.data == nowhere.data


@pytest.mark.parametrize("page_id", ["%00", "%ed%a0%80"])
@pytest.mark.parametrize("part", ["", "/frame", "/count.json"])
def test_id_that_is_none_is_not_found(world, page_id, part):
    assert world.client.get(f"/embed/page/{page_id}{part}").status_code == 404


# Who may use the key


def test_any_site_may_frame_the_widget_and_the_page(world, path):
    led = get(world, f"{path}/frame")

    for answer in (get(world, path), world.client.get(led.location)):
        assert "frame-ancestors" not in read_policy(answer)
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({"Origin": "https://evil.example"}, "origin_not_allowed"),
        ({"Origin": "null"}, "origin_not_allowed"),
        ({"Origin": None}, "missing_origin"),
    ],
)
def test_api_answers_the_links_key_on_the_services_own_pages_only(world, path, headers, refused):
    key = read_key(get(world, f"{path}/frame"))
    api = f"/api/embed/tracking/{world.page_id}"

    assert code_of(world.call("GET", api, key=key, headers=headers)) == refused
    assert world.call("GET", api, key=key, headers={"Origin": HOST}).status_code == 200


def test_reading_the_page_writes_nothing_but_its_key_once(world, path):
    get(world, f"{path}/frame")  # stores the key, once
    before = world.dump()

    for part in ("", "/frame", "/count.json"):
        get(world, path + part)

    assert world.dump() == before
