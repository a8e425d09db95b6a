"""Deciding in the queue, saying why, and taking it back."""

import html
import json
import re

import pytest
from queue_pages import ask, decide, list_statuses, path_of, send, undo
from support.many_submissions import add_submissions
from support.owner_browser import read_text
from support.world import Visitor

from embed.db.models import Submission

pytestmark = pytest.mark.slow

AT_ONCE = "Jan 31, 2026, 9:30\N{NARROW NO-BREAK SPACE}AM UTC"
NOTHING = "Choose at least one submission first."


def list_undoable(owner) -> list[dict]:
    page = owner.get(path_of(owner.world)).text
    return json.loads(html.unescape(re.search(r'data-decisions="([^"]*)"', page)[1]))


def offered_undo(owner) -> str | None:
    """Return the sentence beside the button that undoes the latest decision, if there is one."""
    page = owner.get(path_of(owner.world)).text
    form = re.search(
        r'class="toast".*?"status">(.*?)</span>\s*<span data-undo( hidden)?>', page, re.DOTALL
    )
    return None if form[2] else re.sub(r"<[^>]+>", "", form[1])


def test_script_is_told_what_was_not_changed_and_the_counts(world, owner):
    gone = Visitor()
    first, second, withdrawn = send(world), send(world), send(world, visitor=gone)
    world.reject(first)
    world.withdraw(gone)

    answer = ask(owner, "decide", ids=[first, second, withdrawn], decision="approve")

    already = f"It is already rejected, {AT_ONCE}."
    assert answer == {
        "unchanged": [
            {"id": first, "sentence": already, "isWaiting": False},
            {
                "id": withdrawn,
                "sentence": "The wallet's holder withdrew it.",
                "isWaiting": False,
            },
        ],
        "counts": {"waiting": 0, "decided": 2, "turned-away": 0},
        "clear": answer["clear"],
    }
    counts = {"waiting": 1, "decided": 1, "turned-away": 0}
    undone = ask(owner, "undo", ids=second)
    assert (undone["unchanged"], undone["counts"]) == ([], counts)


@pytest.mark.databases("sqlite", "postgres")
def test_more_ids_than_a_statement_takes_is_a_sentence(world, owner):
    waiting = send(world)

    for count, status, said in (
        (1_000, 409, "At most 1,000 submissions"),
        (70_000, 413, "too large"),  # Postgres takes 65,535 parameters
    ):
        ids = [f"{number:020}" for number in range(count)]
        for answer in (decide(owner, "approve", waiting, *ids), undo(owner, waiting, *ids)):
            assert answer.status_code == status
            assert said in answer.text
    assert list_statuses(waiting) == ["pending"]


@pytest.mark.parametrize("decision", ["", "delete"])
def test_decision_that_is_none_or_on_nothing_is_a_sentence(world, owner, decision):
    (only,) = add_submissions(world, 1)

    assert decide(owner, decision, only).status_code == 422
    answer = decide(owner, "approve")
    assert (answer.status_code, NOTHING in answer.text) == (422, True)
    assert ask(owner, "decide", decision="approve") == {"mistake": NOTHING}
    long = {"reason": "own", "reason_text": "x" * 201}
    assert decide(owner, "reject", only, **long).status_code == 422
    assert list_statuses(only) == ["pending"]


@pytest.mark.parametrize("raw", ["\0", "\ud800", "a" * 20])
def test_ids_that_are_none_are_not_found(world, owner, raw):
    (only,) = add_submissions(world, 1)
    raw_bytes = raw.encode("utf-8", "surrogatepass")

    assert decide(owner, "approve", only, raw_bytes).status_code == 404
    assert undo(owner, raw_bytes).status_code == 404
    assert list_statuses(only) == ["pending"]


# Telling why


@pytest.mark.parametrize(
    ("reason", "text", "stored", "shown"),
    [
        ("", "left over", (None, None), ""),
        ("low_balance", "left over", ("low_balance", None), "The wallet holds too few tokens."),
        ("own", " Ask me <b>first</b>. ", (None, "Ask me <b>first</b>."), "Ask me <b>first</b>."),
    ],
)
def test_reason_is_picked_or_written(world, owner, reason, text, stored, shown):
    submission_id = send(world, "Alice")

    decide(owner, "reject", submission_id, reason=reason, reason_text=text)

    one = Submission.get_by_id(submission_id)
    assert (one.status, one.reason_code, one.reason_text) == ("rejected", *stored)
    assert shown in owner.see(path_of(world) + "?tab=decided")


# Undoing


@pytest.mark.parametrize(("decision", "told"), [("approve", "Approved"), ("reject", "Rejected")])
def test_undo_lets_it_wait_again_as_if_nothing_had_been(world, owner, decision, told):
    submission_id = send(world, "Alice")
    before = world.dump()
    decide(owner, decision, submission_id)
    assert offered_undo(owner) == f"{told} Alice."
    world.clock.forward(minutes=9)

    assert undo(owner, submission_id).status_code == 303
    after = world.dump()
    assert [after[name] for name in ("submission", "wallet")] == [
        before[name] for name in ("submission", "wallet")
    ]
    assert offered_undo(owner) is None


def test_undo_is_offered_for_ten_minutes(world, owner):
    submission_id = send(world, "Alice")
    decide(owner, "approve", submission_id)
    decided = path_of(world) + "?tab=decided"

    world.clock.forward(minutes=10)
    assert offered_undo(owner) is None  # not at the bottom of every page that is opened meanwhile
    assert [one["ids"] for one in list_undoable(owner)] == [[submission_id]]
    assert f'value="{submission_id}" form="undo-one"' in owner.get(decided).text
    world.clock.forward(seconds=0.1)
    assert list_undoable(owner) == []
    assert 'form="undo-one"' not in owner.get(decided).text
    answer = undo(owner, submission_id)
    assert answer.status_code == 409
    assert "It's too late to undo this." in read_text(answer)


def test_last_ten_decisions_are_undone_one_by_one(world, owner):
    decided = []
    for number in range(11):
        ids = add_submissions(world, 30) if number == 5 else [send(world, f"Visitor {number}")]
        world.clock.forward(seconds=1)
        decide(owner, "approve" if number % 2 else "reject", *ids)
        decided.append(ids)
    offered = list_undoable(owner)

    assert [set(one["ids"]) for one in offered] == [set(ids) for ids in decided[:0:-1]]
    assert offered_undo(owner) == "Rejected Visitor 10."
    for ids in decided[:0:-1]:
        assert undo(owner, *ids).status_code == 303
    assert list_undoable(owner) == [{"decision": "reject", "ids": decided[0], "name": "Visitor 0"}]


def test_decisions_of_others_are_not_offered_to_undo(world, owner):
    world.approve(send(world))
    submission_id = send(world)
    decide(owner, "approve", submission_id)
    world.clock.forward(minutes=1)
    world.undo(submission_id, actor="other@example.com")
    world.reject(submission_id)

    assert list_undoable(owner) == []


# What visitors withdrew


@pytest.mark.databases("sqlite", "postgres")
def test_queue_says_how_many_were_withdrawn_lately(world, owner):
    visitor = Visitor()
    send(world, visitor=visitor)
    assert "Withdrawn" not in owner.see(path_of(world))
    world.withdraw(visitor)
    sentence = "Withdrawn by wallet holders in the last 30 days: 1."
    assert sentence in owner.see(path_of(world))
    world.clock.forward(days=30, milliseconds=1)
    owner.sign_in_again()

    assert "Withdrawn" not in owner.see(path_of(world))


@pytest.mark.parametrize(
    ("decision", "told"),
    [("approve", "by the wallets' holders: 1"), ("reject", "holder withdrew it")],
)
def test_undoing_what_was_withdrawn_is_a_sentence(world, owner, decision, told):
    visitor = Visitor()
    submission_id = send(world, "Gone Girl", visitor=visitor)
    decide(owner, decision, submission_id)
    world.withdraw(visitor)

    answer = undo(owner, submission_id)

    assert (answer.status_code, told in answer.text) == (409, True)
    assert visitor.address not in owner.get(path_of(world)).text
    world.clock.forward(minutes=1)  # the offer to undo names it for half a minute
    text = owner.see(path_of(world) + "?tab=decided")
    assert ("Name withdrawn" in text) == (decision == "reject")
    assert "Gone Girl" not in text
