"""Asking for mails about a page, and stopping them, also by the link in each mail."""

import re

import pytest
from support.owner_browser import OwnerBrowser, read_text, submit
from support.receivers import run_mail_server
from support.world import Visitor

from embed.db.models import Delivery, Member, Receiver
from embed.notifications import delivery, receivers
from embed.notifications.delivery import deliver
from embed.runtime import EXTENSION

pytestmark = pytest.mark.slow

BUTTON = "Email me about this page"
OPS = ("email", {"address": "ops@example.com"})


@pytest.fixture
def mailbox():
    with run_mail_server() as server:
        yield server


@pytest.fixture
def world(world_with, mailbox):
    """A page on an installation that can mail."""
    return world_with(SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}", PUBLIC_URL="http://localhost")


@pytest.fixture
def ann(make_member) -> OwnerBrowser:
    return make_member("viewer", "ann@example.com")


@pytest.fixture
def link(world, page, ann, mailbox) -> str:
    """The path of the link in a mail that Ann got."""
    assert ann.post(f"{page}/mail").status_code == 303
    send_news(world, Receiver.get(Receiver.person == ann.owner))
    return re.search(r"http://localhost(/dashboard/mail/\S+)", mailbox.messages[0].get_content())[1]


def send_news(world, channel: Receiver) -> None:
    world.submit(Visitor())
    deliver(channel.id, world.app.extensions[EXTENSION])


def send_test(world, channel: Receiver) -> None:
    delivery.send_test(channel, world.app.extensions[EXTENSION])


@pytest.mark.parametrize("role", ["viewer", "owner"])
def test_everybody_on_a_page_starts_and_stops_by_one_button(owner, make_member, page, role):
    person = owner if role == "owner" else make_member(role)
    assert BUTTON in person.see(f"{page}/activity")

    assert person.post(f"{page}/mail").status_code == 303
    assert Receiver.get().person == person.owner
    text = person.see(f"{page}/activity")
    assert f"are emailed to {person.email}" in text
    assert "Stop the emails" in text
    assert BUTTON not in text
    Receiver.update(first_failed_at=person.world.clock()).execute()
    assert "Failing since" in person.see(f"{page}/activity")

    assert person.post(f"{page}/mail/stop").status_code == 303
    assert Receiver.select().count() == 0
    assert BUTTON in person.see(f"{page}/activity")


def test_owner_sees_no_mails_of_members_and_reaches_none(world, owner, ann, page):
    """See test_members_mail.py for what is counted."""
    ann.post(f"{page}/mail")
    world.submit(Visitor())
    Delivery.update(state="given_up", attempted_at=world.clock()).execute()
    mail = f"{page}/settings/notifications/{Receiver.get().id}"

    for path in (f"{page}/settings/notifications", f"{page}/activity", f"{page}/queue"):
        assert not re.search(f"{ann.email}|couldn't be delivered", owner.see(path)), path
    for path in ("remove", "secret", "test", f"messages/{Delivery.get().message.id}/again"):
        assert owner.post(f"{mail}/{path}").status_code == 404
    assert owner.get(f"{mail}/deliveries").status_code == 404


def test_link_changes_nothing_without_the_form_of_its_page(world, link, stranger):
    for client in (world.app.test_client(), stranger.client):
        assert client.get(link).status_code == 200
        assert client.head(link).status_code == 200
        for sent in ({"csrf_token": "x"}, {"List-Unsubscribe": "x"}):
            assert client.post(link, data=sent).status_code == 400

    assert Receiver.select().count() == 1


@pytest.mark.parametrize("is_one_click", [True, False])
def test_link_stops_the_mails_by_a_button_or_by_one_request_of_a_mail_service(
    world, page, ann, link, mailbox, is_one_click
):
    headers = dict(mailbox.messages[0].raw_items())  # as they travelled
    assert headers["List-Unsubscribe"] == f"<http://localhost{link}>"
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"

    reader, one_click = world.app.test_client(), {"List-Unsubscribe": "One-Click"}
    answer = reader.post(link, data=one_click) if is_one_click else submit(reader, link)

    assert answer.status_code == 200
    assert "You won't get any more emails about this page." in read_text(answer)
    assert Receiver.select().count() == 0
    assert BUTTON in ann.see(f"{page}/activity")


@pytest.mark.databases("sqlite", "postgres")
@pytest.mark.parametrize("send", [send_news, send_test])
def test_address_that_an_owner_entered_stops_its_mails_itself(world, owner, page, mailbox, send):
    send(world, receivers.add_channel(world.page_id, *OPS, world.change()))
    (message,) = mailbox.messages
    stop, text = message["List-Unsubscribe"].strip("<>"), message.get_content()
    assert "This page's owner entered your address for emails about it." in text
    assert f"To stop them, open this link: {stop}" in text
    reader, one_click = world.app.test_client(), {"List-Unsubscribe": "One-Click"}
    assert "unless you or its owner start them again" in read_text(reader.get(stop))
    assert Receiver.select().exists()

    world.clock.forward(seconds=1)
    for _ in range(2):
        assert reader.post(stop, data=one_click).status_code == 200

    assert not Receiver.select().exists()
    log = owner.see(f"{page}/activity")
    assert "channel ops@example.com removed the channel ops@example.com" in log


def test_dead_link_answers_as_a_live_one(world, link):
    """Whether someone still gets mails, or is on the page, is nobody else's matter."""

    def read(client) -> list[str]:
        pages = [client.get(link), submit(client, link)]
        return [re.sub(r'value="[^"]+"', "", page.text) for page in pages]

    live = read(world.app.test_client())
    stopped = read(world.app.test_client())
    Member.delete().execute()

    assert live == stopped == read(world.app.test_client())
    assert world.page.token_name not in live[0]
