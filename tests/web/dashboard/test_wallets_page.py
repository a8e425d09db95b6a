"""The page's wallets: list, forms, and changes of many."""

import re

import pytest
from wallet_pages import latest_entry, make_address, path_of, read_all

from embed.db.connection import db
from embed.db.models import Tag, Wallet
from embed.errors import NotFound
from embed.wallets import bulk

pytestmark = pytest.mark.slow


def list_shown(owner, **search: object) -> list[str]:
    """Return the names on the page, in their order."""
    answer = owner.get(path_of(owner.world), query_string=search)
    assert answer.status_code == 200
    return [name for name, _ in read_rows(answer.text)]


def read_rows(text: str) -> list[tuple[str, str]]:
    """Return the name in each row, and the row."""
    rows = re.findall(r'<th scope="row">.*?</tr>', text, re.DOTALL)
    return [(re.search(r'title="[^"]*">(?:<code[^>]*>)?([^<]+)<', row)[1], row) for row in rows]


def add_wallets(world, count: int) -> None:
    with db.atomic():
        for number in range(count):
            world.clock.forward(milliseconds=1)
            world.track(make_address(), alias=f"Wallet {number:03}")


# The list


@pytest.mark.databases("sqlite", "postgres")
def test_search_finds_by_name_address_tag_and_visibility(world, owner):
    tag = world.add_tag("team")
    one = world.track(make_address(), alias="Treasury", tag_names=["team"])
    world.track(make_address(), alias="100% <b>_name", is_hidden=True)

    assert list_shown(owner, q=one.address[4:20]) == list_shown(owner, tag=tag.id) == ["Treasury"]
    assert list_shown(owner, q="0% <") == list_shown(owner, hidden="yes") == ["100% &lt;b&gt;_name"]
    assert list_shown(owner, hidden="no") == ["Treasury"]
    assert list_shown(owner, q="nothing\0 like it") == []
    assert owner.get(path_of(world), query_string={"tag": "A" * 20}).status_code == 404
    assert "match" not in owner.see(path_of(world) + "?sort=name")
    text = owner.see(path_of(world) + "?q=treaSURY")
    assert "Wallets 2 " in text
    assert "1 wallet matches. Show all" in text


@pytest.mark.databases("sqlite", "postgres")
def test_what_the_holding_watch_found_is_marked_and_can_be_searched_for(world, owner):
    for alias, low_count, is_withheld in (
        ("Flagged", 2, False),
        ("Withheld", 2, True),
        ("", 1, False),
    ):
        wallet = world.track(make_address(), alias=alias or "Low once")
        marks = {"low_count": low_count, "is_withheld": is_withheld}
        Wallet.update(marks).where(Wallet.id == wallet.id).execute()
    marks = {
        name: re.findall(r'<span class="pill[^"]*">([^<]*)</span>', row)
        for name, row in read_rows(owner.get(path_of(world)).text)
    }

    assert marks == {
        "Flagged": ["below the minimum"],
        "Withheld": ["hidden: below the minimum"],
        "Low once": [],
    }
    assert set(list_shown(owner, hidden="flagged")) == {"Flagged", "Withheld"}


@pytest.mark.databases("sqlite", "postgres")
def test_list_comes_in_hundreds(world, owner):
    add_wallets(world, 201)

    assert list_shown(owner) == [f"Wallet {number:03}" for number in range(100)]
    assert list_shown(owner, page=3) == list_shown(owner, page=99) == ["Wallet 200"]
    assert list_shown(owner, page=-1) == list_shown(owner, page="x") == list_shown(owner)
    assert list_shown(owner, sort="-name")[0] == "Wallet 200"
    assert list_shown(owner, sort="created_at; DROP") == list_shown(owner)
    text = owner.get(path_of(world) + "?q=wallet&page=2").text
    assert 'href="?q=wallet&amp;page=3"' in text
    (form,) = re.findall(r'<form method="get" class="row">.*?</form>', text, re.DOTALL)
    assert '<input type="hidden" name="q" value="wallet">' in form
    assert 'name="page" min="1" max="3" value="2"' in form


# One by one


def test_wallet_is_added_edited_and_after_a_question_removed(world, owner):
    world.add_tag("team")
    address = make_address()
    fields = {"alias": "Treasury", "tag_names": ["team"], "balance": "12.5", "is_hidden": "y"}
    pasted = f"\u200bhttps://solscan.io/account/{address}?cluster=mainnet{'#' * 60}\r\n"
    assert owner.post(path_of(world, "new"), address=pasted, **fields).status_code == 303
    assert read_all(world) == {address: ("Treasury", {"team"}, True, 12.5)}

    path = path_of(world, Wallet.get().id)
    assert 'value="Treasury"' in owner.get(path).text
    assert owner.post(path, alias="New", balance="3").status_code == 303
    assert read_all(world) == {address: ("New", set(), False, 3.0)}

    assert "Remove New?" in owner.see(f"{path}/remove")
    assert owner.post(f"{path}/remove").status_code == 303
    assert read_all(world) == {}
    assert owner.get(path).status_code == 404


# Many at once


@pytest.mark.databases("sqlite", "postgres")
def test_all_that_match_are_changed_wherever_they_are_in_the_list(world, owner):
    add_wallets(world, 101)
    kept = world.track(make_address(), alias="Treasury")
    version = world.page.version
    world.clock.forward(seconds=1)
    path = path_of(world, "change") + "?q=wallet&page=2"

    asked = owner.post(path, change="hide", matching="yes", wallet=[kept.id])

    assert "Hide 101 wallets?" in asked.text
    assert "all wallets that match your search" in asked.text
    assert world.page.version == version
    add_wallets(world, 1)
    world.clock.forward(seconds=1)
    answer = owner.post(path, change="hide", matching="yes", sure="yes")
    assert answer.headers["Location"] == f"{path_of(world)}?q=wallet&page=2"
    assert "102 wallets have been hidden." in owner.see(path_of(world))
    assert list_shown(owner, hidden="no") == ["Treasury"]
    assert latest_entry(world) == (owner.email, "hide wallets", "102")


@pytest.mark.parametrize(
    ("what", "left"), [("tag", [({"crew", "team"}, True)] * 2), ("remove", [])]
)
def test_each_change_of_all_that_match_is_confirmed_and_told(world, owner, stranger, what, left):
    world.add_tag("crew")
    tags = {"tag": world.add_tag("team")}
    for _ in range(2):
        world.track(make_address(), is_hidden=True, tag_names=["crew"])
    other = world.track(make_address(), alias="Not hidden")
    theirs = world.track(make_address(), page_id=stranger.make_page(), is_hidden=True)
    path = path_of(world, "change") + "?hidden=yes"
    chosen = {"change": what, "matching": "yes"}
    chosen |= {"tag": tags[what].id} if what in tags else {}

    asked = owner.post(path, **chosen)
    assert "2 wallets?" in asked.text
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\w+)">', asked.text))
    assert fields == chosen | {"sure": "yes"}
    owner.post(path, **fields)

    assert re.search(r"2 wallets (are|have)|from 2 wallets\.", owner.see(path_of(world)))
    after = read_all(world)
    assert after.pop(other.address)[1:3] == (set(), False)
    assert [(tags, hidden) for _, tags, hidden, _ in after.values()] == left
    assert Wallet.get_by_id(theirs.id).is_hidden


@pytest.mark.parametrize("what", ["hide", "tag", "explode"])
def test_change_of_nothing_or_to_nothing_is_a_clear_message(world, owner, what):
    ids = [] if what == "hide" else [world.track(make_address()).id]

    answer = owner.post(path_of(world, "change"), change=what, wallet=ids)

    assert answer.status_code == 409
    assert re.search("Select|Choose", answer.text)


def test_selected_wallets_of_this_page_are_changed(world, owner, stranger):
    ids = [world.track(make_address()).id for _ in range(2)]
    theirs = world.track(make_address(), page_id=stranger.make_page())
    query = "?q=found&page=2&next=//evil.example"

    def change(what: str, **fields):
        chosen = [*ids, theirs.id, "' OR 1=1", "\0"]
        path = path_of(world, "change") + query
        return owner.post(path, change=what, wallet=chosen, **fields)

    assert change("hide").headers["Location"] == f"{path_of(world)}?q=found&page=2"
    hidden = {one.id for one in Wallet.select() if one.is_hidden}
    assert hidden == set(ids)
    assert "Remove 5 wallets?" in change("remove").text
    assert change("remove", sure="yes").status_code == 303
    assert [one.id for one in Wallet.select()] == [theirs.id]


@pytest.mark.databases("sqlite", "postgres")
def test_tag_that_is_removed_meanwhile_is_not_found(world):
    tag, wallet = world.add_tag("team"), world.track(make_address())
    Tag.delete().execute()

    with pytest.raises(NotFound):
        bulk.change_wallets(world.page_id, [wallet.id], "tag", world.change(), tag=tag)
