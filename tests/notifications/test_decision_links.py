"""Links that decide: which messages have them, what each service is sent, and when they end."""

import json
import re
from functools import partial
from typing import Any

import pytest
from support.remote import race
from support.world import Visitor, read_log

from embed.db.models import Receiver, Submission, UsedNonce
from embed.db.used_nonces import AlreadyUsed
from embed.errors import InvalidInput
from embed.notifications import decision_links, own_mail, receivers
from embed.notifications.decision_links import MayNotDecide
from embed.people import accounts, members
from embed.submissions import decisions

on_both_databases = pytest.mark.databases("sqlite", "postgres")

PUBLIC_URL = "http://localhost"
LINK = re.compile(rf"{PUBLIC_URL}/dashboard/decide/([\w.-]+)")
ANN = "ann@example.com"


@pytest.fixture
def owner(owner_with, mailbox):
    """The owner on an installation that can mail and link."""
    return owner_with(
        SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}",
        PUBLIC_URL=PUBLIC_URL,
        ALLOW_PRIVATE_TARGETS="1",
    )


@pytest.fixture
def add(owner):
    """Add a channel that may decide: ``add("ann@example.com")``."""

    def make(target: str = ANN, *event_types: str) -> Receiver:
        channel = owner.add_channel(target, *event_types)
        return receivers.let_decide(channel.id, True, owner.world.change())

    return make


@pytest.fixture
def submit(owner):
    def make(name: str = "Bob") -> Submission:
        answer = owner.world.submit(Visitor(), name)
        return Submission.get_by_id(answer.json["submissionId"])

    return make


def read(owner, raw: str):
    return decision_links.read_link(raw, owner.runtime.signer)


def make_links(owner, receiver: Receiver, submission: Submission) -> dict[str, Any]:
    urls = decision_links.build_links(receiver, submission, owner.runtime)
    return {name: read(owner, LINK.fullmatch(url)[1]) for name, url in urls.items()}


def use(owner, link) -> str:
    """Do what the page behind a link does when its button is pressed; return who decided."""
    decide = {"approve": decisions.approve, "reject": decisions.reject}[link.decision]
    with decision_links.using(link, owner.world.change()) as change:
        decisions.decide_one(link.submission_id, partial(decide, change=change))
    return change.actor


def list_named(owner, text: str) -> list[tuple[str, str]]:
    """Return the decision and the submission's name of each link in a text."""
    found = [read(owner, raw) for raw in LINK.findall(text)]
    return [(one.decision, Submission.get_by_id(one.submission_id).nickname) for one in found]


def get_parts(message) -> tuple[str, str]:
    plain, rich = message.get_body(("plain",)), message.get_body(("html",))
    return plain.get_content(), rich.get_content()


# Who gets links


def test_channel_gets_links_once_its_owner_allows_it(owner, submit, mailbox):
    channel = owner.add_channel(ANN)
    submit()
    owner.deliver(channel)
    assert "/dashboard/decide/" not in mailbox.messages[0].as_string()
    assert mailbox.messages[0].get_content_type() == "text/plain"

    receivers.let_decide(channel.id, True, owner.world.change("owner@example.com"))
    cleo = submit("Cleo")
    owner.world.clock.forward(minutes=1)
    owner.deliver(channel)

    text, rich = get_parts(mailbox.messages[1])
    approve, reject = LINK.findall(text)
    assert list_named(owner, text) == [("approve", "Cleo"), ("reject", "Cleo")]
    assert text.splitlines()[:5] == [
        "New submissions to review: 1 (Cleo)",
        f"Cleo ({cleo.wallet_address[:4]}…{cleo.wallet_address[-4:]})",
        f"Approve: {PUBLIC_URL}/dashboard/decide/{approve}",
        f"Reject: {PUBLIC_URL}/dashboard/decide/{reject}",
        f"Open the queue: {PUBLIC_URL}/dashboard/pages/{owner.world.page_id}/queue",
    ]
    assert f'<a href="{PUBLIC_URL}/dashboard/decide/{approve}"><strong>Approve</strong></a>' in rich
    assert f'<a href="{PUBLIC_URL}/dashboard/decide/{reject}"><strong>Reject</strong></a>' in rich
    assert f'/queue">{PUBLIC_URL}' in rich


def test_first_five_that_still_wait_have_links(owner, add, submit, mailbox):
    channel = add()
    all_of_them = [submit(f"V{number}") for number in range(8)]
    owner.world.approve(all_of_them[0].id)
    owner.deliver(channel)

    text, _ = get_parts(mailbox.messages[0])
    assert "New submissions to review: 8 (V0, V1" in text
    assert [name for _, name in list_named(owner, text)[::2]] == ["V1", "V2", "V3", "V4", "V5"]


def test_without_a_public_address_there_are_no_links(owner_with, mailbox):
    owner = owner_with(SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}")
    channel = owner.add_channel(ANN)
    receivers.let_decide(channel.id, True, owner.world.change())
    owner.world.submit(Visitor())
    owner.deliver(channel)

    (message,) = mailbox.messages
    assert "/dashboard/" not in message.as_string()
    assert message["List-Unsubscribe"] is None
    assert message.get_content().splitlines()[-1] == "To stop them, ask the owner."


def test_webhook_can_never_decide(owner, submit):
    webhook = owner.add_webhook("https://hooks.example/x")

    with pytest.raises(LookupError):
        receivers.let_decide(webhook.id, True, owner.world.change())
    assert not owner.read(webhook).may_decide


# What services are sent


@pytest.mark.parametrize(
    ("service", "field", "form"),
    [
        ("telegram", "text", rf'<a href="{LINK.pattern}">(\w+)</a>'),
        ("discord", "content", rf"\[(\w+)\]\(<{LINK.pattern}>\)"),  # which shows no preview
        ("slack", "text", rf"<{LINK.pattern}\|(\w+)>"),
    ],
)
def test_links_are_shown_by_their_words(owner, add, submit, sent, service, field, form):
    channel = add(service)
    submit("Bob")
    owner.deliver(channel)

    text = sent[0].content[field]
    found = {each for pair in re.findall(form, text) for each in pair}
    assert {"Approve", "Reject"} < found
    assert list_named(owner, text) == [("approve", "Bob"), ("reject", "Bob")]


def test_ntfy_shows_buttons_for_the_first_and_links_for_the_others(
    owner, add, submit, http_receiver
):
    channel = add(f"http://127.0.0.1:{http_receiver.port}")
    submit("Größe 我们")
    submit("Cleo")
    owner.deliver(channel)

    content = json.loads(http_receiver.received[0].body)
    actions = content["actions"]
    assert [(each["action"], each["label"].partition(" (")[0]) for each in actions] == [
        ("view", "Approve: Größe 我们"),
        ("view", "Reject: Größe 我们"),
    ]
    assert list_named(owner, " ".join(each["url"] for each in actions)) == [
        ("approve", "Größe 我们"),
        ("reject", "Größe 我们"),
    ]
    assert list_named(owner, content["message"]) == [("approve", "Cleo"), ("reject", "Cleo")]


@pytest.mark.parametrize(
    ("service", "field", "limit"),
    [
        ("discord", "content", 2000),
        ("telegram", "text", 4096),
        ("slack", "text", 4000),
        ("ntfy", "message", 4096),
    ],
)
def test_no_link_is_cut_where_a_service_has_no_room_for_all(
    owner, add, submit, sent, service, field, limit
):
    channel = add(service)
    for number in range(5):
        submit(f"{number} 名前名前名前名前名前名前名前名前")
    owner.deliver(channel)

    text = sent[0].content[field]
    size = text.encode() if service == "ntfy" else text
    assert len(size) <= limit
    raw = LINK.findall(text)
    assert text.count("/dashboard/decide/") == len(raw) >= 4
    assert len(list_named(owner, text)) == len(raw)


# Mails of one's own


@pytest.fixture
def join(owner):
    """Put Ann on the page, with mails that may decide: ``join("reviewer")``."""

    def make(role: str) -> Receiver:
        world, ann = owner.world, owner.join(ANN, role)
        owner.start_mail(ann)
        own_mail.let_decide(world.page_id, ann, True, world.change(ANN))
        return own_mail.find(world.page, ann)

    return make


def test_own_mail_decides_in_the_name_of_its_person(owner, join, submit, mailbox):
    channel = owner.add_channel(ANN)
    own = join("reviewer")
    assert not owner.read(channel).may_decide
    submission = submit("Bob")
    owner.deliver(own)
    text, rich = get_parts(mailbox.messages[0])
    assert list_named(owner, text) == [("approve", "Bob"), ("reject", "Bob")]
    assert "To stop them, open this link" in rich

    use(owner, read(owner, LINK.findall(text)[0]))

    assert Submission.get_by_id(submission.id).status == "approved"
    log = read_log(owner.world.page_id)
    assert [one.actor for one in log if one.action == "approve submission"] == [ANN]


def test_own_mail_of_whoever_only_reads_has_no_links(owner, join, submit, mailbox):
    own = join("viewer")
    submission = submit()
    owner.deliver(own)

    assert "/dashboard/decide/" not in mailbox.messages[0].as_string()
    with pytest.raises(MayNotDecide):
        use(owner, make_links(owner, own, submission)["approve"])


ENDS_OF_OWN = {
    "demoted": lambda world, own: members.change_role(world.page_id, ANN, "viewer", world.change()),
    "removed": lambda world, own: members.remove_person(world.page_id, ANN, world.change()),
    "stopped": lambda world, own: own_mail.stop(world.page_id, own.person_id),
    "switched off": lambda world, own: own_mail.let_decide(
        world.page_id, own.person, False, world.change(ANN)
    ),
}


@on_both_databases
@pytest.mark.parametrize("end", ENDS_OF_OWN.values(), ids=ENDS_OF_OWN)
def test_links_of_own_mail_end_with_the_role_the_mails_or_the_switch(owner, join, submit, end):
    own = join("reviewer")
    link = make_links(owner, own, submit())["approve"]

    end(owner.world, own)

    with pytest.raises(MayNotDecide):
        use(owner, link)
    assert Submission.get().status == "pending"


def test_asking_for_mails_again_does_not_let_them_decide_again(owner, join):
    own = join("reviewer")
    own_mail.stop(owner.world.page_id, own.person_id)

    assert not owner.start_mail(own.person).may_decide


def test_nobody_who_gets_no_mails_lets_them_decide(owner):
    person = owner.world.page.owner

    with pytest.raises(InvalidInput, match="get emails about this page"):
        own_mail.let_decide(owner.world.page_id, person, True, owner.world.change(person.email))


# What the log says


# One link


@on_both_databases
@pytest.mark.parametrize("other", ["approve", "reject"])
def test_link_and_its_counterpart_decide_once_also_after_an_undo(owner, add, submit, other):
    channel, submission = add(), submit()
    links = make_links(owner, channel, submission)
    use(owner, links["approve"])
    owner.world.undo(submission.id)

    with pytest.raises(AlreadyUsed):
        use(owner, links[other])

    assert Submission.get_by_id(submission.id).status == "pending"
    use(owner, make_links(owner, channel, submission)["reject"])  # of a later message
    assert Submission.get_by_id(submission.id).status == "rejected"


@on_both_databases
def test_decision_that_fails_leaves_the_link_unused(owner, add, submit):
    channel, submission = add(), submit()
    link = make_links(owner, channel, submission)["approve"]
    owner.world.approve(submission.id)

    with pytest.raises(InvalidInput, match="already approved"):
        use(owner, link)
    owner.world.undo(submission.id)

    use(owner, link)
    assert Submission.get_by_id(submission.id).status == "approved"


ENDS = {
    "switched off": lambda world, channel: receivers.let_decide(channel.id, False, world.change()),
    "removed": lambda world, channel: receivers.remove_receiver(
        channel.id, "channel", world.change()
    ),
    "page deleted": lambda world, channel: world.delete_page(),
    "page handed over": lambda world, channel: world.configure(
        owner=accounts.create_person("other@example.com", world.clock())
    ),
}


@on_both_databases
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_links_of_a_channel_end_at_once(owner, add, submit, end):
    channel, submission = add(), submit()
    link = make_links(owner, channel, submission)["reject"]

    end(owner.world, channel)

    with pytest.raises(MayNotDecide):
        decision_links.open_link(link)
    with pytest.raises(MayNotDecide):
        use(owner, link)
    assert Submission.get_by_id(submission.id).status == "pending"
    assert UsedNonce.select().count() == 0


# At once


@on_both_databases
def test_one_link_that_is_pressed_often_at_once_decides_once(owner, add, submit):
    link = make_links(owner, add(), submit())["approve"]

    def press() -> str:
        try:
            return use(owner, link)
        except AlreadyUsed:
            return "used"

    assert sorted(race(*[press] * 6)) == ["channel ann@example.com", *["used"] * 5]
    decided = [one for one in read_log(owner.world.page_id) if one.action == "approve submission"]
    assert len(decided) == 1
