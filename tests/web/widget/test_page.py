"""The widget's page is rendered once, is never outdated, and never another visitor's."""

import pytest
from frames import ask, read_again
from support.world import SITE, Visitor, with_session

from embed.keys.access import find_access
from embed.keys.management import change_key
from embed.web.widget import page as widget_page

pytestmark = pytest.mark.databases("sqlite", "postgres")

OTHER_SITE = "https://other.example"


@pytest.fixture
def world(chain_world):
    """A page of two sites, with a wallet."""
    world = chain_world
    world.public_key = world.make_key("public", origins=[SITE, OTHER_SITE])
    world.add_tag("team")
    world.track(Visitor().address, alias="Ann", tag_names=["team"])
    return world


@pytest.fixture
def count_renderings(monkeypatch):
    """Return a list that grows with each page that is rendered."""
    done = []

    def render(variant, *arguments, **named):
        done.append(variant)
        return original(variant, *arguments, **named)

    original = widget_page._render
    monkeypatch.setattr(widget_page, "_render", render)
    return done


def test_page_is_rendered_once_for_all_visitors(world, count_renderings):
    answers = [ask(world) for _ in range(5)]

    assert len(count_renderings) == 1
    assert len({answer.data for answer in answers}) == 1
    assert len({answer.headers["Set-Cookie"] for answer in answers}) == 5
    ask(world, utm_source="mail", x="1", page="no number")  # what is not known changes nothing
    assert len(count_renderings) == 1


def change_origins(world, *origins: str, allow_null_origin: bool = False) -> None:
    change_key(
        find_access(world.public_key).key_id,
        world.change(),
        raw_label=None,
        raw_origins=origins,
        allow_null_origin=allow_null_origin,
    )


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (lambda world: world.track(Visitor().address, alias="Bob"), ">Bob<"),
        (read_again, "09:40"),
        (lambda world: change_origins(world, SITE, allow_null_origin=True), "data-null-origin"),
    ],
    ids=["list", "reading", "null origin"],
)
def test_change_is_shown_at_the_next_request(world, change, shown):
    assert shown not in ask(world).text

    change(world)

    assert shown in ask(world).text


def test_site_that_is_removed_is_neither_allowed_nor_named(world):
    headers = {"Referer": f"{OTHER_SITE}/"}
    before = ask(world, headers=headers)
    assert f'data-site="{OTHER_SITE}"' in before.text

    change_origins(world, SITE)

    after = ask(world, headers=headers)
    assert OTHER_SITE in before.headers["Content-Security-Policy"]
    assert OTHER_SITE not in after.headers["Content-Security-Policy"] + after.text


def test_languages_sites_looks_parts_windows_and_keys_are_told_apart(world):
    for _ in range(30):
        world.track(Visitor().address)
    other_key = world.make_key("public", origins=[SITE])
    asked = [
        {},
        {"lang": "de"},
        {"theme": "dark"},
        {"page": "2"},
        {"key": other_key},
        {"headers": {"Referer": f"{OTHER_SITE}/"}},
        {"headers": {"Accept-Language": "fr"}},
        {"headers": {"Sec-Fetch-Dest": "document"}},
        {"headers": {"Host": "other.example"}},
    ]

    first, second = ([ask(world, **how).data for how in asked] for _ in range(2))

    assert len(set(first)) == len(asked)
    assert first == second


def test_own_submissions_are_nobody_elses_and_of_this_moment(world, count_renderings):
    visitor, stranger = with_session(world), with_session(world)
    submission = world.submit(visitor, "Carol").json["submissionId"]
    count_renderings.clear()

    def see(cookie) -> list[bool]:
        text = ask(world, cookie=cookie).text
        return [word in text for word in ("Carol", 'data-status="rejected"')]

    for _ in range(2):
        assert see(visitor.cookie) == [True, False]
        assert see(stranger.cookie) == see(None) == [False, False]
    world.reject(submission)
    assert see(visitor.cookie) == [True, True]
    assert see(stranger.cookie) == see(None) == [False, False]
    assert len(count_renderings) == 2  # before and after the decision


def test_page_reads_no_more_than_it_needs(world, count_statements):
    visitor = with_session(world)
    ask(world, cookie=visitor.cookie)

    assert count_statements(lambda: ask(world)) == 2  # the key and its page, and the supply
    assert count_statements(lambda: ask(world, cookie=visitor.cookie)) == 3  # and what was sent
