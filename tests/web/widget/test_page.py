"""The widget's page is rendered once, is never outdated, and never another visitor's."""

from decimal import Decimal

import pytest
from cachetools import LFUCache
from support.world import SITE, USDC, Visitor

from embed import pages
from embed.balances.observations import ChainObservation, store_chain, store_chain_of_mints
from embed.balances.tokens import Supply
from embed.db.models import Tag, Token, Wallet
from embed.keys.access import find_access
from embed.keys.management import change_key
from embed.wallets import tags
from embed.web.shared_cache import SharedCache
from embed.web.widget import page as widget_page

pytestmark = pytest.mark.databases("sqlite", "postgres")

OTHER_SITE = "https://other.example"


@pytest.fixture
def world(world_with):
    """A page of two sites, with a wallet, on a service with an endpoint."""
    world = world_with(SOLANA_RPC_URL="https://rpc.example/")
    Token.create(mint=USDC, supply=1000, supply_observed_at=world.clock())
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


def ask(world, *, cookie=None, headers=None, **query):
    return world.call(
        "GET",
        f"/embed/tracking/{world.page_id}",
        query_string={"key": world.public_key} | query,
        cookie=cookie,
        headers={"Authorization": None, "Origin": None, "Referer": f"{SITE}/"} | (headers or {}),
    )


def test_page_is_rendered_once_for_all_visitors(world, count_renderings):
    answers = [ask(world) for _ in range(5)]

    assert len(count_renderings) == 1
    assert len({answer.data for answer in answers}) == 1
    assert len({answer.headers["Set-Cookie"] for answer in answers}) == 5
    ask(world, utm_source="mail", x="1", page="no number")  # what is not known changes nothing
    assert len(count_renderings) == 1


def change_look(world) -> None:
    pages.change_look(world.page_id, {"accent": "ff6600"}, world.change())


def rename_tag(world) -> None:
    tags.update_tag(Tag.get().id, tags.TagFields(name="crew"), world.change())


def read_balance(world) -> None:
    observed = ChainObservation(
        Wallet.get().address, "A", Decimal(321), 1, world.clock(), Decimal(0)
    )
    store_chain(USDC, [observed])


def read_again(world) -> None:
    """Nothing has changed but when balances were read."""
    world.clock.forward(minutes=10)
    supply = Supply(Decimal(1000), world.clock())
    store_chain_of_mints({}, supplies={USDC: supply})


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
        (change_look, "ff6600"),
        (lambda world: world.configure(public_title="Our friends"), "Our friends"),
        (rename_tag, ">crew<"),
        (read_balance, ">321<"),
        (read_again, "09:40"),
        (lambda world: change_origins(world, SITE, allow_null_origin=True), "data-null-origin"),
    ],
    ids=["list", "look", "title", "tag", "balance", "reading", "null origin"],
)
def test_change_is_shown_at_the_next_request(world, change, shown):
    assert shown not in ask(world).text

    change(world)

    assert shown in ask(world).text


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda world: world.revoke(world.public_key), 401),
        (lambda world: world.configure(is_public=False), 403),
        (lambda world: world.configure(is_embeddable=False), 403),
        (lambda world: world.delete_page(), 404),
    ],
    ids=["revoked", "private", "no embedding", "deleted"],
)
def test_end_of_a_page_is_seen_at_the_next_request(world, change, status):
    assert ask(world).status_code == 200

    change(world)

    assert ask(world).status_code == status
    assert ask(world, headers={"If-None-Match": "*"}).status_code == status


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
    visitor, stranger = Visitor(), Visitor()
    for one in (visitor, stranger):
        world.open_widget(one)
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


def test_flood_of_odd_addresses_pushes_out_nothing_that_is_used(
    world, count_renderings, monkeypatch
):
    cache = LFUCache(100_000, getsizeof=len)
    monkeypatch.setattr(widget_page, "_kept", SharedCache(cache))
    for _ in range(3):
        ask(world)
    for number in range(40):
        for _ in range(2):
            ask(world, accent=f"{number:06x}")

    assert cache.currsize <= 100_000
    assert 2 < len(cache) < 12
    count_renderings.clear()
    ask(world)
    assert count_renderings == []


def test_page_reads_no_more_than_it_needs(world, count_statements):
    visitor = Visitor()
    world.open_widget(visitor)
    ask(world, cookie=visitor.cookie)

    assert count_statements(lambda: ask(world)) == 2  # the key and its page, and the supply
    assert count_statements(lambda: ask(world, cookie=visitor.cookie)) == 3  # and what was sent
