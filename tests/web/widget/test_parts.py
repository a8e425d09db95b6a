"""?part=rows: the part of the widget's page that its script swaps in."""

import re

import pytest
from frames import ask, list_names, list_rows, read_again, read_attribute
from support.world import SITE, Visitor, World, with_session

from embed.db.models import ApiKey
from embed.web.widget import page, rows, view

pytestmark = pytest.mark.databases("sqlite", "postgres")

PARTS = {"rows": ("", {"part": "rows"}), "own": ("/own", {}), "steps": ("/flow", {})}


@pytest.fixture
def world(chain_world) -> World:
    """A page of three wallets."""
    for name in ("Ann", "Bob", "Zoe"):
        chain_world.track(Visitor().address, alias=name)
    return chain_world


@pytest.fixture
def rendered(monkeypatch) -> list[str]:
    """Return a list that grows whenever rows are rendered."""
    done, original = [], rows._render

    def render(*arguments):
        done.append(original(*arguments))
        return done[-1]

    monkeypatch.setattr(rows, "_render", render)
    return done


@pytest.fixture
def short_parts(monkeypatch) -> None:
    """Let parts have one wallet, so that a few make many parts."""
    for module in (page, rows, view):
        monkeypatch.setattr(module, "WALLETS_PER_PART", 1)


def ask_part(world, *, etag=None, headers=None, **query):
    sent = ({} if etag is None else {"If-None-Match": etag}) | (headers or {})
    return ask(world, headers=sent, part="rows", **query)


def test_part_has_what_the_page_has(world):
    whole, part = ask(world, order="name").text, ask_part(world, order="name").text

    assert list_rows(part) == list_rows(whole) != []
    for name in ("data-etag", "data-total", "data-order", "data-last"):
        assert read_attribute(part, name) == read_attribute(whole, name)
    for start, end in (
        ('<h1 id="sentence"', "</h1>"),
        ('<nav class="orders"', "</nav>"),
        ('<div class="columns"', "</div>"),
        ('<div id="more"', "</div>"),
    ):
        assert part.partition(start)[2].partition(end)[0]
        assert part.partition(start)[2].partition(end)[0] in whole
    assert "<script" not in part


# What has not changed


def test_nothing_is_sent_again_while_nothing_has_changed(world, count_statements):
    etag = read_attribute(ask(world).text, "data-etag")

    for query in ({}, {"order": "name"}, {"q": "ann"}, {"page": "2"}):
        answer = ask_part(world, etag=etag, **query)
        assert (answer.status_code, answer.data) == (304, b"")
    # The key with its page, and the supply.
    assert count_statements(lambda: ask_part(world, etag=etag)) == 2
    assert ask_part(world, etag='W/"x"').status_code == 200


@pytest.mark.parametrize(
    ("change", "is_other"),
    [
        (lambda world: world.track(Visitor().address), True),
        (lambda world: world.configure(cooldown_s=77), True),
        (read_again, True),
        (lambda world: world.clock.forward(days=1), True),
        (lambda world: world.clock.forward(hours=3), False),
        (lambda world: world.submit(Visitor(), "Eve"), False),
    ],
    ids=["list", "policy", "reading", "day", "hours", "submission"],
)
def test_tag_changes_with_the_list_the_reading_and_the_day(world, change, is_other):
    etag = read_attribute(ask(world).text, "data-etag")

    change(world)

    assert ask_part(world, etag=etag).status_code == (200 if is_other else 304)
    assert (read_attribute(ask_part(world).text, "data-etag") != etag) == is_other


# What is kept


def test_rows_are_rendered_once_for_all_keys_of_a_page_and_name_none(world, rendered):
    keys = [world.public_key, world.make_key("public", origins=[SITE])]
    ask_part(world)
    rendered.clear()

    shown = [list_rows(ask_part(world, key=key).text) for key in keys]

    assert rendered == []
    assert shown[0] == shown[1] != []
    assert not any(key in "".join(shown[0]) for key in keys)


def test_rows_of_other_languages_orders_tags_and_explorers_are_not_these(world):
    tag = world.add_tag("team")
    world.track(Visitor().address, alias="Max", balance="5", tag_names=["team"])
    asked = [
        {}, {"lang": "de"}, {"order": "name"}, {"tag": tag.id}, {"explorer": "solscan"},
    ]  # fmt: skip

    first, second = ([list_rows(ask_part(world, **how).text) for how in asked] for _ in range(2))

    assert first == second
    assert len({"".join(one) for one in first}) >= 4
    assert len(first[3]) == 1
    assert "Kopieren" in first[1][0]


def test_searches_and_orders_show_the_rows_that_are_kept(world, rendered):
    ask_part(world)
    rendered.clear()

    assert list_names(ask_part(world, order="name").text) == ["Ann", "Bob", "Zoe"]
    kept = len(page._kept), len(rows._kept)
    assert list_names(ask_part(world, q="ann").text)[0] == "Ann"
    assert list_names(ask(world, q="ann").text)[0] == "Ann"

    assert rendered == []
    assert (len(page._kept), len(rows._kept)) == kept


def test_parts_leave_no_cookie_and_no_trace(world):
    cookie, as_frame = with_session(world).cookie, {"Sec-Fetch-Dest": "iframe"}

    for path, query in PARTS.values():
        answer = ask(world, path, cookie=cookie, headers=as_frame, **query)
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers

    assert ApiKey.select().where(ApiKey.last_used_at.is_null(False)).count() == 0
    ask(world, cookie=cookie, headers=as_frame)
    assert ApiKey.select().where(ApiKey.last_used_at.is_null(False)).count() == 1


# Many parts


def test_twenty_parts_at_most_come_at_once(world, short_parts):
    for _ in range(20):
        world.track(Visitor().address)

    first, second = (ask_part(world, page=number, to=99).text for number in (1, 21))

    assert [len(list_rows(text)) for text in (first, second)] == [20, 3]
    assert [read_attribute(text, "data-last") for text in (first, second)] == ["20", "23"]
    assert "20 of 23 wallets" in first
    assert 'id="show-more"' not in second
    assert re.findall('id="(sentence|summary|orders)"', second) == []
    link = re.search('<a [^>]*id="show-more" href="(.*?)"', first)[1]
    assert "page=21" in link
    assert "part=" not in link


@pytest.mark.parametrize("to", ["", "-9", "2"])
def test_part_is_at_least_one(world, short_parts, to):
    assert len(list_rows(ask_part(world, page="3", to=to).text)) == 1


# Who may read parts

each_part = pytest.mark.parametrize(("path", "query"), PARTS.values(), ids=PARTS)


@each_part
def test_frame_without_an_origin_reads_parts_only_if_the_key_allows_it(world, path, query):
    key = world.make_key("public", origins=[SITE], allow_null_origin=True)
    allowed = "Access-Control-Allow-Origin"

    answer = ask(world, path, key=key, headers={"Origin": "null"}, **query)
    assert answer.headers[allowed] == "null"
    assert "Access-Control-Allow-Credentials" not in answer.headers
    for how in (
        {"headers": {"Origin": "null"}},
        {"key": key, "headers": {"Origin": SITE}},
        {"key": key},
    ):
        assert allowed not in ask(world, path, **how, **query).headers


@each_part
def test_parts_stay_out_of_caches_and_frames(world, path, query):
    headers = ask(world, path, **query).headers

    assert headers["Cache-Control"] == "private, no-store"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
