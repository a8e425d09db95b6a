"""flask webhooks"""

import click

from embed.cli.receivers import describe, event_option, print_test
from embed.notifications import receivers
from embed.terminal import Group, json_option, print_list, print_record, runtime

group = Group("webhooks", help="Servers of yours that are told what happens on a page.")


@group.command("add")
@click.argument("page")
@click.argument("url")
@event_option
@json_option
def add(page: str, url: str, event_types: tuple[str, ...], as_json: bool) -> None:
    """Add a webhook and print its secret, which is not shown again."""
    receiver = receivers.add_webhook(
        page,
        url,
        event_types=event_types,
        settings=runtime().settings,
        now=runtime().clock(),
    )
    print_record(describe(receiver) | {"secret": receiver.secret}, as_json=as_json)


@group.command("list")
@click.argument("page")
@json_option
def list_all(page: str, as_json: bool) -> None:
    """List a page's webhooks."""
    found = receivers.list_receivers(page, "webhook")
    print_list([describe(receiver) for receiver in found], as_json=as_json)


@group.command("remove")
@click.argument("webhook_id")
@json_option
def remove(webhook_id: str, as_json: bool) -> None:
    """Remove a webhook; messages that wait for it are not sent."""
    removed = receivers.remove_receiver(webhook_id, "webhook", runtime().clock())
    print_record(describe(removed), as_json=as_json)


@group.command("test")
@click.argument("webhook_id")
@json_option
def test(webhook_id: str, as_json: bool) -> None:
    """Send a test message now, and show the answer."""
    print_test(webhook_id, "webhook", as_json=as_json)


@group.command("rotate")
@click.argument("webhook_id")
@json_option
def rotate(webhook_id: str, as_json: bool) -> None:
    """Create a new secret and print it; the old one also signs for another day."""
    rotated = receivers.rotate_secret(webhook_id, runtime().clock())
    print_record(describe(rotated) | {"secret": rotated.secret}, as_json=as_json)
