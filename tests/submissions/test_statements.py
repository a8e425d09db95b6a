"""How many statements each call of a visitor takes, so that they do not grow unseen.

Those that begin and end transactions are not counted.
"""

import pytest
from support.world import Visitor, another_wallet, code_of, with_session

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
        draft, codes = world.draft(another_wallet(visitor)), []

        def submit() -> None:
            codes.append(code_of(world.post(draft, cookie=visitor.cookie)))

        statements = count_statements(submit)
        assert codes == [code]
        return statements

    return count


@pytest.mark.parametrize(("root", "statements"), [("/api/embed", 1), ("/embed/api", 2)])
def test_nonce_takes_the_key_and_for_the_widget_whether_the_wallet_was_sent(
    world, visitor, count_statements, root, statements
):
    world.root = root

    assert count_statements(lambda: world.ask_nonce(visitor)) == statements


@pytest.mark.parametrize(
    ("policy", "code", "statements"),
    [
        pytest.param({}, None, 9, id="waits: 7 reads, 2 writes"),
        pytest.param({"trust_after": 5}, None, 10, id="with trust: the visitor's decisions"),
        pytest.param({"auto_approve": True}, None, 13, id="approved at once"),
        pytest.param({"queue_capacity": 0}, "queue_full", 8, id="refused"),
    ],
)
def test_submission_takes_so_many(world, count_of_submitting, policy, code, statements):
    world.configure(**policy)

    assert count_of_submitting(code=code) == statements


def test_earlier_submissions_take_no_more_statements(world, visitor, count_of_submitting):
    first = count_of_submitting()
    for _ in range(3):
        world.approve(world.submit(another_wallet(visitor)).json["submissionId"])

    assert count_of_submitting() == first
