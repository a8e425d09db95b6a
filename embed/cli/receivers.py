"""flask channels and flask webhooks"""

from typing import Any

import click

from embed.db.models import Receiver
from embed.events.outbox import MESSAGE_TYPES
from embed.notifications import receivers
from embed.notifications.delivery_log import send_test
from embed.notifications.receivers import Kind, get_receiver, mask_target
from embed.notifications.signatures import read_public_key
from embed.serializers import describe_delivery, describe_receiver
from embed.terminal import Group, json_option, print_list, print_object, runtime

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
    print_object(describe_delivery(delivery), as_json=as_json)
    if delivery.state != "delivered":
        raise click.ClickException(f"The test message was not delivered: {delivery.answer}.")


channels = Group(
    "channels", help="E-mail addresses, chats and phones that are told what happens on a page."
)


@channels.command("add")
@click.argument("page")
@click.argument("target", metavar="APPRISE_URL_OR_EMAIL")
@event_option
@json_option
def add_channel(page: str, target: str, event_types: tuple[str, ...], as_json: bool) -> None:
    """Add an e-mail address or an Apprise URL, such as ntfys://ntfy.sh/my-topic."""
    receiver = receivers.add_channel(
        page,
        target,
        event_types=event_types,
        settings=runtime().settings,
        now=runtime().clock(),
    )
    print_object(describe(receiver), as_json=as_json)


@channels.command("list")
@click.argument("page")
@json_option
def list_channels(page: str, as_json: bool) -> None:
    """List a page's channels."""
    found = receivers.list_receivers(page, "channel")
    print_list([describe(receiver) for receiver in found], as_json=as_json)


@channels.command("remove")
@click.argument("channel_id")
@json_option
def remove_channel(channel_id: str, as_json: bool) -> None:
    """Remove a channel; messages that wait for it are not sent."""
    removed = receivers.remove_receiver(channel_id, "channel", runtime().clock())
    print_object(describe(removed), as_json=as_json)


@channels.command("test")
@click.argument("channel_id")
@json_option
def test_channel(channel_id: str, as_json: bool) -> None:
    """Send a test message now, and show the result."""
    print_test(channel_id, "channel", as_json=as_json)


webhooks = Group("webhooks", help="Servers of yours that are told what happens on a page.")


@webhooks.command("add")
@click.argument("page")
@click.argument("url")
@event_option
@json_option
def add_webhook(page: str, url: str, event_types: tuple[str, ...], as_json: bool) -> None:
    """Add a webhook and print its secret, which is not shown again."""
    receiver = receivers.add_webhook(
        page,
        url,
        event_types=event_types,
        settings=runtime().settings,
        now=runtime().clock(),
    )
    print_object(describe(receiver) | {"secret": receiver.secret}, as_json=as_json)


@webhooks.command("list")
@click.argument("page")
@json_option
def list_webhooks(page: str, as_json: bool) -> None:
    """List a page's webhooks."""
    found = receivers.list_receivers(page, "webhook")
    print_list([describe(receiver) for receiver in found], as_json=as_json)


@webhooks.command("remove")
@click.argument("webhook_id")
@json_option
def remove_webhook(webhook_id: str, as_json: bool) -> None:
    """Remove a webhook; messages that wait for it are not sent."""
    removed = receivers.remove_receiver(webhook_id, "webhook", runtime().clock())
    print_object(describe(removed), as_json=as_json)


@webhooks.command("test")
@click.argument("webhook_id")
@json_option
def test_webhook(webhook_id: str, as_json: bool) -> None:
    """Send a test message now, and show the answer."""
    print_test(webhook_id, "webhook", as_json=as_json)


@webhooks.command("rotate")
@click.argument("webhook_id")
@json_option
def rotate_secret(webhook_id: str, as_json: bool) -> None:
    """Create a new secret and print it; the old one also signs for another day."""
    rotated = receivers.rotate_secret(webhook_id, runtime().clock())
    print_object(describe(rotated) | {"secret": rotated.secret}, as_json=as_json)
