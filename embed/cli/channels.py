"""flask channels"""

import click

from embed.cli.receivers import describe, event_option, print_test
from embed.notifications import receivers
from embed.terminal import Group, json_option, print_list, print_record, runtime

group = Group(
    "channels", help="E-mail addresses, chats and phones that are told what happens on a page."
)


@group.command("add")
@click.argument("page")
@click.argument("target", metavar="APPRISE_URL_OR_EMAIL")
@event_option
@json_option
def add(page: str, target: str, event_types: tuple[str, ...], as_json: bool) -> None:
    """Add an e-mail address or an Apprise URL, such as ntfys://ntfy.sh/my-topic."""
    receiver = receivers.add_channel(
        page,
        target,
        event_types=event_types,
        settings=runtime().settings,
        now=runtime().clock(),
    )
    print_record(describe(receiver), as_json=as_json)


@group.command("list")
@click.argument("page")
@json_option
def list_all(page: str, as_json: bool) -> None:
    """List a page's channels."""
    found = receivers.list_receivers(page, "channel")
    print_list([describe(receiver) for receiver in found], as_json=as_json)


@group.command("remove")
@click.argument("channel_id")
@json_option
def remove(channel_id: str, as_json: bool) -> None:
    """Remove a channel; messages that wait for it are not sent."""
    removed = receivers.remove_receiver(channel_id, "channel", runtime().clock())
    print_record(describe(removed), as_json=as_json)


@group.command("test")
@click.argument("channel_id")
@json_option
def test(channel_id: str, as_json: bool) -> None:
    """Send a test message now, and show the result."""
    print_test(channel_id, "channel", as_json=as_json)
