"""The page's policy: saving, previewing and the description of its effects."""

import html
import re

import pytest
from support.many_submissions import add_submissions
from support.owner_browser import read_text

from embed.db.models import Submission

pytestmark = pytest.mark.slow

PRESENT = {
    "min_balance": "0",
    "queue_capacity": "100",
    "cooldown": "1",
    "cooldown_unit": "days",
    "trust_after": "0",
}


@pytest.fixture
def path(world) -> str:
    return f"/dashboard/pages/{world.page_id}/settings/rules"


def save(owner, path, **fields):
    return owner.post(path, save="", **(PRESENT | fields))


def preview(owner, path, **fields):
    return owner.post(path, preview="", **(PRESENT | fields))


def read_fields(answer) -> dict[str, str]:
    """Return the fields that the form on a page would send."""
    inputs = re.findall(r"<input [^>]*>", answer.text)
    fields = {}
    for one in inputs:
        name, value = (re.search(f' {word}="([^"]*)"', one) for word in ("name", "value"))
        if name and value and ('type="checkbox"' not in one or " checked" in one):
            fields[name[1]] = html.unescape(value[1])
    fields["cooldown_unit"] = re.search(r'<option selected value="(\w+)"', answer.text)[1]
    return fields


def read_policy(world) -> tuple:
    page = world.page
    return (
        page.auto_approve,
        page.min_balance,
        page.queue_capacity,
        page.cooldown_s,
        page.trust_after,
    )


@pytest.mark.parametrize(
    ("number", "unit", "seconds"),
    [("0", "days", 0), ("1.5", "days", 129_600), ("36", "hours", 129_600), ("90", "seconds", 90)],
)
def test_cooldown_may_be_written_in_any_unit(world, owner, path, number, unit, seconds):
    save(owner, path, cooldown=number, cooldown_unit=unit)

    assert world.page.cooldown_s == seconds


@pytest.mark.parametrize("seconds", [0, 90, 129_600, 2**31 - 1])
def test_form_saved_as_it_came_changes_nothing(world, owner, path, seconds):
    world.configure(cooldown_s=seconds, min_balance="1e20")
    before = read_policy(world)
    fields = read_fields(owner.get(path))
    del fields["csrf_token"]

    assert save(owner, path, **fields).status_code == 303
    assert read_policy(world) == before


@pytest.mark.parametrize(
    ("field", "raw"),
    [
        (field, raw)
        for field in ("min_balance", "queue_capacity", "cooldown", "trust_after")
        for raw in ("", "-1", '"<b>', "inf")
    ],
)
def test_what_cannot_be_kept_is_said_beside_its_field(world, owner, path, field, raw):
    before = read_policy(world)
    for send in (save, preview):
        answer = send(owner, path, **{field: raw})

        assert answer.status_code == 422
        assert f'id="{field}-wrong"' in answer.text
        assert len(re.findall(r'class="wrong"', answer.text)) == 1
        assert (
            html.unescape(re.search(f' name="{field}"[^>]* value="([^"]*)"', answer.text)[1]) == raw
        )
    assert read_policy(world) == before


def test_each_field_says_what_it_does_now(world, owner, path):
    add_submissions(world, 12)
    text = owner.see(path)
    for sentence in (
        "Now: wallets wait for you",
        "Now: no balance is needed",
        "Now: 12 of 100 places are taken",
        "Now: a rejected wallet can be submitted again after 1 day",
        "Now: nobody skips the queue",
    ):
        assert sentence in text
    world.configure(
        auto_approve=True, min_balance=1500, queue_capacity=0, cooldown_s=0, trust_after=2
    )
    text = owner.see(path)
    assert "wallets for which you have entered nothing are turned away" in text
    for sentence in (
        "Now: everything is approved at once",
        "Now: you must have entered at least 1,500 USDC for a wallet",
        "Now: the queue has no places",
        "Now: a rejected wallet can be submitted again at once",
        "Now: approvals by hand that earn trust: 2",
    ):
        assert sentence in text
    world.use_endpoint("https://rpc.example")
    text = owner.see(path)
    assert "you have entered nothing" not in text
    assert "Now: a wallet needs 1,500 USDC" in text


# The preview


@pytest.mark.databases("sqlite", "postgres")
def test_preview_shows_only_what_would_differ_and_saves_nothing(world, owner, path):
    rich, *_ = add_submissions(world, 3)
    world.observe(_address_of(rich), 100)
    before = read_policy(world)
    answer = preview(owner, path, min_balance="100")

    text = read_text(answer)
    assert answer.status_code == 200
    assert "2 of the last 3 submissions would have been decided differently." in text
    assert "waiting; with this policy: below the minimum balance" in text
    assert '<bdi translate="no">Visitor 0</bdi>' not in answer.text
    assert read_policy(world) == before


def test_preview_keeps_what_was_typed_for_saving(world, owner, path):
    answer = preview(
        owner, path, auto_approve="y", min_balance="2.5", cooldown="3", cooldown_unit="hours"
    )
    fields = read_fields(answer)
    del fields["csrf_token"]
    save(owner, path, **fields)

    assert read_policy(world) == (True, 2.5, 100, 10_800, 0)


def test_preview_without_a_difference_or_submissions_says_so(world, owner, path):
    assert "No wallet has been submitted yet" in preview(owner, path).text
    add_submissions(world, 1, "rejected", nickname="")  # see submissions/withdrawal.py

    assert "None of the last" in preview(owner, path).text
    add_submissions(world, 1, "rejected", nickname="<script>alert(1)</script>")
    world.configure(token_symbol="<i>")
    text = preview(owner, path, auto_approve="y").text
    assert "Name withdrawn" in text
    assert "&lt;script&gt;" in text
    assert "<script>alert" not in text
    assert "<i>" not in text


@pytest.mark.databases("sqlite", "postgres")
def test_statements_do_not_grow_with_the_past(world, owner, path, count_statements):
    add_submissions(world, 5)
    assert owner.token  # is read before
    few = count_statements(lambda: preview(owner, path, auto_approve="y"))
    add_submissions(world, 195)

    assert count_statements(lambda: preview(owner, path, auto_approve="y")) == few <= 17


def read_watch(answer) -> tuple[str, str]:
    """Return the chosen holding watch, and what the form says of its present effect."""
    select = re.search(r'<select[^>]*name="holding_watch".*?</select>', answer.text, re.DOTALL)[0]
    chosen = re.search(r'<option selected value="(\w+)"', select)[1]
    return chosen, re.search(r'id="holding_watch-now">Now: (.*?)</p>', answer.text)[1]


def test_holding_watch_is_chosen_and_tells_its_effect(world, owner, path):
    assert read_watch(owner.get(path)) == ("leave", "they stay on the list")

    save(owner, path, holding_watch="hide")
    assert world.page.holding_watch == "hide"
    assert read_watch(owner.get(path)) == ("hide", "there is no minimum to fall below")

    save(owner, path, holding_watch="flag", min_balance="5")
    told = "balances are not read from the chain (SOLANA_RPC_URL), so nothing is watched"
    assert read_watch(owner.get(path)) == ("flag", told)

    world.use_endpoint("https://rpc.example")
    assert read_watch(owner.get(path)) == ("flag", "0 wallets are flagged")
    for wrong in ({"holding_watch": "delete"}, {"cooldown_unit": "years"}):
        assert save(owner, path, **wrong).status_code == 422


def _address_of(submission_id: str) -> str:
    return Submission.get_by_id(submission_id).wallet_address
