"""Concurrent requests, in several processes of several threads each."""

from functools import partial

import pytest
from support.postgres import open_cursor
from support.remote import RemotePage, at_once, make_environ, summarise
from support.servers import run_gunicorn
from support.world import Visitor

from embed.db import connection
from embed.db.models import Submission, Wallet
from embed.errors import InvalidInput

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


@pytest.fixture(scope="module")
def server(shared_database_url, redis_url):
    environ = make_environ(shared_database_url, RATELIMIT_STORAGE_URI=redis_url)
    with run_gunicorn(environ, "--workers", "3") as server:
        yield server


@pytest.fixture
def make_page(server, shared_database_url):
    return partial(RemotePage, server.url, make_environ(shared_database_url))


def test_fifty_posts_of_one_nonce_make_one_submission(make_page):
    page, visitor = make_page(), Visitor()
    draft = page.draft(visitor)

    answers = at_once([lambda: page.post(draft)] * 50)

    assert summarise(answers) == {(201, None): 1, (400, "invalid_nonce"): 49}
    (accepted,) = (answer.json for answer in answers if answer.status_code == 201)
    assert [one["id"] for one in page.list_submissions()] == [accepted["submissionId"]]


@pytest.mark.databases("postgres")
def test_submission_is_decided_while_its_page_is_locked(make_page, shared_database_url):
    """Not only stored: a reference to the page needs a weaker lock than this one conflicts with."""
    page = make_page()
    draft = page.draft(Visitor())
    with open_cursor(shared_database_url) as other:
        other.execute("SELECT 1 FROM page WHERE id = %s FOR NO KEY UPDATE", (page.page_id,))

        answer = page.post(draft)

    assert (answer.status_code, answer.json) == (503, {"error": "unavailable"})
    assert page.post(draft).status_code == 201


def test_twenty_wallets_racing_for_a_queue_of_three_leave_exactly_three_waiting(make_page):
    page = make_page("--queue-capacity", "3")
    drafts = [page.draft(Visitor()) for _ in range(20)]

    answers = at_once([lambda draft=draft: page.post(draft) for draft in drafts])

    assert summarise(answers) == {(201, None): 3, (429, "queue_full"): 17}
    refused = [answer for answer in answers if answer.status_code == 429]
    assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)
    assert [one["status"] for one in page.list_submissions()] == ["pending"] * 3


def test_one_wallet_with_many_nonces_of_several_keys_gets_one_live_submission(make_page):
    page, visitor = make_page(), Visitor()
    keys = [page.public_key, page.make_key("--tier", "secret")["key"]] * 6
    drafts = [(page.draft(visitor, key=key), key) for key in keys]

    answers = at_once(
        [lambda draft=draft, key=key: page.post(draft, key=key) for draft, key in drafts]
    )

    assert summarise(answers) == {(201, None): 1, (409, "duplicate"): 11}
    assert [one["walletAddress"] for one in page.list_submissions()] == [visitor.address]


def test_of_many_decisions_at_once_on_each_submission_one_counts(world):
    for _ in range(5):
        visitor = Visitor()
        submission_id = world.submit(visitor).json["submissionId"]

        def decide(use_case, submission_id=submission_id):
            try:
                return use_case(submission_id).status
            except InvalidInput:
                return None
            finally:
                connection.db.close()

        outcomes = at_once([lambda: decide(world.approve), lambda: decide(world.reject)] * 4)

        (winner,) = filter(None, outcomes)
        assert Submission.get_by_id(submission_id).status == winner
        is_tracked = Wallet.select().where(Wallet.address == visitor.address).exists()
        assert is_tracked == (winner == "approved")
