"""docs/api.md, Webhooks: its examples verify real deliveries, and its fields are the real ones."""

import json
import re
import time
from decimal import Decimal

import pytest
from msgspec.structs import fields as get_fields
from support.message_bodies import BODIES, TEXT
from support.world import Visitor

from embed.events.editing import editing
from embed.events.kinds import HoldingFacts
from embed.events.messages import DATA_BY_TYPE, TEST
from embed.notifications.webhooks import read_public_key


def load_example(name: str):
    """Return a function of the documentation."""
    (source,) = [
        block for block in re.findall(r"```python\n(.*?)```", TEXT, re.S) if f"def {name}" in block
    ]
    names: dict[str, object] = {}
    exec(source, names)  # noqa: S102  # our own documentation
    return names[name]


@pytest.fixture
def webhook(owner, http_receiver):
    webhook = owner.add_webhook(http_receiver.url)
    owner.world.submit(Visitor(), "Ann")
    owner.deliver(webhook)
    return webhook


@pytest.mark.parametrize(
    ("example", "find_key"),
    [
        ("verify_with_secret", lambda webhook: webhook.secret),
        ("verify_with_public_key", lambda webhook: read_public_key(webhook.signing_key)),
    ],
)
def test_example_verifies_a_delivery(owner, webhook, http_receiver, example, find_key):
    verify, key = load_example(example), find_key(webhook)
    other_key = find_key(owner.add_webhook(http_receiver.url))
    (received,) = http_receiver.received

    verify(received.headers, received.body, key)

    old = received.headers | {"webhook-timestamp": str(int(time.time()) - 301)}
    for headers, body, used in (
        (received.headers, received.body + b" ", key),
        (received.headers, received.body, other_key),
        (received.headers | {"webhook-id": "other"}, received.body, key),
        (received.headers | {"webhook-signature": "v1,AAAA v1a,AAAA"}, received.body, key),
        (old, received.body, key),
    ):
        with pytest.raises(ValueError):  # noqa: PT011  # what the examples raise, for any reason
            verify(headers, body, used)


def test_bodies_have_the_fields_of_real_messages(owner, http_receiver):
    world = owner.world
    webhook = owner.add_webhook(http_receiver.url)
    world.configure(queue_capacity=1)
    visitor = Visitor()
    submission_id = world.submit(visitor, "Ann").json["submissionId"]
    world.approve(submission_id)
    owner.deliver(webhook)  # before the withdrawal erases what is waiting
    world.withdraw(visitor)
    with editing(world.page_id, world.change("holding watch")) as edit:
        facts = HoldingFacts("id", "address", "Ann", Decimal(1), Decimal(2), hidden=False)
        edit.log("flag wallet", facts)
    owner.deliver(webhook)

    real = {}
    for received in http_receiver.received:
        body = json.loads(received.body)
        real[body["type"]] = body
    assert real.keys() == BODIES.keys()
    for message_type, body in BODIES.items():
        assert list(body) == list(real[message_type])
        assert list(body["data"]) == list(real[message_type]["data"])
        for name, value in body["data"].items():
            kinds = {int: float}
            shown, sent = type(value), type(real[message_type]["data"][name])
            assert kinds.get(shown, shown) == kinds.get(sent, sent)
        fields = {field.encode_name for field in get_fields(DATA_BY_TYPE[message_type])}
        assert fields | {"trackingPageId"} == body["data"].keys()


def test_body_that_is_shown_is_that_of_its_type():
    (shown,) = map(json.loads, re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL))

    assert shown == BODIES[shown["type"]]


def test_every_type_is_documented_with_its_fields():
    entries = re.findall(r"^- `([a-z.]+)`, when ((?:.+\n)+?)(?=- |\n)", TEXT, re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", text)) for name, text in entries}
    fields = {
        name: {field.encode_name for field in get_fields(data)} - {"trackingPageId"}
        for name, data in DATA_BY_TYPE.items()
    }

    assert told.keys() == BODIES.keys() | {TEST} == DATA_BY_TYPE.keys()
    for name in fields.keys() - {"submission.created", "submission.decided"}:
        assert told[name] == fields[name]
