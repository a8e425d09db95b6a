"""Asking for mails about a page, and stopping them, also by the link in each mail."""

import re

import pytest
from support.owner_browser import OwnerBrowser, find_token, read_text
from support.receivers import run_mail_server
from support.world import Visitor

from embed.db.models import Delivery, Member, Receiver
from embed.domain.roles import MEMBER_ROLES
from embed.notifications import own_mail, receivers
from embed.notifications.delivery import deliver
from embed.people import members
from embed.people.passwords import build_link
from embed.runtime import EXTENSION

pytestmark = pytest.mark.slow

BUTTON = "Mail me about this page"


@pytest.fixture
def mailbox():
    with run_mail_server() as server:
        yield server


@pytest.fixture
def world(world_with, mailbox):
    """A page on an installation that can mail."""
    return world_with(SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}", PUBLIC_URL="http://localhost")


@pytest.fixture
def root(world) -> str:
    return f"/dashboard/pages/{world.page_id}"


@pytest.fixture
def ann(make_member) -> OwnerBrowser:
    return make_member("viewer", "ann@example.com")


@pytest.fixture
def link(world, root, ann, mailbox) -> str:
    """The path of the link in a mail that Ann got."""
    assert ann.post(f"{root}/mail").status_code == 303
    world.submit(Visitor())
    deliver(Receiver.get(Receiver.person == ann.owner).id, world.app.extensions[EXTENSION])
    return re.search(r"http://localhost(/dashboard/mail/\S+)", mailbox.messages[0].get_content())[1]


def press(client, link: str):
    """Open a link, and press its button."""
    return client.post(link, data={"csrf_token": find_token(client.get(link).text)})


@pytest.mark.parametrize("role", [*MEMBER_ROLES, "owner"])
def test_everybody_on_a_page_starts_and_stops_by_one_button(owner, make_member, root, role):
    person = owner if role == "owner" else make_member(role)
    assert BUTTON in person.see(f"{root}/activity")

    for _ in range(2):
        assert person.post(f"{root}/mail").status_code == 303
    (own,) = Receiver.select()
    assert own.person == person.owner
    text = person.see(f"{root}/activity")
    assert f"are mailed to {person.email}" in text
    assert "Stop the mails" in text
    assert BUTTON not in text

    assert person.post(f"{root}/mail/stop").status_code == 303
    assert Receiver.select().count() == 0
    assert BUTTON in person.see(f"{root}/activity")


def test_person_reads_that_mails_fail(world, ann, root):
    ann.post(f"{root}/mail")
    Receiver.update(first_failed_at=world.clock()).execute()

    assert "Failing since" in ann.see(f"{root}/activity")


def test_stranger_and_removed_member_cannot_ask(world, stranger, ann, root):
    members.remove_person(world.page_id, ann.email, world.clock())

    for person in (stranger, ann):
        for path in ("mail", "mail/stop"):
            assert person.post(f"{root}/{path}").status_code == 404
    assert Receiver.select().count() == 0


def test_forged_form_starts_and_stops_nothing(ann, root):
    assert ann.client.post(f"{root}/mail", data={"csrf_token": "x"}).status_code == 400
    ann.post(f"{root}/mail")
    assert ann.client.post(f"{root}/mail/stop", data={"csrf_token": "x"}).status_code == 400

    assert Receiver.select().count() == 1


# What the owner sees


@pytest.fixture
def failed(world, ann, root) -> Receiver:
    """Ann's mail, of which one was given up."""
    ann.post(f"{root}/mail")
    world.submit(Visitor())
    Delivery.update(state="given_up", attempted_at=world.clock()).execute()
    Receiver.update(first_failed_at=world.clock(), failed_attempts=1).execute()
    return Receiver.get()


def test_owner_sees_no_mails_of_members(owner, ann, root, failed):
    for path in (f"{root}/notifications", f"{root}/notifications/log", f"{root}/activity"):
        text = owner.see(path)
        assert ann.email not in text, path
        assert "could not be delivered" not in text, path
        assert "Failing" not in text, path
    assert "could not be delivered" not in owner.see(f"{root}/queue")
    assert "delivered" not in owner.see("/dashboard/")


def test_owner_reaches_no_receiver_of_a_member(owner, root, failed):
    message = Delivery.get().message.id
    for path in ("remove", "secret"):
        assert owner.get(f"{root}/notifications/{failed.id}/{path}").status_code == 404
    assert owner.get(f"{root}/notifications/log?receiver={failed.id}").status_code == 404
    for path in ("remove", "secret", "test", f"messages/{message}/again"):
        assert owner.post(f"{root}/notifications/{failed.id}/{path}").status_code == 404
    owner.post(f"{root}/notifications/again")

    assert Delivery.get().state == "given_up"


# The link


def test_opening_the_link_changes_nothing(world, link, stranger):
    for client in (world.app.test_client(), stranger.client):
        for _ in range(2):
            assert client.get(link).status_code == 200
            assert client.head(link).status_code == 200

    assert Receiver.select().count() == 1


def test_button_stops_without_signing_in(world, root, ann, link):
    answer = press(world.app.test_client(), link)

    assert answer.status_code == 200
    assert "You get no more mails about this page." in read_text(answer)
    assert Receiver.select().count() == 0
    assert BUTTON in ann.see(f"{root}/activity")


def test_dead_link_answers_as_a_live_one(world, link):
    """Whether somebody still gets mails, or is on the page, is nobody else's matter."""

    def read(client) -> list[str]:
        pages = [client.get(link), press(client, link)]
        return [re.sub(r'value="[^"]+"', "", page.text) for page in pages]

    live = read(world.app.test_client())
    stopped = read(world.app.test_client())
    Member.delete().execute()

    assert live == stopped == read(world.app.test_client())
    assert world.page.token_name not in live[0]


def test_link_stops_the_mails_of_its_person_and_page_only(world, owner, root, ann, link):
    owner.post(f"{root}/mail")
    other = world.make_page(owner=ann.owner)
    ann.post(f"/dashboard/pages/{other}/mail")

    press(owner.client, link)

    left = {(each.page_id, each.person_id) for each in Receiver.select()}
    assert left == {(world.page_id, owner.owner.id), (other, ann.owner.id)}


def test_link_of_an_earlier_mail_stops_also_after_asking_again(world, root, ann, link):
    ann.post(f"{root}/mail/stop")
    ann.post(f"{root}/mail")

    press(world.app.test_client(), link)

    assert Receiver.select().count() == 0


def test_link_without_the_form_of_its_page_stops_nothing(world, link):
    assert world.app.test_client().post(link, data={"csrf_token": "x"}).status_code == 400
    answer = world.app.test_client().post(link, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 400

    assert Receiver.select().count() == 1


@pytest.mark.parametrize("token", ["x", "%00", "x" * 500, "é", "a.b.c"])
def test_link_that_we_did_not_make_is_refused(world, link, token):
    for client in (world.app.test_client(), OwnerBrowser(world, "eve@example.com").client):
        answer = client.get(f"/dashboard/mail/{token}")
        assert answer.status_code == 404
        assert "This link is invalid" in read_text(answer)
    assert Receiver.select().count() == 1


def test_link_of_another_purpose_stops_nothing(world, ann, link):
    token = build_link(ann.owner, world.app.extensions[EXTENSION].signer, "").rpartition("/")[2]

    assert world.app.test_client().get(f"/dashboard/mail/{token}").status_code == 404
    stop = link.rpartition("/")[2]
    assert world.app.test_client().get(f"/dashboard/password/{stop}").status_code == 404


def test_link_tells_nothing_of_the_page_to_a_removed_member(world, ann, link):
    members.remove_person(world.page_id, ann.email, world.clock())
    world.configure(public_title="Something new")

    assert "Something new" not in ann.get(link).text


def test_stopping_works_where_nothing_can_be_mailed_any_more(world, ann, root, link, monkeypatch):
    monkeypatch.setattr(own_mail, "can_mail", lambda *_: False)
    assert "Stop the mails" in ann.see(f"{root}/activity")

    press(world.app.test_client(), link)

    assert receivers.list_receivers(world.page_id, "channel") == []
    assert BUTTON not in ann.see(f"{root}/activity")
