"""What flask webhooks and flask channels share."""

from typing import Any

import click

from embed.db.models import Receiver
from embed.events.outbox import MESSAGE_TYPES
from embed.notifications.delivery_log import send_test
from embed.notifications.receivers import Kind, get_receiver, mask_target
from embed.notifications.signatures import read_public_key
from embed.serializers import describe_delivery, describe_receiver
from embed.terminal import print_record, runtime

event_option = click.option(
    "--event",
    "event_types",
    multiple=True,
    type=click.Choice(MESSAGE_TYPES),
    help="A type of message to send; repeatable.",
)


def describe(receiver: Receiver) -> dict[str, Any]:
    described = describe_receiver(receiver, masked_target=mask_target(receiver))
    if receiver.signing_key is not None:
        described["publicKey"] = read_public_key(receiver.signing_key)
    return described


def print_test(receiver_id: str, kind: Kind, *, as_json: bool) -> None:
    """Send a test message and print what was answered; exit with 1 if it failed."""
    delivery = send_test(get_receiver(receiver_id, kind).id, runtime())
    print_record(describe_delivery(delivery), as_json=as_json)
    if delivery.state != "delivered":
        raise click.ClickException(f"The test message was not delivered: {delivery.answer}.")
