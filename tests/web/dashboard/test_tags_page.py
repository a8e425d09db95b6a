"""The page's tags."""

import re
from pathlib import Path

import pytest
from support.world import Visitor

from embed.db.models import Tag, WalletTag
from embed.settings import PROJECT_DIR
from embed.wallets.tags import COLORS

pytestmark = pytest.mark.slow

HOSTILE = "<b>&\"'"


def path_of(world, *more: str) -> str:
    return "/".join([f"/dashboard/pages/{world.page_id}/wallets/tags", *more])


def read_tags(world) -> list[tuple[str, str]]:
    query = Tag.select().where(Tag.page == world.page_id).order_by(Tag.created_at, Tag.id)
    return [(tag.name, tag.color) for tag in query]


def test_tag_is_added_renamed_and_recoloured_and_stays_on_its_wallets(world, owner):
    assert owner.post(path_of(world), name=f" {HOSTILE} ", color="teal").status_code == 303
    tag = Tag.get()
    world.track(Visitor().address, tag_names=[HOSTILE])
    assert read_tags(world) == [(HOSTILE, "teal")]
    assert "1 wallet " in owner.see(path_of(world))
    assert "<b>" not in owner.get(path_of(world)).text.partition("<main")[2]
    Tag.update(color="blue-500").execute()  # by a command, from the owner's own palette

    assert owner.post(path_of(world, tag.id), name="crew", color="blue-500").status_code == 303

    (wallet,) = world.read().json["wallets"]
    assert wallet["tags"] == [{"id": tag.id, "name": "crew", "color": "blue-500"}]


def test_wallets_of_a_tag_are_left_out_of_the_sums_and_counted_again(world, owner):
    assert owner.post(path_of(world), name="pool", color="red", is_left_out="y").status_code == 303
    tag = Tag.get()
    world.track(Visitor().address, tag_names=["pool"], balance=5)
    assert "pool not in totals 1 wallet " in owner.see(path_of(world))
    form = owner.get(path_of(world, tag.id)).text
    assert "checked" in re.findall(r"<input[^>]*is_left_out[^>]*>", form)[0]
    list_path = f"/dashboard/pages/{world.page_id}/wallets"
    assert "5 $USDC 0 without pool" in owner.see(list_path)

    world.clock.forward(seconds=1)
    assert owner.post(path_of(world, tag.id), name="pool", color="red").status_code == 303

    assert "not in totals 1" not in owner.see(path_of(world))
    assert "without pool" not in owner.see(list_path)
    log = owner.see(f"/dashboard/pages/{world.page_id}/activity")
    assert "added the tag pool, not counted in totals" in log
    assert "changed the tag pool, counted in totals" in log


def test_removing_asks_first_and_takes_the_tag_off_its_wallets(world, owner):
    tag = world.add_tag("team")
    world.track(Visitor().address, tag_names=["team"])

    assert "removed from 1 wallet," in owner.see(path_of(world, tag.id, "remove"))
    assert owner.post(path_of(world, tag.id, "remove")).status_code == 303

    assert world.read().json["tags"] == []
    assert WalletTag.select().count() == 0
    assert owner.get(path_of(world, tag.id)).status_code == 404


def test_every_color_that_is_offered_is_one_that_the_style_sheet_knows():
    sheet = Path(PROJECT_DIR, "static/look/look.css").read_text()
    known = re.findall(r'\[data-color\^="(\w+)"\]', sheet)

    assert set(COLORS) <= set(known)
