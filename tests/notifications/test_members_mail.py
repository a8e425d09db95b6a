"""Mails that single people of a page asked for: to whom, in which words, and when they end."""

import re
from functools import partial
from threading import Thread

import pytest
from itsdangerous import SignatureExpired
from support.remote import race
from support.world import Visitor

from embed import pages
from embed.db import connection
from embed.db.models import Delivery, Member, Page, Person, Receiver
from embed.errors import InvalidInput, NotFound
from embed.events import messages as outbox
from embed.maintenance.owner_removal import remove_owner
from embed.notifications import channels, delivery_log, own_mail, receivers
from embed.notifications.delivery import find_due_receivers
from embed.people import accounts, members
from embed.translations import load_catalog

on_both_databases = pytest.mark.databases("sqlite", "postgres")

ANN = "ann@example.com"
PUBLIC_URL = "http://localhost"


@pytest.fixture
def page(owner_with, mailbox):
    """A page on an installation that can mail."""
    return owner_with(SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}", PUBLIC_URL=PUBLIC_URL)


def test_member_who_asked_gets_what_a_channel_gets_at_their_address_of_now(page, mailbox):
    person = page.join(ANN)
    own = page.start_mail(person)
    assert own.event_types == receivers.CHANNEL_TYPES
    page.world.configure(queue_capacity=1)
    page.world.submit(Visitor(), "Whale")
    page.tell("submission.decided")
    Person.update(email="new@example.com").where(Person.id == person.id).execute()
    assert find_due_receivers(page.world.clock()) == [own.id]

    page.deliver(own)

    (message,) = mailbox.messages
    assert (message["To"], message["Subject"]) == ("new@example.com", "News about USD Coin")
    *lines, stop = message.get_content().strip().splitlines()
    assert lines == [
        "New submissions to review: 1 (Whale)",
        "The queue is almost full: 1 of 1",
        f"Open the queue: {PUBLIC_URL}/dashboard/pages/{page.world.page_id}/queue",
        "",
        "You get this email because you asked for emails about this page.",
    ]
    link = re.fullmatch(rf"To stop them, open this link: {PUBLIC_URL}/dashboard/mail/(\S+)", stop)
    named = own_mail.read_link(link[1], page.runtime.signer)
    assert named == (page.world.page_id, own.person_id)


def test_mail_is_in_the_persons_language_not_the_owners(page, mailbox):
    own = page.start_mail(page.join(ANN, language="de"))
    page.tell()
    page.deliver(own)

    say = load_catalog("de").gettext
    (message,) = mailbox.messages
    assert message["Subject"] == say("News about %(page)s") % {"page": "USD Coin"}
    reason = "You get this email because you asked for emails about this page."
    assert say(reason) in message.get_content()
    assert reason not in message.get_content()


@on_both_databases
def test_asking_twice_at_once_makes_one_receiver(page):
    person, world = page.join(ANN), page.world

    assert race(*[partial(own_mail.start, world.page_id, person, world.change())] * 4) == [None] * 4
    assert Receiver.select().count() == 1


@on_both_databases
def test_stopping_ends_what_waits_can_be_repeated_and_is_in_no_log(page, mailbox):
    person, version = page.join(ANN), page.world.page.version
    activity = page.world.dump()["activity"]
    own = page.start_mail(person)
    page.tell()

    for _ in range(2):
        own_mail.stop(page.world.page_id, person.id)

    page.deliver(own)
    assert mailbox.messages == []
    assert Delivery.select().count() == 0
    assert page.world.page.version == version
    assert page.world.dump()["activity"] == activity


@on_both_databases
def test_stopping_leaves_others_and_other_pages_alone(page):
    ann, ben = page.join(ANN), page.join("ben@example.com")
    page.start_mail(ann)
    page.start_mail(ben)
    other_page = page.world.make_page(owner=ann)
    own_mail.start(other_page, ann, page.world.change())

    own_mail.stop(page.world.page_id, ann.id)

    assert {(one.page_id, one.person_id) for one in Receiver.select()} == {
        (page.world.page_id, ben.id),
        (other_page, ann.id),
    }


# When it is refused


@pytest.mark.parametrize("missing", ["SMTP_URL", "PUBLIC_URL"])
def test_without_a_mail_server_or_an_address_for_the_link_nobody_can_ask(
    owner_with, mailbox, missing
):
    given = {"SMTP_URL": f"smtp://127.0.0.1:{mailbox.port}", "PUBLIC_URL": PUBLIC_URL}
    page = owner_with(**given | {missing: ""})
    owner = page.world.page.owner

    assert not own_mail.can_mail(owner, page.runtime.settings)
    with pytest.raises(InvalidInput, match="can't send email"):
        page.start_mail(owner)


def test_stranger_cannot_ask(page):
    with pytest.raises(NotFound):
        page.start_mail(accounts.create_person("other@example.com", page.world.clock()))

    assert Receiver.select().count() == 0


@pytest.mark.parametrize("address", ["a,b@example.com", '"a"@example.com', "ü@example.com"])
def test_address_that_no_mail_can_name_safely_is_never_sent_to(page, mailbox, monkeypatch, address):
    person = page.join(ANN)
    own = page.start_mail(person)
    Person.update(email=address).where(Person.id == person.id).execute()
    person.email = address
    page.tell()
    monkeypatch.setattr(channels, "send", None)

    assert not own_mail.can_mail(person, page.runtime.settings)
    page.deliver(own)

    assert page.list_states(own) == [("waiting", 1, "this installation has no mail server")]


@pytest.mark.parametrize("address", ["a%0ab+c@example.com", "a#b&{c}=?@x.io", "'+a..b.'@x.io"])
def test_odd_address_gets_one_mail_and_no_other_header(page, mailbox, address):
    own = page.start_mail(page.join(address))
    page.tell()

    page.deliver(own)

    (message,) = mailbox.messages
    assert [message[name] for name in ("To", "Bcc", "Cc")] == [address, None, None]


# When a role ends

ENDS = {
    "removed": lambda world, ann: members.remove_person(world.page_id, ANN, world.change()),
    "left": lambda world, ann: members.remove_person(world.page_id, ANN, world.change(ANN)),
    "account deleted": lambda world, ann: remove_owner(ANN, world.change()),
    "page purged": lambda world, ann: pages.purge_page(world.page_id),
    "stopped": lambda world, ann: own_mail.stop(world.page_id, ann.id),
}


@on_both_databases
@pytest.mark.parametrize("end", ["removed", "left", "account deleted", "page purged"])
def test_mails_end_with_the_role_and_what_waits_is_not_sent(page, mailbox, end):
    person = page.join(ANN)
    own = page.start_mail(person)
    page.tell()

    ENDS[end](page.world, person)

    assert Receiver.select().count() == 0
    assert Delivery.select().count() == 0
    page.deliver(own)
    assert mailbox.messages == []


def test_mails_of_a_former_owner_end_when_a_command_gives_the_page_away(page):
    ann, world = page.join(ANN), page.world
    pages.update_page(world.page_id, {"owner": ann}, world.change())
    page.start_mail(ann)

    pages.update_page(
        world.page_id, {"owner": accounts.get_installation_owner(world.clock())}, world.change()
    )

    assert Receiver.select().count() == 0


def test_whoever_has_no_role_when_a_mail_is_sent_gets_none(page, mailbox):
    """Whatever way the role ended, also one that forgot the mails."""
    own = page.start_mail(page.join(ANN))
    page.tell()
    Member.delete().execute()

    page.deliver(own)

    assert mailbox.messages == []
    assert Receiver.select().count() == 0


@on_both_databases
@pytest.mark.parametrize("end", ["account deleted", "stopped"])
def test_mails_that_end_while_the_page_is_told_something_fail_no_submission(page, monkeypatch, end):
    """They end without the page's lock, so whoever tells its receivers something holds these."""
    world, person = page.world, page.join(ANN)
    page.start_mail(person)

    def end_and_close() -> None:
        ENDS[end](world, person)
        connection.db.close()

    late = Thread(target=end_and_close)
    write = outbox.write_messages

    def write_after_the_end_began(*arguments, **more):
        late.start()
        late.join(0.5)  # it waits for the end of this transaction, or would be done by then
        return write(*arguments, **more)

    monkeypatch.setattr(outbox, "write_messages", write_after_the_end_began)
    assert world.submit(Visitor()).status_code == 201
    late.join()

    assert Receiver.select().count() == 0
    assert Delivery.select().count() == 0


@on_both_databases
def test_removal_and_asking_at_once_leave_no_mails(page):
    world, person = page.world, page.join(ANN)
    ask = partial(own_mail.start, world.page_id, person, world.change())

    first, removed, second = race(ask, partial(ENDS["removed"], world, person), ask)

    assert removed == ANN
    assert {first, second} <= {None, "NotFound"}  # where it came too late
    assert Receiver.select().count() == 0


# What the owner sees, and what counts


@pytest.fixture
def failed(page, monkeypatch) -> Receiver:
    """A member's mail, of which one was given up and one waits after a failure."""
    own = page.start_mail(page.join(ANN))
    page.tell()
    Delivery.update(state="given_up", attempts=1, attempted_at=page.world.clock()).execute()
    page.tell()
    Receiver.update(first_failed_at=page.world.clock(), failed_attempts=1).execute()
    return own


def test_owner_and_commands_see_nothing_of_a_members_mails_and_do_nothing_with_them(page, failed):
    world = page.world

    for kind in ("channel", "webhook"):
        assert receivers.list_receivers(world.page_id, kind) == []
    assert delivery_log.count_undelivered(world.page) == {}
    assert delivery_log.count_given_up(Page.id == world.page.id) == {}
    assert delivery_log.list_failing(world.page.owner) == {}
    with pytest.raises(NotFound):
        receivers.get_receiver(failed.id, "channel")
    with pytest.raises(NotFound):
        receivers.remove_receiver(failed.id, "channel", world.change())
    with pytest.raises(NotFound):
        receivers.rotate_secret(failed.id, world.change())
    assert delivery_log.send_all_again(world.page_id) == 0
    assert page.list_states(failed)[0][0] == "given_up"
    assert Receiver.get_by_id(failed.id).failed_attempts == 1


# The link


@on_both_databases
def test_link_lasts_a_year_and_is_of_one_person_and_page(page):
    world, signer = page.world, page.runtime.signer
    own = page.start_mail(page.join(ANN))
    token = own_mail.build_link(own, page.runtime).rpartition("/")[2]
    world.clock.forward(days=364)
    assert own_mail.read_link(token, signer) == (own.page_id, own.person_id)

    world.clock.forward(days=1)
    with pytest.raises(SignatureExpired):
        own_mail.read_link(token, signer)
