"""From an empty installation to a wallet on the page, by an owner and a visitor."""

import pytest
from support.remote import RemotePage, make_environ
from support.servers import run_gunicorn
from support.world import Visitor

pytestmark = pytest.mark.slow


def test_visitor_submits_the_owner_approves_and_the_page_shows_the_wallet(database_url):
    environ = make_environ(database_url)
    with run_gunicorn(environ) as server:
        page, visitor = RemotePage(server.url, environ), Visitor()
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
        (own,) = page.list_own(visitor).json["submissions"]
        assert own.items() <= approved.items()
        (wallet,) = page.read().json["wallets"]
        assert (wallet["address"], wallet["publicAlias"]) == (visitor.address, "Alice")
