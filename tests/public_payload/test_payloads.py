"""How often a page's payload is built, parsed and compressed."""

import json

import pytest
from support.remote import at_once
from support.world import Visitor

from embed.db.connection import db
from embed.public_payload import WALLETS_PER_PART, get_payload

pytestmark = pytest.mark.databases("sqlite", "postgres")


def open_widget(world, **query):
    return world.client.get(
        f"/embed/tracking/{world.page_id}", query_string={"key": world.public_key} | query
    )


def test_payload_is_built_once_for_each_version(world, built):
    for _ in range(2):
        world.read()
        open_widget(world)
    world.track(Visitor().address)
    for _ in range(2):
        open_widget(world)
        world.read()

    assert built == [world.page_id] * 2


def test_payload_that_many_ask_for_at_once_is_built_once(world, built):
    version = world.page.version

    def get():
        try:
            return get_payload(world.page_id, version, world.balances)
        finally:
            db.close()

    payloads = at_once([get] * 8)

    assert built == [world.page_id]
    assert len({id(payload) for payload in payloads}) == 1


@pytest.mark.databases("sqlite")
@pytest.mark.parametrize("count", [0, 1, WALLETS_PER_PART, WALLETS_PER_PART + 1])
def test_wallets_read_one_by_one_are_the_whole_list(world, count):
    with db.atomic():
        for number in range(count):
            world.track(Visitor().address, alias=f"n{number}")
    payload = get_payload(world.page_id, world.page.version, world.balances)

    wallets = payload.read_wallets(payload.choose("listed"))

    assert payload.wallet_count == count
    assert wallets == json.loads(payload.json)["wallets"]


@pytest.mark.databases("sqlite")
def test_statements_do_not_grow_with_the_wallets(world, count_statements):
    world.add_tag("first")
    world.add_tag("second")
    counts = []
    for wallets in (2, 120):
        with db.atomic():
            for _ in range(wallets):
                world.track(Visitor().address, tag_names=["first", "second"], balance=1)
        counts.append(count_statements(world.read))

    assert counts[1] <= counts[0]  # the first also records that the key was used
