"""flask channels and flask webhooks"""

import click

from embed.db.models import Receiver
from embed.domain.times import format_instant
from embed.events.messages import MESSAGE_TYPES
from embed.notifications import receivers
from embed.notifications.channels import find_service
from embed.notifications.delivery import send_test
from embed.notifications.receivers import Kind, mask_target
from embed.notifications.webhooks import read_public_key
from embed.serializers import describe_delivery, format_optional
from embed.terminal import Group, JsonObject, current_change, print_answer, print_list, runtime

event_option = click.option(
    "--event",
    "event_types",
    multiple=True,
    type=click.Choice(MESSAGE_TYPES),
    help="A type of message to send. Repeatable.",
)


def describe(receiver: Receiver) -> JsonObject:
    """Return a webhook or channel without its secrets."""
    described = {
        "id": receiver.id,
        "trackingPageId": receiver.page_id,
        "target": mask_target(receiver),
        "events": list(receiver.event_types),
        "createdAtIso": format_instant(receiver.created_at),
        "failedAttempts": receiver.failed_attempts,
        "nextAttemptAtIso": format_optional(receiver.next_attempt_at),
    }
    if receiver.kind == "channel":
        described["service"] = find_service(receiver.target) or "unsupported"
        described["mayDecide"] = receiver.may_decide
    if receiver.signing_key is not None:
        described["publicKey"] = read_public_key(receiver.signing_key)
    return described


def build_group(kind: Kind, text: str) -> Group:
    """Return a group with the commands that webhooks and other channels share."""
    group = Group(f"{kind}s", help=text)

    @group.command("list", help=f"List a page's {kind}s.")
    @click.argument("page")
    def list_all(page: str) -> None:
        print_list(
            [describe(each) for each in receivers.list_receivers(page, kind)],
            ("id", "target", "failedAttempts", "nextAttemptAtIso"),
        )

    @group.command("remove", help=f"Delete a {kind} and the messages that it hasn't received yet.")
    @click.argument("receiver_id", metavar=f"{kind}_id".upper())
    def remove(receiver_id: str) -> None:
        print_answer(describe(receivers.remove_receiver(receiver_id, kind, current_change())))

    @group.command("test", help="Send a test message and show the result.")
    @click.argument("receiver_id", metavar=f"{kind}_id".upper())
    def test(receiver_id: str) -> None:
        delivery = send_test(receivers.get_receiver(receiver_id, kind), runtime())
        print_answer(describe_delivery(delivery))
        if delivery.state != "delivered":
            raise click.ClickException(f"The test message was not delivered: {delivery.answer}.")

    return group


channels = build_group("channel", "Manage a page's email and chat channels.")
webhooks = build_group("webhook", "Manage a page's webhooks.")


@channels.command("add")
@click.argument("page")
@click.argument("service", metavar="EMAIL|telegram|discord|slack|ntfy")
@click.option("--bot-token", help="Telegram: the token that @BotFather shows.")
@click.option("--chat-id", help="Telegram: the chat's number, or @channel.")
@click.option("--webhook-url", help="Discord, Slack: the address of an incoming webhook.")
@click.option("--server", help="ntfy: the server's address.  [default: https://ntfy.sh]")
@click.option("--topic", help="ntfy: the topic.")
@click.option("--access-token", help="ntfy: a token, if the topic needs one.")
@event_option
@click.option(
    "--may-decide",
    is_flag=True,
    help="Add links to messages, so that every reader can approve and reject submissions.",
)
def add_channel(
    page: str,
    service: str,
    event_types: tuple[str, ...],
    may_decide: bool,
    **fields: str | None,
) -> None:
    """Add an email address or a chat as a channel.

    Telegram needs --bot-token and --chat-id, Discord and Slack --webhook-url, ntfy --topic. Without
    --event, the channel gets all messages except submission.decided. See docs/owners.md.
    """
    if "@" in service:
        service, fields["address"] = "email", service
    added = receivers.add_channel(
        page, service, fields, current_change(), event_types=event_types, may_decide=may_decide
    )
    print_answer(describe(added))


@channels.command("update")
@click.argument("channel_id")
@click.option(
    "--may-decide/--no-may-decide",
    required=True,
    help="Let every reader of messages approve and reject submissions by links in them, or not.",
)
def update_channel(channel_id: str, may_decide: bool) -> None:
    """Allow or stop decisions from a channel's messages.

    With --no-may-decide, links that have been sent stop working immediately.
    """
    print_answer(describe(receivers.let_decide(channel_id, may_decide, current_change())))


@webhooks.command("add")
@click.argument("page")
@click.argument("url")
@event_option
def add_webhook(page: str, url: str, event_types: tuple[str, ...]) -> None:
    """Add a webhook and print its secret.

    The secret is shown only once. Without --event, it gets all messages. See docs/api.md.
    """
    added = receivers.add_webhook(page, url, current_change(), event_types=event_types)
    print_answer(describe(added) | {"secret": added.secret})


@webhooks.command("rotate")
@click.argument("webhook_id")
def rotate_secret(webhook_id: str) -> None:
    """Replace a webhook's secret and print the new one.

    For one day, messages are signed with both secrets.
    """
    rotated = receivers.rotate_secret(webhook_id, current_change())
    print_answer(describe(rotated) | {"secret": rotated.secret})
