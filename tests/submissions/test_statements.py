"""How many statements each call of a visitor takes, so that they do not grow unseen.

Not counted are those that begin and end transactions, and the one by which Postgres locks a page.
"""

import pytest
from peewee import Database
from support.world import Visitor, another_wallet, code_of, with_session

from embed.db.connection import db

pytestmark = pytest.mark.databases("sqlite", "postgres")


@pytest.fixture
def visitor(world) -> Visitor:
    visitor = with_session(world)
    world.reject(world.submit(another_wallet(visitor)).json["submissionId"])
    world.approve(world.submit(another_wallet(visitor)).json["submissionId"])
    return visitor


@pytest.fixture
def count_of_submitting(world, visitor, count_statements):
    """Count the statements of a wallet's submission: ``count_of_submitting(code=None)``."""

    def count(*, code: str | None = None) -> int:
        draft, codes = world.draft(visitor), []

        def submit() -> None:
            codes.append(code_of(world.post(draft, cookie=visitor.cookie)))

        statements = count_statements(submit)
        assert codes == [code]
        return statements - bool(db.for_update)

    return count


@pytest.mark.parametrize(("root", "statements"), [("/api/embed", 1), ("/embed/api", 2)])
def test_nonce_takes_the_key_and_for_the_widget_whether_the_wallet_was_sent(
    world, visitor, count_statements, root, statements
):
    world.root = root

    assert count_statements(lambda: world.ask_nonce(visitor)) == statements


def test_pending_submission_reads_three_times_and_writes_twice(count_of_submitting):
    assert count_of_submitting() == 5


def test_approval_at_once_takes_four_more_than_waiting(world, count_of_submitting):
    world.configure(auto_approve=True)

    assert count_of_submitting() == 9


def test_refusal_by_policy_is_stored_by_two(world, count_of_submitting):
    world.configure(queue_capacity=0)

    assert count_of_submitting(code="queue_full") == 5


def test_no_sql_is_made_once_it_was(world, visitor, monkeypatch):
    """Peewee takes longer for it than the databases for running it."""
    drafts = [world.draft(another_wallet(visitor)) for _ in range(4)]
    world.post(drafts[0], cookie=visitor.cookie)
    world.configure(queue_capacity=1)
    world.post(drafts[1], cookie=visitor.cookie)
    world.configure(queue_capacity=2)
    monkeypatch.delattr(Database, "get_sql_context")

    assert code_of(world.ask_nonce(visitor)) is None
    assert code_of(world.post(drafts[2], cookie=visitor.cookie)) is None
    assert code_of(world.post(drafts[3], cookie=visitor.cookie)) == "queue_full"
