"""flask owners remove: what ends, and what stays with another owner."""

from functools import partial

import pytest
from support.operator import Operator
from support.owner_browser import PASSWORD, OwnerBrowser
from support.remote import race
from support.world import USDC, Visitor, change_at, read_log

from embed import pages
from embed.db.models import (
    Balance,
    Delivery,
    Passkey,
    Person,
    Proof,
    Receiver,
    Submission,
)
from embed.errors import NotFound
from embed.events.editing import COMMAND_LINE
from embed.maintenance import owner_removal
from embed.notifications import receivers
from embed.people import accounts, passwords
from embed.runtime import EXTENSION

pytestmark = pytest.mark.slow

EMAIL, OTHER = "owner@example.com", "other@example.com"
TOKEN = {"token_name": "USD Coin", "token_symbol": "USDC", "token_mint": USDC}
ROUNDS = 4


@pytest.fixture
def owner(world) -> OwnerBrowser:
    """A signed-in owner with the world's page."""
    browser = OwnerBrowser(world, EMAIL)
    browser.take(world.page_id)
    return browser


@pytest.fixture
def other(world) -> Person:
    return accounts.create_person(OTHER, world.clock())


@pytest.fixture
def remove(world):
    """Remove the owner by the command, and return what it shows."""
    return lambda *options: Operator(world.app).show("owners", "remove", EMAIL, "--yes", *options)


def list_emails() -> list[str]:
    return [owner.email for owner in accounts.list_people()]


@pytest.mark.databases("sqlite", "postgres")
def test_owner_without_pages_is_removed_and_no_other_is_made(app, clock):
    operator, other = Operator(app), accounts.create_person(OTHER, clock())

    removed = operator.show("owners", "remove", OTHER, "--yes")

    assert (removed["id"], removed["email"]) == (other.id, OTHER)
    assert (removed["pageIds"], removed["pagesTo"]) == ([], None)
    assert list_emails() == []
    assert "no owner" in operator.refuse("owners", "remove", OTHER, "--yes")


@pytest.mark.usefixtures("owner", "other")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--delete-pages",), "--yes"),
        (("--yes", "--delete-pages", "--pages-to", OTHER), "not both"),
        (("--yes", "--pages-to", "nobody@example.com"), "no owner nobody@example.com"),
        (("--yes", "--pages-to", EMAIL), "Name another owner"),
        (("--yes", "--pages-to", ""), "isn't an email address"),
    ],
)
def test_refused_removal_changes_nothing(world, options, said):
    assert said in Operator(world.app).refuse("owners", "remove", EMAIL, *options)


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.usefixtures("owner", "other")
def test_pages_go_to_another_owner_with_all_that_visitors_sent(world, remove):
    visitor = Visitor()
    submission_id = world.submit(visitor).json["submissionId"]
    world.clock.forward(seconds=1)

    removed = remove("--pages-to", "OTHER@example.com")

    assert (removed["pageIds"], removed["pagesTo"]) == ([world.page_id], OTHER)
    assert (world.page.owner.email, world.page.deleted_at) == (OTHER, None)
    assert world.read().status_code == 200
    assert Proof.get_by_id(submission_id)
    entry = read_log(world.page_id)[0]
    assert (entry.actor, entry.subject) == (COMMAND_LINE, f"owner: {OTHER}")


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.usefixtures("owner")
def test_deleted_pages_stay_with_the_installation_until_they_are_purged(world, remove):
    submission_id = world.submit(Visitor()).json["submissionId"]

    removed = remove("--delete-pages")

    assert removed["pagesTo"] == accounts.INSTALLATION_OWNER
    assert world.page.owner.email == accounts.INSTALLATION_OWNER
    assert world.page.deleted_at == world.clock()
    assert world.read().status_code == 404
    assert Submission.get_by_id(submission_id)
    assert Proof.get_by_id(submission_id)
    assert pages.restore_page(world.page_id, world.change()).deleted_at is None


@pytest.mark.databases("sqlite", "postgres")
def test_passkeys_and_entered_balances_go_with_the_owner_and_nobody_elses(
    world, owner, other, remove
):
    for person in (owner.owner, other):
        of_person = {"person": person, "created_at": world.clock()}
        key = {"name": "Phone", "credential": "x", "host": "x", "sign_count": 0}
        Passkey.create(credential_id=person.id, **key, **of_person)
    world.track(Visitor().address, balance="5")
    assert Balance.select().count() == 1

    remove("--pages-to", OTHER)

    assert [row.person_id for row in Passkey.select()] == [other.id]
    assert Balance.select().count() == 0
    assert world.page.owner == other


def test_one_time_link_works_no_more_even_if_the_owner_is_created_again(world, other):
    path = passwords.build_link(other, world.app.extensions[EXTENSION].signer, "")
    assert world.app.test_client().get(path).status_code == 200

    owner_removal.remove_owner(OTHER, world.change())
    accounts.create_person(OTHER, world.clock())

    assert world.app.test_client().get(path).status_code == 404
    with pytest.raises(NotFound):
        passwords.choose_password(other, PASSWORD, world.change(), host="")


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.usefixtures("owner", "other")
def test_mailbox_of_the_removed_owner_hears_no_more_and_other_receivers_stay(world, remove):
    add = partial(Receiver.create, page=world.page_id, kind="channel", created_at=world.clock())
    mailbox = add(target='{"type":"email","address":"Owner@example.com"}')
    team = add(target='{"type":"email","address":"team@example.com"}').target
    receivers.add_webhook(world.page_id, "https://example.com/hook", world.change())
    world.submit(Visitor())
    assert Delivery.select().where(Delivery.receiver == mailbox).count() == 1

    remove("--pages-to", OTHER)

    left = [receiver.target for receiver in Receiver.select().order_by(Receiver.target)]
    assert left == ["https://example.com/hook", team]
    assert Delivery.select().where(Delivery.receiver == mailbox.id).count() == 0


@pytest.mark.databases("sqlite", "postgres")
def test_page_created_during_the_removal_belongs_to_an_owner_who_is_there(world, clock):
    for number in range(ROUNDS):
        owner = accounts.create_person(f"{number}@example.com", clock())
        create = partial(pages.create_page, owner, TOKEN, change=change_at(clock()))
        remove = partial(owner_removal.remove_owner, owner.email, change=change_at(clock()))

        created, removal = race(create, remove)

        if isinstance(created, str):  # the removal came first
            assert removal.pages == []
        else:
            assert removal == "InvalidInput"
            assert pages.get_page(created.id).owner.email == owner.email


@pytest.mark.databases("sqlite", "postgres")
def test_page_is_not_handed_to_an_owner_who_is_being_removed(world, clock):
    for number in range(ROUNDS):
        heir = accounts.create_person(f"{number}@example.com", clock())
        hand_over = partial(
            pages.update_page, world.page_id, {"owner": heir}, change=change_at(clock())
        )
        remove = partial(owner_removal.remove_owner, heir.email, change=change_at(clock()))

        page, removal = race(hand_over, remove)

        assert isinstance(page, str) != isinstance(removal, str)
        assert world.page.owner.email in list_emails()
