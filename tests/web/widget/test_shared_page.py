"""GET /embed/page/{id}: a page that is share link, and the frame for other sites."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from shared_pages import ENDINGS, every_ending, get, share
from support.world import Visitor, code_of
from test_iframe_route import Document, read_policy

from embed.db.models import RefusedOrigin, Submission

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
    assert "Ann" in world.client.get(led.location).text


def test_other_sites_read_what_the_page_is(world, path):
    world.configure(public_title=HOSTILE, public_comments="Thank you all.")

    document = Document(get(world, path).text)

    meta = read_meta(document)
    assert meta["og:title"] == HOSTILE
    assert meta["og:description"] == meta["description"] == "Thank you all."
    assert meta["og:url"] == f"{HOST}{path}"
    assert (meta["og:site_name"], meta["twitter:card"]) == ("localhost", "summary")
    image = world.client.get(meta["og:image"])  # an absolute address, of a type that all can show
    assert meta["og:image"].startswith(f"{HOST}/static/")
    assert (image.content_type, image.data[1:4]) == ("image/png", b"PNG")
    assert meta["robots"] == "noindex"
    assert document.find("iframe")[0]["title"] == HOSTILE
    assert len(document.find("script")) == 1


def test_page_without_a_comment_is_described_by_its_counts(world, path):
    world.track(Visitor().address)

    assert read_meta(Document(get(world, path).text))["description"] == "1 wallet"
    assert read_meta(Document(get(world, path, lang="de").text))["description"] == "1 Wallet"


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
        assert (get(world, ended).status_code, get(world, ended).headers.get("Set-Cookie")) == (
            404,
            None,
        )
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


@pytest.mark.parametrize("page_id", ["%00", "a" * 5000, "..%2f", "%ed%a0%80", "' OR 1=1", "é"])
@pytest.mark.parametrize("part", ["", "/frame", "/count.json", "/nothing"])
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


def test_visitor_submits_by_the_link_as_in_any_widget(world, path):
    key = read_key(get(world, f"{path}/frame"))
    visitor = Visitor()

    nonce = world.ask_nonce(visitor, key=key, headers={"Origin": HOST}).json
    answer = world.post(
        world.draft(visitor, nonce=nonce, key=key), key=key, headers={"Origin": HOST}
    )

    assert answer.status_code == 201, answer.text
    assert Submission.get().api_key.purpose == "link"


def test_only_the_iframe_route_sets_the_cookie(world, path):
    led = get(world, f"{path}/frame")

    assert get(world, path).headers.getlist("Set-Cookie") == led.headers.getlist("Set-Cookie") == []
    assert len(world.client.get(led.location).headers.getlist("Set-Cookie")) == 1


def test_reading_the_page_writes_nothing_but_its_key_once(world, path):
    get(world, f"{path}/frame")  # stores the key, once
    before = world.dump()

    for part in ("", "/frame", "/count.json"):
        get(world, path + part)

    assert world.dump() == before


def test_sites_that_frame_it_are_not_shown_as_refused(world, path):
    led = get(world, f"{path}/frame")
    headers = {"Sec-Fetch-Dest": "iframe", "Referer": "https://blog.example/"}

    assert world.client.get(led.location, headers=headers).status_code == 200
    assert RefusedOrigin.select().count() == 0
