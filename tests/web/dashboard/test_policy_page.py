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
    for name, options in re.findall(r'<select[^>]* name="(\w+)".*?>(.*?)</select>', answer.text):
        if chosen := re.search(r'<option selected value="(\w*)"', options):
            fields[name] = chosen[1]
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


def test_rules_are_a_sentence_and_say_where_balances_are_not_read(world, owner, path):
    text = owner.see(path)
    assert "A wallet needs $USDC; I review each one it is listed at once ; a rejected" in text
    assert "may return after day hour minute second ." in text
    assert "Only balances you entered count: wallets without one are refused" in text
    world.use_endpoint("https://rpc.example")
    world.configure(cooldown_s=7200)
    text = owner.see(path)
    assert "may return after days hours minutes seconds ." in text
    assert "balances you entered" not in text


# The preview


@pytest.mark.databases("sqlite", "postgres")
def test_preview_shows_only_what_would_differ_and_saves_nothing(world, owner, path):
    rich, *_ = add_submissions(world, 3)
    world.observe(_address_of(rich), 100)
    before = read_policy(world)
    answer = preview(owner, path, min_balance="100")

    text = read_text(answer)
    assert answer.status_code == 200
    assert "The last 3 submissions" in text
    assert "2 would have been decided differently." in text
    assert "Changed but not saved: Minimum balance" in text
    assert "would be waiting 3 1 below the minimum balance 0 2" in text
    assert "waiting; with these rules: below the minimum balance" in text
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

    assert "None would have been" in preview(owner, path).text
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


def test_holding_watch_is_chosen(world, owner, path):
    save(owner, path, holding_watch="hide")

    assert world.page.holding_watch == "hide"
    assert read_fields(owner.get(path))["holding_watch"] == "hide"
    for wrong in ({"holding_watch": "delete"}, {"cooldown_unit": "years"}, {"auto_approve": "n"}):
        assert save(owner, path, **wrong).status_code == 422


def _address_of(submission_id: str) -> str:
    return Submission.get_by_id(submission_id).wallet_address
