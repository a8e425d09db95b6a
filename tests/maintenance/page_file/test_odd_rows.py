"""Odd rows that a file may bring stop nothing: no queue, no list, no page that shows them."""

import copy
import html
import itertools
import json
import re
import socket

import pytest
from page_files import export, find, forge, move_to, take_over
from support.message_bodies import make_data
from support.owner_browser import OwnerBrowser
from support.world import Visitor

from embed.db.models import Activity, Delivery, Receiver
from embed.domain.activity import SENTENCE_BY_ACTION
from embed.notifications import delivery_log
from embed.notifications.delivery import deliver
from embed.runtime import EXTENSION

pytestmark = pytest.mark.slow

VALUES = [None, True, -1, 2**64, 1e-99, "", "x" * 3000, "\x00\u202e</td><script>", "\U0010ffff"]
NAMES = [
    *("text", "erasedBy", "tokenBalance", "minBalance", "address", "walletAddress", "nickname"),
    *("publicAlias", "displayPrefix", "tier", "label", "previousLabel", "name", "previousName"),
    *("tokenName", "added", "changed", "count", "tagName", "submissionId", "createdAtIso", "kind"),
    *("target", "owner", "%(wallet)s"),
]
TARGETS = {
    "webhook": ["http://[::1", "https://ann:hunter2@:99999/", "http:// /", "https://é.example"],
    "channel": [
        "goneservice://x",
        "nonsense",
        "json://[::1",
        "syslog://",
        "tgram://",
        "a@b.example",
    ],
}


def make_facts(visitor: Visitor):
    """Yield facts with every value under every name, alone and beside all others."""
    for name, value in itertools.product(NAMES, VALUES):
        yield {name: value}
        yield {"walletAddress": visitor.address, name: value}
    for value in VALUES:
        yield dict.fromkeys(NAMES, value) | {"walletAddress": visitor.address}
        yield dict.fromkeys([name for name in NAMES if name != "text"], value)


def repeat(lines, kind: str, changes) -> None:
    """Put copies of the first line of a type in its place, each with an id and changes."""
    record = find(lines, kind)
    place = lines.index(record)
    lines[place : place + 1] = [
        copy.deepcopy(record) | {"id": f"{kind[0]}{number:019}"} | each
        for number, each in enumerate(changes)
    ]


def add_odd_receivers(lines) -> None:
    for kind, targets in TARGETS.items():
        changes = [{"target": each, "eventTypes": ["unheard", "<b>"]} for each in targets]
        first = next(line for line in lines if line["type"] == "receiver" and line["kind"] == kind)
        for number, change in enumerate(changes):
            added = copy.deepcopy(first) | {"id": f"{kind:0<19}{number}"} | change
            lines.insert(lines.index(first), added)


def add_odd_messages(lines) -> None:
    receivers = [line["id"] for line in lines if line["type"] == "receiver"]
    names = ["", "\x00", "\u202e", "%(count)s", "x" * 1500, "@everyone", "\U0010ffff" * 300]
    data = [
        ("submission.created", make_data("submission.created", nickname=name, status="odd"))
        for name in names
    ]
    data += [
        ("wallet.flagged", make_data("wallet.flagged", publicAlias=None, address=name))
        for name in names
    ]
    data += [("queue.filling", make_data("queue.filling", more=name)) for name in names]
    data += [("test", {"trackingPageId": ""})]
    finished = {"state": "given_up", "attempts": 2**30 - 9, "attemptedAtIso": None, "answer": None}
    repeat(
        lines,
        "message",
        [
            {
                "messageType": message_type,
                "data": json.dumps(each, separators=(",", ":"), ensure_ascii=False),
                "deliveries": [finished | {"receiverId": one} for one in receivers],
            }
            for message_type, each in data
        ],
    )


@pytest.fixture
def visitor() -> Visitor:
    return Visitor()


@pytest.fixture
def world(other_url, filled, visitor):
    """An installation that took over a page with odd rows."""

    def make_odd(lines) -> None:
        actions = itertools.cycle([*SENTENCE_BY_ACTION, "%(odd)s <b>"])
        facts = [json.dumps(each, separators=(",", ":")) for each in make_facts(visitor)]
        repeat(lines, "activity", [{"action": next(actions), "data": each} for each in facts])
        add_odd_receivers(lines)
        add_odd_messages(lines)
        find(lines, "owner")["language"] = "xx"

    content = forge(export(filled.page_id), make_odd)
    filled.world.delete_page()
    move_to(filled.world, other_url)
    take_over(filled.world, content)
    return filled.world


def test_nothing_odd_in_the_log_keeps_it_from_being_shown_or_withdrawn(world, visitor):
    owner = OwnerBrowser(world, "new@example.com")
    owner.take(world.page_id)
    path = f"/dashboard/pages/{world.page_id}/activity"
    shown = 0
    while path:
        page = owner.get(path)
        assert page.status_code == 200
        entries = page.text.split("<main", 1)[1]
        assert "<script>" not in entries
        shown += entries.count("<bdi>")
        path = find_older(page.text)
    assert shown == Activity.select().count() > 400

    assert world.show_records(visitor).status_code == 200
    assert world.withdraw(visitor).status_code == 200
    assert world.show_records(visitor).json["activity"] == []


def find_older(text: str) -> str | None:
    link = re.search(r'rel="next" href="([^"]+)"', text)
    return html.unescape(link[1]) if link else None


def test_nothing_odd_in_messages_and_receivers_stops_a_queue_or_a_page(world, monkeypatch):
    def resolve(*_, **__):
        raise socket.gaierror("no network here")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    receivers = list(Receiver.select())
    runtime = world.app.extensions[EXTENSION]
    assert delivery_log.send_all_again(world.page_id) > 100

    world.clock.forward(days=1)
    owner = OwnerBrowser(world, "new@example.com")
    owner.take(world.page_id)
    for receiver in receivers:
        deliver(receiver.id, runtime)

    tried = {each.id: each for each in delivery_log.find_last_attempted(world.page).values()}
    assert {each.receiver_id for each in tried.values()} == {each.id for each in receivers}
    # All are older than a day, so what was tried was given up, with a reason.
    assert all(each.state == "given_up" and each.answer for each in tried.values())

    root = f"/dashboard/pages/{world.page_id}/notifications"
    paths = [root, f"{root}/log", *(f"{root}/{each.id}/remove" for each in receivers)]
    paths += [f"{root}/{each.id}/secret" for each in receivers if each.kind == "webhook"]
    for path in paths:
        page = owner.get(path)
        assert page.status_code == 200, path
        assert "hunter2" not in page.text
    listed = world.app.test_cli_runner().invoke(args=["webhooks", "list", world.page_id])
    assert listed.exit_code == 0, listed.output
    export(world.page_id)
    for each in receivers:
        assert owner.post(f"{root}/{each.id}/remove").status_code == 303
    assert Delivery.select().count() == 0
