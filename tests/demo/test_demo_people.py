"""The demo's two people, each of whom gets a link of their own."""

import pytest
from support.folded import list_wrongly_folded
from support.owner_browser import find_token

from embed import pages
from embed.demo.tracking_page import OWNER, REVIEWER, make_demo_page
from embed.people import members
from embed.people.passwords import build_link
from embed.runtime import EXTENSION

pytestmark = pytest.mark.slow

PASSWORD = "four words that nobody says"


@pytest.fixture
def make_page(world):
    return world, lambda: make_demo_page("https://site.example", world.change())


def open_link(world, person):
    """Return a browser in which a person is signed in by their one-time link."""
    link = build_link(person, world.app.extensions[EXTENSION].signer, "")
    client = world.app.test_client()
    form = {"csrf_token": find_token(client.get(link).text)}
    answer = client.post(link, data=form | {"password": PASSWORD})
    assert answer.status_code == 303, answer.text
    return client


def test_wallets_and_submissions_of_the_demo_are_found_by_searches(make_page):
    make_page[1]()

    assert list_wrongly_folded() == []


def test_links_let_an_owner_and_a_reviewer_in(make_page):
    world, make = make_page
    page = make()
    root = f"/dashboard/pages/{page.id}"

    owner, reviewer = open_link(world, page.owner), open_link(world, page.reviewer)

    for client, email, status in ((owner, OWNER, 200), (reviewer, REVIEWER, 403)):
        assert email in client.get("/dashboard/").text
        assert 'form="approve"' in client.get(f"{root}/queue").text
        assert client.get(f"{root}/settings/keys").status_code == status
        assert client.get(f"{root}/settings/people").status_code == status


def test_next_run_finds_both_as_they_were(make_page):
    _, make = make_page
    first = make()

    second = make()

    assert (second.owner, second.reviewer) == (first.owner, first.reviewer)
    assert members.find_role(pages.get_page(second.id), second.reviewer) == "reviewer"
