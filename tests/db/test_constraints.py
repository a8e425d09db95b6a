"""Recognising the constraint that refused a row, and translating it into an error."""

import gc
import sqlite3
from contextlib import nullcontext
from decimal import Decimal

import pytest
from peewee import IntegrityError
from support.world import USDC, Visitor, change_at, code_of

from embed.db.connection import db
from embed.db.constraints import find_unique_index, skip_if_reference_missing
from embed.db.models import ApiKey, Page, Person, Submission, Tag, Wallet
from embed.domain import identifiers, policy
from embed.domain.nonces import Nonce
from embed.errors import InvalidInput
from embed.people import accounts
from embed.submissions import ownership, soft_rejections
from embed.wallets import tags, tracking

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


def again(row) -> None:
    """Insert an existing row again with a new id."""
    values = dict(row.__data__) | {"id": identifiers.make_id()}
    type(row).insert(**values).execute()


def submission_again(**changes: object) -> None:
    row = Submission.get()
    for name, value in changes.items():
        setattr(row, name, value)
    again(row)


def derived_key_again() -> None:
    row = ApiKey.select().first()
    for number in range(2):
        row.purpose, row.key_hash = "preview", str(number)
        again(row)


@pytest.fixture
def filled(world):
    world.add_tag("team")
    world.track(Visitor().address)
    world.submit(Visitor())
    return world


SAME = {
    "person_email": lambda: again(Person.get()),
    "api_key_key_hash": lambda: again(ApiKey.get()),
    "api_key_derived": derived_key_again,
    "tag_page_id_name": lambda: again(Tag.get()),
    "wallet_page_id_address": lambda: again(Wallet.get()),
    "submission_live_wallet": lambda: submission_again(nonce=None),
    "submission_nonce": lambda: submission_again(wallet_address=USDC),
}


@pytest.mark.parametrize("index", SAME)
def test_unique_index_is_known_by_its_name(filled, index):
    with pytest.raises(IntegrityError) as refused, db.atomic():
        SAME[index]()

    assert find_unique_index(refused.value) == index


OTHERWISE_BROKEN = {
    "negative minimum": lambda: Page.update(min_balance=Decimal("-0.5")),
    "pending but decided": lambda: Submission.update(decided_at=Submission.created_at),
    "approved without a time": lambda: Submission.update(status="approved"),
    "reason of what waits": lambda: Submission.update(reason_text="x"),
    "not null": lambda: Page.update(token_name=None),
    "reference": lambda: Submission.update(page="nowhere"),
}


@pytest.mark.parametrize("broken", OTHERWISE_BROKEN)
def test_other_rules_are_no_unique_index_and_only_a_missing_reference_can_be_skipped(
    filled, broken
):
    before = filled.dump()

    with pytest.raises(IntegrityError) as refused, db.atomic():
        OTHERWISE_BROKEN[broken]().execute()
    assert find_unique_index(refused.value) is None

    is_skipped = broken == "reference"
    with (
        nullcontext() if is_skipped else pytest.raises(IntegrityError),
        skip_if_reference_missing(),
        db.atomic(),
    ):
        OTHERWISE_BROKEN[broken]().execute()
    assert filled.dump() == before


def test_owner_of_pages_cannot_be_deleted(world):
    with pytest.raises(IntegrityError), db.atomic():
        Person.delete().execute()


# Translated into errors


@pytest.fixture
def look_ups_miss(monkeypatch):
    """Let the checks before the insert find no used nonce, as in a race of two requests."""
    monkeypatch.setattr(ownership, "check_unused", lambda *_: None)


def test_nonce_that_another_post_used_meanwhile_is_invalid(world, look_ups_miss):
    world.configure(cooldown_s=0)
    draft = world.draft(Visitor())
    world.reject(world.post(draft).json["submissionId"])

    assert code_of(world.post(draft)) == "invalid_nonce"
    assert Submission.select().count() == 1


def test_what_another_rule_refuses_is_a_bug_and_no_duplicate(world, monkeypatch):
    monkeypatch.setattr(policy, "decide", lambda rules, record: "lost")

    assert code_of(world.submit(Visitor())) == "internal_error"
    assert Submission.select().count() == 0


def test_refusal_of_a_page_that_was_purged_meanwhile_is_not_kept_but_a_bug_is_told(world):
    now = world.clock()
    about = {"nickname": "N", "session_id": "s", "reason": "queue_full", "now": now}
    nonce = Nonce("nowhere", USDC, "nobody", "host", "token", "", issued_at=now, expires_at=now)

    soft_rejections.store_soft_rejection(nonce, **about)
    assert Submission.select().count() == 0

    with pytest.raises(IntegrityError):
        soft_rejections.store_soft_rejection(nonce, **about | {"reason": None})


TAKEN = {
    "owner": lambda page_id, now: accounts.create_person("ann@example.com", now),
    "tag": lambda page_id, now: tags.add_tag(page_id, "team", "blue", change_at(now)),
    "wallet": lambda page_id, now: tracking.add_wallet(
        page_id, USDC, tracking.WalletFields(), change_at(now)
    ),
}


@pytest.mark.parametrize("taken", TAKEN)
def test_name_that_is_taken_is_told_and_nothing_else_is_taken_for_it(world, taken):
    before = world.dump()
    with pytest.raises(IntegrityError):
        TAKEN[taken](world.page_id, None)  # created_at must not be null
    assert world.dump() == before

    TAKEN[taken](world.page_id, world.clock())
    with pytest.raises(InvalidInput, match="already"):
        TAKEN[taken](world.page_id, world.clock())


@pytest.fixture
def uncollected():
    """Without the garbage collector, what is part of a reference cycle stays."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def count_cursors() -> int:
    return sum(isinstance(one, sqlite3.Cursor) for one in gc.get_objects())


@pytest.mark.databases("sqlite")
def test_refused_row_leaves_no_cursor_for_another_thread_to_free(world, uncollected):
    """It would wait there for its connection while it keeps every other thread from running."""
    visitor = Visitor()
    drafts = [world.draft(visitor) for _ in range(2)]
    world.post(drafts[0])
    before = count_cursors()

    assert code_of(world.post(drafts[1])) == "duplicate"
    assert count_cursors() <= before
