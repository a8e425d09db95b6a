"""A page that another installation took over from a file is the same page."""

import io
import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from filled_page import EMAIL
from page_files import export, find, forge, move_to, read_lines, seal, take_over, write_lines
from support.message_bodies import make_data
from support.world import USDC, Visitor, code_of, read_log

from embed import pages
from embed.balances.observations import Observation, store_entered
from embed.db import models
from embed.db.models import (
    Activity,
    ApiKey,
    Balance,
    ChainBalance,
    Delivery,
    Message,
    Page,
    Receiver,
    Submission,
    Wallet,
)
from embed.domain.activity import read_facts, write_subject
from embed.errors import InvalidInput
from embed.events.messages import write_messages
from embed.keys import access, derived
from embed.maintenance.page_file.exporting import export_page
from embed.maintenance.page_file.tables import LEFT_OUT, TABLES, is_carried
from embed.people import accounts
from embed.wallets.listings import update_listings
from embed.wallets.tracking import WalletFields, update_wallet

pytestmark = pytest.mark.slow

# Columns of files of version 0.5 that this version does not have.
GONE = {"hasAddedWallet", "preview", "subject"}


def move_page(filled, database_url: str) -> None:
    """Take the page over into another installation, and go on with that one."""
    content = export(filled.page_id)
    move_to(filled.world, database_url)
    take_over(filled.world, content)


@pytest.mark.databases("sqlite", "postgres")
def test_mails_that_people_asked_for_stay_with_their_accounts(filled):
    before = export(filled.page_id)
    person, now = (
        accounts.create_person("ann@example.com", filled.world.clock()),
        filled.world.clock(),
    )
    own = Receiver.create(
        page=filled.page_id, person=person, kind="channel", target="", created_at=now
    )
    data = make_data("queue.filling")
    write_messages(filled.page_id, [("queue.filling", data, [own.id])] * 2, now)
    of_own = Delivery.select(Delivery.id).where(Delivery.receiver == own).limit(1)
    Delivery.update(state="delivered", attempts=1, attempted_at=now).where(
        Delivery.id.in_(of_own)
    ).execute()
    file = io.BytesIO()

    exported = export_page(filled.page_id, file)

    assert file.getvalue() == before
    assert exported.waiting == Delivery.select().where(Delivery.state == "waiting").count() - 1


@pytest.mark.databases("sqlite", "postgres")
def test_file_of_a_moved_page_has_the_same_bytes(other_url, filled):
    content = export(filled.page_id)
    addresses = list_addresses()

    move_to(filled.world, other_url)
    take_over(filled.world, content)

    moved = export(filled.page_id)
    assert leave_out_the_chain(moved) == leave_out_the_chain(content)
    assert list_addresses() == addresses  # which are not in the file
    pages.purge_page(filled.page_id)
    take_over(filled.world, moved)
    assert export(filled.page_id) == moved


def leave_out_the_chain(content: bytes) -> list[dict]:
    """Leave out what the chain says, which an import keeps in another form."""
    kinds = ("token", "observedBalance", "importedBalance", "trailer")
    return [line for line in read_lines(content) if line["type"] not in kinds]


def test_log_of_an_older_file_is_read_as_an_upgrade_reads_it(filled, make_sqlite):
    def make_old(lines) -> None:
        lines[0]["format"] = "tracking-embed-page/8"
        for line in lines:
            if line["type"] == "activity":
                line["subject"] = write_subject(line["action"], read_facts(line.pop("data")))

    content = export(filled.page_id)
    shown, addresses = read_log(filled.page_id), list_addresses()
    assert len(set(addresses)) > 5

    move_to(filled.world, make_sqlite())
    take_over(filled.world, forge(content, make_old))

    assert read_log(filled.page_id) == shown
    assert list_addresses() == addresses


def test_entry_or_message_is_about_the_wallet_that_its_data_names(filled, make_sqlite):
    def forge_data(lines) -> None:
        for line in lines:
            if line["type"] == "activity":
                line["data"] = f'{{"walletAddress":"{USDC}"}}'
            elif line["type"] == "message":
                data = make_data("submission.decided", walletAddress=USDC)
                line |= {"messageType": "submission.decided", "data": json.dumps(data)}

    content = forge(export(filled.page_id), forge_data)
    move_to(filled.world, make_sqlite())
    take_over(filled.world, content)

    assert {address for _, address in list_addresses()} == {USDC}


def list_addresses() -> list[tuple[str, str | None]]:
    """Return what entries of the log and messages are about, by their ids."""
    return sorted((one.id, one.address) for model in (Activity, Message) for one in model.select())


def test_filled_page_has_every_type_of_line(filled):
    types = {line["type"] for line in read_lines(export(filled.page_id))}

    assert types == {"header", "trailer"} | set(TABLES)


def test_file_has_every_table_and_column_but_those_that_are_left_out():
    tables = [each for table in TABLES.values() for each in (table, *table.parts)]
    implied = {table.parent for table in tables if table.parent}  # by the place in the file

    assert {table.model for table in tables} == set(models.MODELS) - LEFT_OUT
    for table in tables:
        columns = {field for field in table.model._meta.sorted_fields if is_carried(field)}
        assert set(table.columns.values()) == columns - implied


def test_file_of_version_0_5_is_taken_over(world):
    older = read_lines((Path(__file__).parent / "page-0.5.0.jsonl").read_bytes())
    world.clock.forward(minutes=5)

    take_over(world, seal(older))

    lines = read_lines(export(find(older, "page")["id"]))
    for line in leave_out_the_chain(write_lines(older[1:])):
        kept = {name: value for name, value in line.items() if name not in GONE | {"type"}}
        assert find(lines, line["type"], **kept)
    assert all(line["counted"] for line in lines if line["type"] == "tag")
    assert {line["purpose"] for line in lines if line["type"] == "key"} == {"sites"}


def test_preview_key_of_an_older_file_is_one_still(world):
    lines = read_lines((Path(__file__).parent / "page-0.5.0.jsonl").read_bytes())
    key = find(lines, "key", tier="public")
    key["preview"] = True
    world.clock.forward(minutes=5)

    take_over(world, seal(lines))

    assert ApiKey.get_by_id(key["id"]).purpose == "preview"


def test_page_stays_public_by_link_elsewhere_with_the_key_of_that_installation(filled, make_sqlite):
    derived.share_page(filled.page_id, filled.world.clock())
    key = derived.get_link_key(filled.world.page, ["here"])

    move_page(filled, make_sqlite())

    page = derived.find_shared_page(filled.page_id)
    there = derived.get_link_key(page, ["there"])
    assert access.find_access(key) is None
    assert access.get_access(there).is_link


def test_older_file_may_lack_only_what_came_later(filled):
    def make_old(lines) -> None:
        lines[0]["format"] = "tracking-embed-page/1"
        del find(lines, "key")["keyHash"]

    with pytest.raises(InvalidInput, match="missing required field `keyHash`"):
        take_over(filled.world, forge(export(filled.page_id), make_old))


def test_public_answers_are_the_same_byte_for_byte(other_url, filled):
    before = read_public(filled)

    move_page(filled, other_url)
    after = read_public(filled)

    assert [one.status_code for one in before] == [200] * 3
    assert before[2].json["walletAddress"] == filled.visitor.address
    assert [one.data for one in after] == [one.data for one in before]
    assert [one.headers.get("ETag") for one in after] == [one.headers.get("ETag") for one in before]


def read_public(filled) -> list:
    """Ask for the payload at the widget's own address, for the feed, and for a receipt."""
    world, page = filled.world, f"/embed/tracking/{filled.page_id}"
    payload = world.call("GET", f"/embed/api/tracking/{filled.page_id}")
    paths = ("feed.atom", f"receipts/{filled.approved_id}")
    return [payload, *(world.client.get(f"{page}/{path}?key={world.public_key}") for path in paths)]


@pytest.fixture
def moved(filled, make_sqlite):
    """The page on another installation, with its own file."""
    move_page(filled, make_sqlite())
    return filled


def test_keys_visitors_and_decisions_go_on_as_before(moved):
    world, friend = moved.world, Visitor()
    friend.cookie = moved.visitor.cookie
    world.observe(friend.address, "1")

    assert code_of(world.read(key=world.secret_key)) is None
    assert code_of(world.read(key=moved.revoked_key)) == "revoked_key"
    own = world.list_own(moved.visitor).json["submissions"]
    assert {(one["nickname"], one["status"]) for one in own} == {
        ("Ada", "approved"),
        ("Poor", "soft_rejected"),
    }
    assert world.submit(friend).json["status"] == "auto_approved"  # trust was earned
    assert code_of(world.submit(moved.waiting)) == "duplicate"
    world.approve(Submission.get(Submission.status == "pending").id)
    assert moved.waiting.address in world.read().text
    assert code_of(world.submit(moved.rejected)) == "cooldown_active"
    world.clock.forward(days=1)
    assert code_of(world.submit(moved.blocked)) == "not_accepted"
    assert code_of(world.submit(moved.rejected)) is None


def test_nonce_that_was_used_stays_used(filled, make_sqlite):
    world = filled.world
    visitor = Visitor()
    world.observe(visitor.address, "1")
    body = world.sign_for_records(visitor, "withdraw")
    assert code_of(world.post_for_records("withdraw", body)) is None
    move_page(filled, make_sqlite())

    assert code_of(world.post_for_records("withdraw", body)) == "invalid_nonce"


def make_older(lines):
    """Give the lines the form of 0.5.0, whose wallets come first and name no submission."""
    lines[0]["format"] = "tracking-embed-page/1"
    submissions = [line for line in lines if line["type"] == "submission"]
    for submission in submissions:
        submission["hasAddedWallet"] = False
        lines.remove(submission)
    wallets = [line for line in lines if line["type"] == "wallet"]
    for wallet in wallets:
        del wallet["submissionId"], wallet["withdrawn"]
    after = lines.index(wallets[-1]) + 1
    lines[after:after] = submissions


@pytest.mark.parametrize("change", [lambda _: None, make_older])
def test_wallet_that_a_submission_put_there_is_still_known_as_that(other_url, filled, change):
    world = filled.world
    own = Visitor()
    world.track(own.address)
    world.observe(own.address, "1")
    world.clock.forward(seconds=1)
    world.approve(world.submit(own).json["submissionId"])
    content = forge(export(filled.page_id), change)

    move_to(world, other_url)
    take_over(world, content)

    added = {one.address: one.submission_id for one in Wallet.select() if one.submission_id}
    assert added == {filled.visitor.address: filled.approved_id}


def test_wallet_of_an_older_file_that_was_withdrawn_while_hidden_is_not_the_owners(
    filled, make_sqlite
):
    world, visitor = filled.world, filled.visitor
    entry = Wallet.get(Wallet.address == visitor.address)
    update_wallet(entry.id, WalletFields(is_hidden=True), world.clock())
    world.clock.forward(seconds=1)
    assert code_of(world.withdraw(visitor)) is None
    content = forge(export(filled.page_id), make_older)

    move_to(world, make_sqlite())
    take_over(world, content)

    withdrawn = Wallet.select().where(Wallet.is_withdrawn)
    assert [one.address for one in withdrawn] == [visitor.address]


def test_feed_announces_nobody_anew(moved):
    moved.world.clock.forward(hours=1)

    assert update_listings(moved.world.clock()) == "No list has changed."


def test_message_that_waits_stays_with_the_installation_that_has_it(filled, make_sqlite):
    world = filled.world
    visitor = Visitor()
    world.observe(visitor.address, "1")
    world.submit(visitor)
    assert Delivery.select().where(Delivery.state == "waiting").count() == 2  # webhook, channel
    delivered = Delivery.select().where(Delivery.state == "delivered").count()

    move_page(filled, make_sqlite())

    assert {one.state for one in Delivery.select()} == {"delivered"}
    assert Delivery.select().count() == delivered


def test_deleted_page_stays_deleted(filled, make_sqlite):
    filled.world.delete_page()
    move_page(filled, make_sqlite())

    assert code_of(filled.world.read()) == "not_found"
    pages.restore_page(filled.page_id, filled.world.clock())
    assert code_of(filled.world.read()) is None


# What is there already


def test_page_that_is_there_is_kept_until_it_is_purged(filled):
    world = filled.world
    content = export(filled.page_id)
    with pytest.raises(ValueError, match=f"flask pages purge {filled.page_id} --yes"):
        take_over(world, content)

    pages.purge_page(filled.page_id)
    take_over(world, content)

    again = export(filled.page_id)
    assert leave_out_the_chain(again) == leave_out_the_chain(content)
    for kind in ("token", "observedBalance"):  # which nobody but the chain changes
        assert find(read_lines(again), kind) == find(read_lines(content), kind)


@pytest.fixture
def emptier(filled, make_sqlite):
    """Another installation, whose owner of the same address has a page of the same token."""
    content = export(filled.page_id)
    move_to(filled.world, make_sqlite())
    owner = accounts.create_person(EMAIL, filled.world.clock())
    page = pages.get_page(filled.world.make_page(owner=owner))
    return content, page


@pytest.mark.parametrize(("age", "kept"), [(-1, "7"), (1, "1250.000001")])
def test_newer_one_of_two_entered_balances_counts(filled, emptier, age, kept):
    content, page = emptier
    entered = find(read_lines(content), "enteredBalance", address=filled.tracked.address)
    at = Balance.observed_at.python_value(0) if age > 0 else filled.world.clock()
    store_entered(page, [Observation(filled.tracked.address, Decimal(7), at)])

    take_over(filled.world, content, owner_email=EMAIL)

    balance = Balance.get(Balance.address == filled.tracked.address)
    assert entered["amount"] == "1250.000001"
    assert balance.amount == Decimal(kept)


def test_observation_of_the_chain_that_is_known_here_stays(filled, emptier):
    content, _ = emptier
    ChainBalance.create(
        mint=USDC,
        address=filled.tracked.address,
        token_account=USDC,
        amount=Decimal(3),
        slot=1,
        observed_at=filled.world.clock() - timedelta(days=9),
    )

    take_over(filled.world, content, owner_email=EMAIL)

    assert ChainBalance.get().amount == Decimal(3)


def test_other_pages_that_share_entered_balances_get_a_new_version(filled, emptier):
    content, page = emptier

    take_over(filled.world, content, owner_email=EMAIL)

    assert Page.get_by_id(page.id).version == page.version + 1
    assert Page.get_by_id(filled.page_id).version == find(read_lines(content), "page")["version"]


# Owners


def test_owner_of_the_file_is_created_without_a_password(filled, make_sqlite):
    content = export(filled.page_id)
    move_to(filled.world, make_sqlite())

    done = take_over(filled.world, content)

    owner = accounts.get_person(EMAIL)
    assert done.is_owner_new
    assert (done.page.owner, owner.password_hash, owner.language) == (owner, None, "de")


def test_page_goes_to_the_owner_who_is_named(filled, emptier):
    content, _ = emptier
    other = accounts.create_person("other@example.com", filled.world.clock())

    done = take_over(filled.world, content, owner_email="other@example.com")

    assert (done.page.owner, done.is_owner_new) == (other, False)
