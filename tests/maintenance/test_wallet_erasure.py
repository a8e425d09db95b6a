"""Erasing all that is kept of a wallet."""

import base64
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import base58
import pytest
from support.world import USDC, Visitor, code_of, read_log, with_session

from embed.balances.observations import ChainObservation, store_chain
from embed.db.connection import db
from embed.db.models import (
    Job,
    Message,
    Submission,
    UsedNonce,
)
from embed.domain.amounts import parse_amount
from embed.events.editing import editing
from embed.events.kinds import HoldingFacts
from embed.maintenance.wallet_erasure import (
    clear_deleted_content,
    erase_wallet,
    find_mentions,
    find_stored,
)
from embed.notifications import receivers
from embed.people import accounts
from embed.submissions.deny_list import block_for_person, block_on_page
from embed.wallets.listings import update_listings

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

LIFETIME = timedelta(minutes=10)
NAME = "Ann of Arc"


@pytest.fixture
def visitor(world) -> Visitor:
    return with_session(world)


def erase(world, visitor):
    world.clock.forward(minutes=1)
    return erase_wallet(visitor.address, world.change(nonce_lifetime=LIFETIME))


def leave_traces(world, visitor) -> None:
    """Let every table that can hold something about a wallet do so, on two pages."""
    receivers.add_webhook(world.page_id, "https://hooks.example/", world.change())
    world.configure(cooldown_s=0)
    world.reject(submit(world, visitor, "Rejected"))
    world.approve(submit(world, visitor, NAME))
    submit_refused(world, visitor)
    update_listings(world.clock())
    wallet = world.page.wallet_set.get()
    with editing(world.page_id, world.change("holding watch")) as edit:
        amounts = parse_amount("1"), parse_amount("2")
        named = wallet.id, wallet.address, wallet.public_alias
        edit.log("flag wallet", HoldingFacts(*named, *amounts))
    other = world.make_page(owner=accounts.create_person("other@example.com", world.clock()))
    world.track(visitor.address, page_id=other, alias="Her", balance="12.5")
    observation = ChainObservation(
        visitor.address, Visitor().address, parse_amount("7"), 1, world.clock()
    )
    store_chain(USDC, [observation])
    block_on_page(world.page_id, "wallet", visitor.address, world.change())
    block_for_person(world.page.owner, "wallet", visitor.address, world.change())
    Job.insert(name="balances", failure=f"Not read: {visitor.address}").execute()


def submit(world, visitor, name: str) -> str:
    world.clock.forward(minutes=1)
    answer = world.submit(visitor, name)
    assert code_of(answer) is None
    return answer.json["submissionId"]


def submit_refused(world, visitor) -> None:
    world.clock.forward(minutes=1)
    assert code_of(world.submit(visitor, "Again")) == "duplicate"


def read_everything() -> list[object]:
    """Return every value of every table."""
    return [
        value
        for table in db.get_tables()
        for row in db.execute_sql(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608
        for value in row
    ]


def list_forms(address: str) -> list[bytes]:
    raw = base58.b58decode(address)
    texts = [address, raw.hex(), base64.b64encode(raw).decode(), base64.b64encode(address.encode())]
    return [raw, *(text if isinstance(text, bytes) else text.encode() for text in texts)]


def holds_any(values: list[object], forms: list[bytes]) -> bool:
    given = [value if isinstance(value, bytes | memoryview) else str(value) for value in values]
    texts = [bytes(each) if not isinstance(each, str) else each.encode() for each in given]
    return any(form in text for text in texts for form in forms)


def test_nothing_in_the_database_tells_of_the_wallet(world, visitor):
    bystander = Visitor()
    world.approve(submit(world, bystander, "Ben"))
    leave_traces(world, visitor)
    forms = [*list_forms(visitor.address), NAME.encode()]
    assert holds_any(read_everything(), forms)

    erase(world, visitor)

    assert not holds_any(read_everything(), forms)
    assert find_stored(visitor.address) == []
    assert find_mentions(visitor.address) == []
    assert holds_any(read_everything(), list_forms(bystander.address))


def test_it_is_found_before_on_every_page(world, visitor):
    leave_traces(world, visitor)

    found = {
        (one.what, one.page_id == world.page_id): one.count for one in find_stored(visitor.address)
    }

    assert found == {
        ("entry in the list", True): 1,
        ("entry in the list", False): 1,
        ("submissions", True): 3,
        ("times in the public list", True): 1,
        ("entries in the log", True): 3,
        ("entries in the log", False): 1,
        ("messages", True): 5,
        ("balances that were entered", False): 1,
        ("balances from the chain", False): 1,
        ("balances of past days", False): 1,
        ("entries of deny lists", True): 1,
        ("entries of deny lists", False): 1,
        ("reports of background work", False): 1,
    }


def test_wallet_leaves_the_list_under_a_new_version_and_the_log_says_who_did_it(world, visitor):
    leave_traces(world, visitor)
    version = world.page.version

    erase(world, visitor)

    assert world.read().json["wallets"] == []
    assert world.page.version > version
    newest = read_log(world.page_id)
    assert ("command line", "erase wallet") in [(one.actor, one.action) for one in newest]
    assert "purged by the operator" in [one.subject for one in newest]


@pytest.mark.databases("sqlite")
def test_receivers_are_told_the_submission_and_not_the_wallet(world, visitor):
    leave_traces(world, visitor)

    erase(world, visitor)

    messages = list(Message.select().order_by(Message.number))
    assert {message.type for message in messages} == {"submission.withdrawn"}
    assert len(messages) == 2  # not of what policy refused


@pytest.mark.databases("sqlite")
def test_signed_texts_cannot_be_sent_again(world, visitor):
    world.clock.forward(minutes=1)
    draft = world.draft(visitor)
    assert code_of(world.post(draft)) is None

    erase(world, visitor)

    assert UsedNonce.select().count() == 2  # this nonce, and what ends all others
    assert code_of(world.post(draft)) == "invalid_nonce"


@pytest.mark.databases("sqlite")
def test_files_of_sqlite_hold_no_byte_of_it(world, visitor, environ):
    """Also not in free pages and in the journal, where deleted rows stay for long."""
    for _ in range(8):
        submit(world, Visitor(), "Other")
    leave_traces(world, visitor)
    Submission.delete().where(Submission.wallet_address == visitor.address).execute()
    folder = Path(environ["DATABASE_URL"].removeprefix("sqlite:///")).parent
    forms = [*list_forms(visitor.address), NAME.encode()]
    assert holds_any([file.read_bytes() for file in folder.iterdir()], forms)

    erase(world, visitor)
    assert clear_deleted_content()

    assert not holds_any([file.read_bytes() for file in folder.iterdir()], forms)
    db.close()
    with closing(sqlite3.connect(folder / "embed.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
