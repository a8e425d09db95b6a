"""Domain names in the list that the server renders: where the owner wants them, nowhere else."""

import re

import pytest
from support.fake_chain import FakeChain
from support.world import Visitor

from embed import pages
from embed.balances import stored_names
from embed.balances.stored_names import NameObservation

NAME = "toly-of-the-tests.sns"
SHOWN = re.compile(
    r'<span class="name" dir="auto">([^<]*)'
    r'|<code dir="ltr">([^<]*)'
    r'|<span class="domain">(?:(?!</span></span>).)*<bdi dir="ltr">([^<]*)</bdi>'
)


@pytest.fixture
def chain():
    return FakeChain()


@pytest.fixture
def addresses(world) -> list[str]:
    """Three wallets: two with a name on the chain, of which the second has a nickname, too."""
    addresses = [Visitor().address for _ in range(3)]
    for address, alias in zip(addresses, (None, "Ann", "Bob"), strict=True):
        world.track(address, alias=alias)
        world.clock.forward(seconds=1)  # lists are sorted by time
    return addresses


@pytest.fixture
def see(world, addresses):
    """Return what of each wallet's row can be seen before it is opened, as lists of words."""

    def act(stored: str, **arguments) -> list[list[str]]:
        pages.change_look(world.page_id, {"names": stored}, world.clock())
        rows = [NameObservation(one, NAME, 5, world.clock()) for one in addresses[:2]]
        stored_names.store_names(rows)
        return [read_row(row) for row in list_rows(open_widget(world, **arguments).text)]

    return act


def open_widget(world, **arguments):
    return world.call(
        "GET",
        f"/embed/tracking/{world.page_id}",
        query_string={"key": world.public_key} | arguments,
        headers={"Authorization": None, "Origin": None},
    )


def list_rows(document: str) -> list[str]:
    """Return the HTML of each row."""
    (wallets,) = re.findall(r'<ol class="wallets".*?</ol>', document, re.DOTALL)
    return wallets.split("<li ")[1:]


def read_row(row: str) -> list[str]:
    """Return the name, the short address and the domain name, without what is hidden."""
    head, _, _ = row.partition("</summary>")
    return [next(filter(None, found)) for found in SHOWN.findall(head)]


def shorten(address: str) -> str:
    return f"{address[:4]}…{address[-4:]}"


def test_name_is_beside_the_short_address_and_after_the_nickname(see, addresses):
    first, second, third = map(shorten, addresses)

    assert see("beside") == [[first, first, NAME], ["Ann", second, NAME], ["Bob", third]]


def test_name_is_in_place_of_the_short_address_and_after_the_nickname(see, addresses):
    assert see("instead") == [[NAME], ["Ann", NAME], ["Bob", shorten(addresses[2])]]


def test_whole_address_stays_in_the_details(world, see, addresses):
    see("instead")

    details = [row.partition("</summary>")[2] for row in list_rows(open_widget(world).text)]
    assert [re.findall("<code[^>]*>(.*?)</code>", one) for one in details] == [
        [address] for address in addresses
    ]


def test_hidden_names_are_neither_in_the_list_nor_in_the_payload(world, see, addresses):
    see("beside")

    assert all(NAME not in texts for texts in see("hide"))
    assert NAME not in open_widget(world).text
    assert NAME not in world.read().text


def test_address_of_a_frame_chooses_where_names_are_but_not_whether_the_page_has_them(see):
    assert see("beside", names="instead")[0] == [NAME]
    assert all(NAME not in texts for texts in see("beside", names="hide"))
    assert all(NAME not in texts for texts in see("hide", names="beside"))


def test_name_is_no_link_and_keeps_its_direction(world, see):
    see("beside")

    first, *_ = list_rows(open_widget(world).text)
    assert f'<bdi dir="ltr">{NAME}</bdi>' in first
    assert "<a" not in first


def test_list_by_name_has_domain_names_where_there_is_no_nickname(world, see, addresses):
    see("instead")

    rows = list_rows(open_widget(world, order="name").text)
    shown = [re.search('data-address="(.*?)"', row)[1] for row in rows]
    assert shown == [addresses[1], addresses[2], addresses[0]]  # Ann, Bob, toly


def test_reader_of_an_earlier_list_gets_the_wallets_whose_names_changed(world, see, addresses):
    see("beside")
    world.root = "/embed/api"
    asked = {"If-None-Match": world.read().headers["ETag"], "A-IM": "wallets"}
    assert world.read(headers=asked).status_code == 304
    now = world.clock()
    stored_names.store_names([NameObservation(addresses[0], "new.sns", 6, now)])

    later = world.read(headers=asked)

    assert later.json["wallets"][0]["domainName"] == "new.sns"
