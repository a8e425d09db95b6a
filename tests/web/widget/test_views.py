"""Orders, filters, searches and places in the list: each is an address, which needs no script."""

import html
import re
from urllib.parse import parse_qs

import pytest
from frames import ask, list_names, list_rows, read_attribute, read_count
from nacl.signing import SigningKey
from support.world import Visitor, World

from embed import pages
from embed.db.connection import db
from embed.db.models import Tag
from embed.public_payload import WALLETS_PER_PART


def make_visitor(number: int) -> Visitor:
    """Return one whose address is always the same, since searches look at addresses, too."""
    return Visitor(SigningKey(number.to_bytes(32)))


@pytest.fixture
def world(world) -> World:
    """A page of three wallets, each of which is first in another order."""
    world.add_tag("team")
    wallets = (("Max", "1", []), ("Zoe", "9", ["team"]), ("Ann", "5", []))
    for number, (name, balance, tag_names) in enumerate(wallets):
        address = make_visitor(number).address
        world.track(address, alias=name, balance=balance, tag_names=tag_names)
        world.clock.forward(minutes=1)
    return world


def track_many(world, count: int) -> None:
    with db.atomic():
        for number in range(count):
            world.track(make_visitor(100 + number).address, alias=f"Wallet {number}")


def list_links(text: str) -> dict[str, dict[str, str]]:
    """Return the arguments of the links to other views of the list, by what the links say."""
    links = re.findall(r'<a [^>]*?href="\?(.*?)"[^>]*>(.*?)</a>', text, re.DOTALL)
    return {
        " ".join(re.sub("<.*?>", "", said).split()): {
            name: value for name, (value,) in parse_qs(html.unescape(query)).items()
        }
        for query, said in links
    }


def test_page_shows_the_wallets_with_a_tag_or_without_any(world):
    team = Tag.get().id

    assert list_names(ask(world, tag=team).text) == ["Zoe"]
    assert read_count(ask(world, tag=team).text) == "1 of 1 wallets"
    assert list_names(ask(world, tag="none", order="name").text) == ["Ann", "Max"]
    assert re.search(f'tag={team}" aria-current="true"', ask(world, tag=team).text)


def test_page_shows_what_is_searched_for_and_keeps_it_in_its_field(world):
    text = ask(world, q=" zO ").text

    assert list_names(text) == ["Zoe"]
    assert 'name="q" value="zO"' in text
    address = re.search("<code[^>]*>(\\w{40,})<", text)[1]
    for typed in (address, f"{address[:4]}…{address[-4:]}", f"{address[:4]}...{address[-4:]}"):
        assert list_names(ask(world, q=typed).text) == ["Zoe"]
    assert list_names(ask(world, q="zo", tag="none").text) == []


def test_search_that_finds_nothing_says_so_and_offers_to_add_an_address(world):
    nobody = ask(world, q="nobody").text
    unlisted = ask(world, q=Visitor().address).text

    assert list_rows(nobody) == list_rows(unlisted) == []
    assert "No wallet matches the search." in nobody
    assert 'id="add-unlisted"' not in nobody
    assert 'id="add-unlisted"' in unlisted


def test_links_and_search_lead_to_each_view_and_keep_language_look_and_key(world):
    track_many(world, WALLETS_PER_PART)
    shown = {"key": world.public_key, "lang": "de", "theme": "dark", "accent": "ff6600"}
    text = ask(world, **shown, order="newest").text
    links = list_links(text)

    assert len(links) == 8  # two orders, two heads, three chips and more
    assert sorted(link["order"] for link in links.values()) == (
        ["balance", "balance", "name", *["newest"] * 5]
    )
    for name, link in links.items():
        assert link.items() >= shown.items(), name
    form = text.partition("<form")[2].partition("</form>")[0]
    assert ' method="get"' in form
    assert "action=" not in form
    hidden = re.findall('<input type="hidden" name="(.*?)" value="(.*?)">', form)
    assert dict(hidden) == shown | {"order": "newest"}


def test_list_is_read_part_by_part_without_a_script(world):
    track_many(world, 2 * WALLETS_PER_PART)
    counts, names, query = [], [], {"order": "listed"}
    while query:
        text = ask(world, **query).text
        counts.append(read_count(text))
        names += list_names(text)
        query = list_links(text).get("Show more")

    assert counts == ["25 of 53 wallets", "26–50 of 53 wallets", "51–53 of 53 wallets"]
    assert names[:3] == ["Max", "Zoe", "Ann"]
    assert set(names[3:]) == {f"Wallet {number}" for number in range(50)}
    assert len(names) == 53
    assert list_links(text)["Previous"]["page"] == "2"


# What is no order, tag, search or place


EVERYONE = ["Zoe", "Ann", "Max"]


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize("part", ["", "&part=rows"])
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("q=" + 400 * "x", []),
        ("q=Zo%00e", ["Zoe"]),
        ("q=%ED%A0%80", []),
        ("q=%25", []),
        ("order=shuffled", EVERYONE),
        ("tag=gone", EVERYONE),
        ("page=2", EVERYONE),
        ("page=" + 5000 * "9", EVERYONE),
        ("page=x&to=y", EVERYONE),
        ("q=ann&q=max&order=name&order=x&page=1&page=2", ["Ann"]),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_what_is_none_of_ours_gives_an_ordinary_page(world, query, names, part):
    path = f"/embed/tracking/{world.page_id}?key={world.public_key}&{query}{part}"

    answer = world.client.get(path)

    assert answer.status_code == 200
    assert list_names(answer.text) == names


# Whose order counts


@pytest.mark.parametrize(
    ("owner", "address", "cookie", "site", "order"),
    [
        ("name", None, None, "cross-site", "name"),
        ("name", "listed", None, "cross-site", "listed"),
        ("name", "auto", None, "cross-site", "balance"),
        ("name", "listed", "newest", "cross-site", "newest"),
        ("name", "listed", "newest", "same-site", "newest"),
        ("name", "listed", "newest", "same-origin", "listed"),
        ("name", None, "newest", "same-origin", "newest"),
        ("name", "listed", "shuffled", "cross-site", "listed"),
    ],
)
def test_order_is_that_of_a_followed_link_else_the_visitors_else_the_sites_else_the_owners(
    world, owner, address, cookie, site, order
):
    if owner != "auto":
        pages.change_look(world.page_id, {"order": owner}, world.change())
    sent = {"Sec-Fetch-Site": site, "Cookie": cookie and f"embed_order={cookie}"}
    query = {} if address is None else {"order": address}

    for part in ({}, {"part": "rows"}):
        text = ask(world, headers=sent, **query, **part).text
        assert read_attribute(text, "data-order") == order
