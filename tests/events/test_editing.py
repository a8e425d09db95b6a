"""editing(): one transaction, one new version, an entry in the log for each event."""

import pytest
from support.world import read_log

from embed.db.connection import db
from embed.db.models import Page
from embed.errors import NotFound
from embed.events.editing import editing
from embed.events.kinds import ChangeFacts, HoldingFacts, TagFacts
from embed.notifications import receivers

pytestmark = pytest.mark.databases("sqlite", "postgres")

ACTOR = "owner@example.com"


def list_actions(world) -> list[str]:
    """Return the actions of the test's own actor, newest first."""
    entries = read_log(world.page_id)
    return [entry.action for entry in entries if entry.actor == ACTOR]


def test_change_has_one_version_however_much_it_records(world):
    version = world.page.version

    with editing(world.page_id, world.change(ACTOR)) as edit:
        edit.log("add tag", TagFacts("one"))
        edit.log("remove tag", TagFacts("one"))

    assert sorted(list_actions(world)) == ["add tag", "remove tag"]
    assert world.page.version == version + 1


def test_change_that_fails_leaves_nothing_and_no_message(world):
    receivers.add_webhook(world.page_id, "https://hooks.example/", world.change())
    before = world.dump()

    def change() -> None:
        with editing(world.page_id, world.change(ACTOR)) as edit:
            edit.log("change page", ChangeFacts({"public_title": "New"}))
            edit.log("flag wallet", HoldingFacts("id", "address", "Ann", 1, 2, hidden=False))
            Page.update(public_title="New").execute()
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        change()

    assert world.dump() == before


def test_action_is_logged_only_with_its_own_facts(world):
    before = world.dump()

    with (
        pytest.raises(ValueError, match="add wallet"),
        editing(world.page_id, world.change(ACTOR)) as edit,
    ):
        edit.log("add wallet", TagFacts("one"))

    assert world.dump() == before


def test_page_that_is_not_there_cannot_be_changed(world):
    with pytest.raises(NotFound), editing("nowhere", world.change(ACTOR)):
        pytest.fail("entered")
    assert not db.in_transaction()
