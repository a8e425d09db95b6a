"""From an empty installation to a wallet on the page, by an owner and a visitor."""

from functools import partial

import pytest
from support.remote import RemotePage, make_environ
from support.servers import run_gunicorn
from support.world import SITE, Visitor

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def environ(shared_database_url):
    return make_environ(shared_database_url)


@pytest.fixture(scope="module")
def server(environ):
    with run_gunicorn(environ) as server:
        yield server


@pytest.fixture
def make_page(server, environ):
    """Create a page by commands, as an operator does while the server runs."""
    return partial(RemotePage, server.url, environ)


def test_page_made_by_command_is_read_with_its_tags_wallets_and_balances(make_page):
    page = make_page("--title", "Friends", "--comments", "Who is in.")
    team = page.command("tags", "add", page.page_id, "team", "blue")
    shown, hidden = Visitor().address, Visitor().address
    details = ("--alias", "Treasury", "--tag", "team", "--balance", "12.5")
    wallet = page.command("wallets", "add", page.page_id, shown, *details)
    page.command("wallets", "add", page.page_id, hidden, "--hidden")

    page.root = "/api/embed"
    answer = page.read()

    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Origin"] == SITE
    payload = answer.json
    assert team.pop("counted")  # pages say so of those alone that are not
    assert (payload["publicTitle"], payload["publicComments"]) == ("Friends", "Who is in.")
    assert payload["tags"] == [team]
    assert payload["wallets"] == [
        {
            "id": wallet["id"],
            "address": shown,
            "publicAlias": "Treasury",
            "tokenBalance": 12.5,
            "tags": [team],
        }
    ]


def test_visitor_submits_the_owner_approves_and_the_page_shows_the_wallet(make_page):
    page, visitor = make_page(), Visitor()
    widget = page.open_widget(visitor)
    assert widget.headers["Content-Type"].startswith("text/html")

    submitted = page.submit(visitor, "Alice")

    assert submitted.status_code == 201, submitted.text
    submission_id = submitted.json["submissionId"]
    assert submitted.json == {"submissionId": submission_id, "status": "pending"}
    (own,) = page.list_own(visitor).json["submissions"]
    assert (own["id"], own["status"], own["decidedAtIso"]) == (submission_id, "pending", None)
    assert page.list_addresses() == []

    approved = page.command("submissions", "approve", submission_id)

    assert approved["status"] == "approved"
    assert page.list_own(visitor).json["submissions"] == [approved]
    (wallet,) = page.read().json["wallets"]
    assert (wallet["address"], wallet["publicAlias"]) == (visitor.address, "Alice")
