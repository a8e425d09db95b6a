"""The page's policy: saving, previewing and the description of its effects."""

from datetime import timedelta
from decimal import Decimal

import pytest
from forms import list_wrong_fields, read_inputs
from support.many_submissions import add_submissions
from support.owner_browser import read_text

from embed import pages
from embed.db.models import Submission
from embed.domain.policy import Policy

pytestmark = pytest.mark.slow

DAY = timedelta(days=1)

PRESENT = {
    "min_balance": "0",
    "queue_capacity": "100",
    "cooldown": "1",
    "cooldown_unit": "days",
    "trust_after": "0",
}


@pytest.fixture
def path(page) -> str:
    return f"{page}/settings/rules"


def save(owner, path, **fields):
    return owner.post(path, save="", **(PRESENT | fields))


def preview(owner, path, **fields):
    return owner.post(path, preview="", **(PRESENT | fields))


def read_policy(world) -> Policy:
    return pages.read_policy(world.page)


@pytest.mark.parametrize("seconds", [0, 90, 129_600, 2**31 - 1])
def test_form_saved_as_it_came_changes_nothing(world, owner, path, seconds):
    world.configure(cooldown_s=seconds, min_balance="1e20")
    before = read_policy(world)
    fields = read_inputs(owner.get(path))

    assert save(owner, path, **fields).status_code == 303
    assert read_policy(world) == before


def test_what_was_previewed_is_saved_in_any_unit(world, owner, path):
    typed = {"auto_approve": "y", "min_balance": "2.5", "cooldown": "1.5", "holding_watch": "hide"}

    shown = preview(owner, path, **typed)
    save(owner, path, **read_inputs(shown))

    assert read_policy(world) == Policy(
        auto_approve=True, min_balance=Decimal("2.5"), queue_capacity=100, cooldown=DAY * 1.5
    )
    assert world.page.holding_watch == "hide"
    assert read_inputs(owner.get(path))["cooldown_unit"] == "hours"
    refused = preview(owner, path, min_balance="-1")
    assert (refused.status_code, list_wrong_fields(refused)) == (422, ["min_balance"])


# The preview


@pytest.mark.databases("sqlite", "postgres")
def test_preview_shows_only_what_would_differ_and_saves_nothing(world, owner, path):
    rich, *_ = add_submissions(world, 3)
    world.observe(Submission.get_by_id(rich).wallet_address, 100)
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
