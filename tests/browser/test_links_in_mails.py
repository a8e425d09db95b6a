"""Links in mails: one decides on a submission, one stops the mails."""

from contextlib import closing
from dataclasses import replace

import pytest
from axe import find_faults
from playwright.sync_api import expect
from support.receivers import run_mail_server
from support.world import Visitor

from embed.db.models import Message, Receiver, Submission
from embed.notifications import own_mail, targets
from embed.notifications.delivery import send
from embed.runtime import EXTENSION
from embed.serializers import describe_submission_for_owner, write_json

pytestmark = pytest.mark.browser


@pytest.fixture
def channel(dashboard) -> Receiver:
    """A mailbox whose readers can decide."""
    return Receiver.create(
        page=dashboard.page_id,
        kind="channel",
        target='{"type":"email","address":"team@example.com"}',
        may_decide=True,
        created_at=dashboard.clock(),
    )


@pytest.fixture
def submission(dashboard) -> Submission:
    answer = dashboard.submit(Visitor(), "Night heron")
    return Submission.get_by_id(answer.json["submissionId"])


@pytest.fixture
def mail(dashboard, submission, channel):
    """What the channel is told of the submission, by a real mail server."""
    data = {
        "trackingPageId": dashboard.page_id,
        **describe_submission_for_owner(submission),
    }
    message = Message(
        page=dashboard.page_id,
        type="submission.created",
        data=write_json(data, is_compact=True).decode(),
        created_at=dashboard.clock(),
    )
    runtime = dashboard.app.extensions[EXTENSION]
    with run_mail_server() as server:
        settings = replace(
            runtime.settings,
            public_url=dashboard.service_url,
            smtp_url=f"smtp://127.0.0.1:{server.port}",
        )
        with closing(targets.open_client(settings)) as client:
            assert send(
                channel, [message], replace(runtime, settings=settings), client
            ).is_delivered
        (arrived,) = server.messages
    return arrived


def open_mail(page, mail) -> None:
    """Show the HTML part of a mail, as a mail reader does."""
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto("about:blank")  # which has no rules for its content
    page.set_content(mail.get_body(("html",)).get_content())


@pytest.mark.parametrize(("decision", "status"), [("Approve", "approved"), ("Reject", "rejected")])
def test_link_in_a_mail_and_its_button_decide(page, mail, submission, decision, status):
    open_mail(page, mail)
    page.get_by_role("link", name=decision).click()

    expect(page.get_by_role("heading", level=1)).to_have_text(f"{decision} this submission?")
    expect(page.get_by_text("Night heron", exact=True)).to_be_visible()
    expect(page.get_by_text(submission.wallet_address)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert find_faults("the page behind a link", page) == []
    assert Submission.get_by_id(submission.id).status == "pending"

    page.get_by_role("button", name=decision).click()

    expect(page.get_by_role("heading", level=1)).to_have_text(status.capitalize())
    assert Submission.get_by_id(submission.id).status == status
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert find_faults("the page after a decision", page) == []


@pytest.fixture
def own(dashboard) -> Receiver:
    """The owner's own mail, which fails."""
    now = dashboard.clock()
    return Receiver.create(
        page=dashboard.page_id,
        person=dashboard.owner,
        kind="channel",
        target="",
        created_at=now,
        failed_attempts=1,
        first_failed_at=now,
    )


def test_link_stops_by_a_button_for_somebody_who_is_not_signed_in(dashboard, page, own):
    link = own_mail.build_link(own, dashboard.app.extensions[EXTENSION])
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{dashboard.service_url}/dashboard/mail/{link.rpartition('/')[2]}")
    assert find_faults("the link of a mail", page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert own_mail.find(dashboard.page_id, dashboard.owner) == own

    page.get_by_role("button", name="Stop the emails").click()

    expect(page.get_by_text("You won't get any more emails about this page.")).to_be_visible()
    assert own_mail.find(dashboard.page_id, dashboard.owner) is None
