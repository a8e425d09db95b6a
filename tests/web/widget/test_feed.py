"""GET /embed/tracking/{id}/feed.atom: what joined and left a page's list."""

from datetime import UTC, datetime, timedelta

import feedparser
import pytest
from support.world import Visitor

from embed.db.models import Listing, Wallet
from embed.wallets import tracking
from embed.wallets.listings import update_listings
from embed.wallets.tracking import WalletFields

HOST = "http://localhost"
HOSTILE = '<script>alert(1)</script> & "]]>" \' \ufffe\U0001ffff 🐋'
HARMLESS = HOSTILE.replace("\ufffe", "")


def get_feed(world, *, page_id=None, headers=None, **query):
    return world.client.get(
        f"/embed/tracking/{page_id or world.page_id}/feed.atom",
        query_string={"key": world.public_key} | query,
        headers=headers,
    )


def update(world) -> None:
    world.clock.forward(minutes=1)
    update_listings(world.clock())


def parse(answer):
    assert answer.status_code == 200
    feed = feedparser.parse(answer.data, response_headers={"content-type": answer.content_type})
    assert not feed.bozo, feed.bozo_exception
    assert feed.version == "atom10"
    return feed


def read_titles(world, **query) -> list[str]:
    return [entry.title for entry in parse(get_feed(world, **query)).entries]


def track(world, name="Ann", **changes):
    return world.track(Visitor().address, alias=name, **changes)


@pytest.fixture
def listed(world):
    """Ann, who has joined the list."""
    update(world)
    ann = track(world)
    update(world)
    return ann


@pytest.mark.databases("sqlite", "postgres")
def test_feed_tells_who_joined_and_left_newest_first(world, listed):
    world.track(Visitor().address)
    update(world)
    tracking.remove_wallet(listed.id, world.change())
    update(world)

    feed = parse(get_feed(world))

    titles = [entry.title for entry in feed.entries]
    assert titles[0] == "Ann left the list"
    assert titles[1].endswith(" joined the list")
    assert "…" in titles[1]
    assert titles[2] == "Ann joined the list"
    assert feed.entries[0].content[0].value == listed.address
    times = [datetime(*entry.updated_parsed[:6], tzinfo=UTC) for entry in feed.entries]
    assert times == [world.clock() - minutes * timedelta(minutes=1) for minutes in (0, 1, 2)]
    assert feed.feed.updated == feed.entries[0].updated


def test_feed_has_what_readers_need(world, listed):
    world.configure(public_title="Our holders")

    feed = parse(get_feed(world)).feed

    assert feed.title == feed.author == "Our holders"
    links = {link.rel: (link.type, link.href) for link in feed.links}
    address = f"{HOST}/embed/tracking/{world.page_id}"
    assert links == {
        "self": (
            "application/atom+xml",
            f"{address}/feed.atom?key={world.public_key}&lang=en",
        ),
        "alternate": ("text/html", f"{address}?key={world.public_key}&lang=en"),
    }
    for _, link in links.values():
        assert world.client.get(link).status_code == 200


def test_ids_are_tag_uris_of_their_own_that_stay(world, listed):
    def read_ids():
        feed = parse(get_feed(world))
        return [feed.feed.id, *(entry.id for entry in feed.entries)]

    before = read_ids()
    assert before[0] == f"tag:localhost,2026-01-31:{world.page_id}"
    assert all(one.startswith(f"{before[0]}/") for one in before[1:])
    for is_hidden in (True, False):
        change = WalletFields(is_hidden=is_hidden, alias="Anna")
        tracking.update_wallet(listed.id, change, world.change())
        update(world)

    after = read_ids()

    assert len(set(after)) == len(after) == 4
    assert after[-1] == before[-1]


def test_ids_name_the_public_host_without_its_port(world_with):
    world = world_with(PUBLIC_URL="https://embed.example:8443")
    answer = world.client.get(
        f"/embed/tracking/{world.page_id}/feed.atom?key={world.public_key}",
        base_url="https://embed.example:8443",
    )

    feed = parse(answer).feed
    assert feed.id.startswith("tag:embed.example,2026-01-31:")
    assert all(link.href.startswith("https://embed.example:8443/embed/") for link in feed.links)


def test_hostile_names_are_escaped_and_what_xml_cannot_hold_is_left_out(world, listed):
    Wallet.update(public_alias=HOSTILE).execute()
    world.configure(public_title=HOSTILE, token_symbol="<&>")
    update(world)

    answer = get_feed(world)

    assert parse(answer).entries[0].title == f"{HARMLESS} joined the list"
    assert parse(answer).feed.title == HARMLESS
    assert "<script" not in answer.text


@pytest.mark.databases("sqlite", "postgres")
def test_feed_has_the_newest_hundred(world):
    update(world)
    for number in range(120):
        Listing.create(
            page=world.page_id,
            address=Visitor().address,
            name=f"Wallet {number}",
            joined_at=world.clock() + timedelta(minutes=number),
            left_at=world.clock() + timedelta(minutes=number + 5.5),
        )

    titles = read_titles(world)

    assert len(titles) == 100
    assert titles[0] == "Wallet 119 left the list"
    assert titles[-1] == "Wallet 67 left the list"


def test_page_without_any_wallet_has_an_empty_feed(world):
    feed = parse(get_feed(world))

    assert feed.entries == []
    assert feed.feed.updated == "2026-01-31T09:30:00.000Z"


# Languages


@pytest.mark.parametrize(
    ("lang", "title"),
    [
        ("de", "Ann ist jetzt auf der Liste"),
        ("ja", "Ann がリストに加わりました"),
        ("ar", "انضمام Ann إلى القائمة"),
    ],
)
def test_feed_speaks_the_language_of_its_address(world, listed, lang, title):
    assert read_titles(world, lang=lang) == [title]
    assert parse(get_feed(world, lang=lang)).feed.language == lang


# Refusals


def test_refusals_are_those_of_the_list(world, listed):
    def read_statuses() -> list[int]:
        path = f"/embed/tracking/{world.page_id}"
        keys = ["", "x", world.public_key, world.secret_key, other_key]
        pairs = [
            [
                world.client.get(one, query_string={"key": key})
                for one in (path, f"{path}/feed.atom")
            ]
            for key in keys
        ]
        for of_list, of_feed in pairs:
            assert of_list.status_code == of_feed.status_code
            assert of_list.status_code == 200 or of_list.text == of_feed.text
        return [of_list.status_code for of_list, _ in pairs]

    other_key = world.make_key("public", page_id=world.make_page())
    assert read_statuses() == [401, 401, 200, 401, 401]
    for switch in ("is_public", "is_embeddable"):
        world.configure(**{switch: False})
        assert read_statuses()[2] == 403
        world.configure(**{switch: True})
    world.delete_page()
    assert read_statuses()[2] == 404


# Caching


@pytest.mark.parametrize("encoding", ["identity", "gzip", "br"])
def test_unchanged_feed_is_not_sent_again(world, listed, encoding):
    headers = {"Accept-Encoding": encoding}
    first = get_feed(world, headers=headers)
    assert first.status_code == 200
    assert first.headers.get("Content-Encoding", "identity") == encoding

    again = {**headers, "If-None-Match": first.headers["ETag"]}
    assert get_feed(world, headers=again).status_code == 304
    assert get_feed(world, headers=again).data == b""
    assert get_feed(world, headers=again, lang="de").status_code == 200
    world.observe(listed.address, "5")  # changes the list, and not who is on it
    update(world)
    assert get_feed(world, headers=again).status_code == 304
    track(world, "Ben")
    update(world)
    assert get_feed(world, headers=again).status_code == 200


def test_nobody_keeps_a_feed_without_asking(world, listed):
    answer = get_feed(world)

    assert answer.content_type == "application/atom+xml"
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert set(answer.vary) >= {"Accept-Language", "Accept-Encoding"}
    assert "Set-Cookie" not in answer.headers


@pytest.mark.databases("sqlite", "postgres")
def test_feed_takes_as_many_statements_for_a_hundred_wallets_as_for_one(
    world, listed, count_statements
):
    one = count_statements(lambda: get_feed(world))
    for number in range(100):
        track(world, f"Wallet {number}")
    update(world)

    assert count_statements(lambda: get_feed(world)) == one == 4


# The page names it


def test_page_of_the_list_names_its_feed(world, listed):
    world.configure(public_title='"Our" holders')
    page = world.client.get(f"/embed/tracking/{world.page_id}?key={world.public_key}&lang=de").text

    (link,) = [line for line in page.splitlines() if 'type="application/atom+xml"' in line]
    assert 'rel="alternate"' in link
    href = link.partition('href="')[2].partition('"')[0].replace("&amp;", "&")
    assert parse(world.client.get(href)).feed.language == "de"
