"""The page behind a link that decides: what it shows, who decides, and when it no longer can."""

import re

import pytest
from support.owner_browser import find_token, read_text, submit
from support.world import Visitor, read_log

from embed.db.models import Activity, Receiver, Submission, Wallet
from embed.notifications import decision_links, own_mail, receivers
from embed.runtime import EXTENSION

pytestmark = pytest.mark.slow

BASE = "http://localhost"
TEAM = ("ntfy", {"topic": "topic"})


@pytest.fixture
def world(world_with):
    """A page on an installation that can link, and mail to its people."""
    return world_with(PUBLIC_URL=BASE, SMTP_URL="smtp://127.0.0.1:1")


@pytest.fixture
def channel(world, owner) -> Receiver:
    return receivers.add_channel(world.page_id, *TEAM, world.change(), may_decide=True)


@pytest.fixture
def visitor() -> Visitor:
    return Visitor()


@pytest.fixture
def submission(world, owner, visitor) -> Submission:
    answer = world.submit(visitor, "Bob")
    return Submission.get_by_id(answer.json["submissionId"])


@pytest.fixture
def links(world, channel, submission) -> dict[str, str]:
    """The paths that approve and reject."""
    return make_links(world, channel, submission)


@pytest.fixture
def reader(world):
    """Somebody who is not signed in."""
    return world.app.test_client()


def make_links(world, receiver: Receiver, submission: Submission) -> dict[str, str]:
    urls = decision_links.build_links(receiver, submission, world.app.extensions[EXTENSION])
    return {decision: url.removeprefix(BASE) for decision, url in urls.items()}


def list_deciders(world) -> list[str]:
    decisions = ("approve submission", "reject submission")
    return [one.actor for one in read_log(world.page_id) if one.action in decisions]


def read_status(submission: Submission) -> str:
    return Submission.get_by_id(submission.id).status


# What it shows


@pytest.mark.parametrize(
    ("decision", "question"),
    [("approve", "Approve this submission?"), ("reject", "Reject this submission?")],
)
def test_link_shows_the_submission_as_the_queue_does_and_decides_nothing(
    world, reader, visitor, links, decision, question
):
    world.configure(min_balance=5)
    world.observe(visitor.address, 3)
    before = world.dump()

    answer = reader.get(links[decision])

    text = read_text(answer)
    for shown in (question, "USD Coin", "Bob", visitor.address, "below 5 now", "3 of 5 needed"):
        assert shown in text
    assert "search for visitor" not in text
    assert links[decision].rpartition("/")[2] not in answer.text  # its form goes to this address
    answer = reader.get(links[decision], headers={"Accept-Language": "de"})
    assert '<html lang="de"' in answer.text
    assert reader.head(links[decision]).status_code == 200
    assert reader.options(links[decision]).status_code == 405
    assert world.dump() == before


def test_button_approves_without_signing_in(world, owner, reader, page, visitor, submission, links):
    answer = submit(reader, links["approve"])

    assert answer.status_code == 200
    assert "The wallet is on the list now." in read_text(answer)
    assert Wallet.get(Wallet.address == visitor.address).submission_id == submission.id
    assert list_deciders(world) == ["channel ntfy (ntfy.sh)"]
    assert "Undo" in owner.see(f"{page}/queue?tab=decided")
    assert "It was approved by channel ntfy (ntfy.sh)" in read_text(reader.get(links["reject"]))


def test_button_rejects_with_a_reason_unless_it_cannot_be(reader, submission, links):
    assert submit(reader, links["reject"], reason="a\0b").status_code == 409
    assert read_status(submission) == "pending"

    assert submit(reader, links["reject"], reason="not_for_list").status_code == 200
    rejected = Submission.get_by_id(submission.id)
    assert (rejected.status, rejected.reason_code) == ("rejected", "not_for_list")
    assert rejected.reason_text is None


# Forms of others


def test_form_without_the_token_of_its_page_decides_nothing(world, reader, submission, links):
    others = find_token(world.app.test_client().get(links["approve"]).text)
    reader.get(links["approve"])

    for fields in ({}, {"csrf_token": "x"}, {"csrf_token": others}):
        assert reader.post(links["approve"], data=fields).status_code in (400, 415)
    assert read_status(submission) == "pending"


# When it no longer decides


def test_link_that_stops_mails_decides_nothing_and_the_other_way_round(world, owner, reader, links):
    own_mail.start(world.page_id, owner.owner, world.change())
    own = own_mail.find(world.page, owner.owner)
    stop = own_mail.build_link(own, world.app.extensions[EXTENSION]).removeprefix(BASE)

    assert reader.get(stop.replace("/mail/", "/decide/")).status_code == 404
    assert reader.get(links["approve"].replace("/decide/", "/mail/")).status_code == 404


def test_link_of_one_page_decides_nothing_on_another(world, owner, reader, submission):
    """Only the installation's key could seal such a link."""
    another = receivers.add_channel(owner.make_page(), *TEAM, world.change(), may_decide=True)
    token = find_token(reader.get("/dashboard/sign-in").text)

    for path in make_links(world, another, submission).values():
        assert reader.post(path, data={"csrf_token": token}).status_code == 410
    assert read_status(submission) == "pending"


def expire(world, channel, visitor) -> None:
    world.clock.forward(hours=48)


def end_deciding(world, channel, visitor) -> None:
    receivers.let_decide(channel.id, False, world.change())


def withdraw(world, channel, visitor) -> None:
    assert world.withdraw(visitor).status_code == 200


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (expire, "expired"),
        (end_deciding, "This link no longer works"),
        (withdraw, "withdrew this submission"),
    ],
)
def test_link_that_has_ended_says_why_and_neither_shows_nor_decides(
    world, reader, channel, visitor, submission, links, end, said
):
    token = find_token(reader.get(links["approve"]).text)
    end(world, channel, visitor)

    for answer in (
        reader.get(links["approve"]),
        reader.post(links["approve"], data={"csrf_token": token}),
    ):
        text = read_text(answer)
        assert (answer.status_code, said in text, "Bob" in text) == (410, True, False)
    assert not Submission.select().where(Submission.status == "approved").exists()
    assert Wallet.select().count() == 0


def test_already_decided_says_by_whom_as_long_as_the_log_knows(
    owner, page, reader, submission, links
):
    token = find_token(reader.get(links["reject"]).text)
    owner.post(f"{page}/queue/decide", ids=submission.id, decision="approve")

    for answer in (
        reader.get(links["reject"]),
        reader.post(links["reject"], data={"csrf_token": token}),
    ):
        assert answer.status_code == 409
        assert "It was approved by owner@example.com" in read_text(answer)
    assert read_status(submission) == "approved"
    Activity.update(data='{"erasedBy":"holder"}', address=None).execute()
    assert "It is already approved" in read_text(reader.get(links["reject"]))


def test_used_link_does_not_decide_after_an_undo(world, reader, submission, links):
    submit(reader, links["approve"])
    world.undo(submission.id)
    token = find_token(reader.get("/dashboard/sign-in").text)

    for path in links.values():
        answer = reader.post(path, data={"csrf_token": token})
        assert (answer.status_code, "has been used" in read_text(answer)) == (410, True)
    assert read_status(submission) == "pending"


# The switch in the dashboard


def test_channel_decides_only_if_the_form_says_so_as_every_reader_can(owner, page):
    path = f"{page}/settings/notifications"
    form = owner.get(path)
    assert "Everyone who reads the channel or is sent a link can decide" in read_text(form)
    assert "checked" not in re.search(r'<input[^>]*name="may_decide"[^>]*>', form.text)[0]

    fields = {"service": "ntfy", "topic": "topic", "event_types": ["submission.created"]}
    for chosen, may_decide in (({}, False), ({"may_decide": "y"}, True)):
        owner.post(path, **fields, **chosen)
        assert ("readers can decide" in owner.see(path)) == may_decide
        assert may_decide in [one.may_decide for one in Receiver.select()]
    other = fields | {"event_types": ["queue.filling"], "may_decide": "y"}
    refused = owner.post(path, **other)
    assert refused.status_code == 422
    assert "doesn't get new submissions" in read_text(refused)


# Mails to oneself


def test_reviewer_decides_by_mail_and_viewer_is_not_offered_it(
    world, page, reader, make_member, submission
):
    """See test_decision_links.py in tests/notifications for whose links decide."""
    viewer, reviewer = make_member("viewer"), make_member("reviewer")
    assert reviewer.post(f"{page}/mail/decide").status_code == 409  # who gets no mails
    for person, is_offered in ((viewer, False), (reviewer, True)):
        person.post(f"{page}/mail")
        assert ("Decide by email" in person.see(f"{page}/activity")) == is_offered

    assert reviewer.post(f"{page}/mail/decide").status_code == 303

    links = make_links(world, own_mail.find(world.page, reviewer.owner), submission)
    submit(reader, links["approve"])
    assert list_deciders(world) == [reviewer.email]
    assert reviewer.post(f"{page}/mail/decide/stop").status_code == 303
    assert not any(one.may_decide for one in Receiver.select())
