"""The notifications of a page: its channels and webhooks, with their secrets."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from flask import redirect, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, RadioField, StringField
from wtforms.validators import InputRequired

from embed.db.models import Page, Receiver
from embed.db.work_status import read_work_status
from embed.domain.concurrency import ConcurrencyLimit
from embed.errors import NotFound
from embed.events.messages import MESSAGE_TYPES
from embed.notifications import delivery, delivery_log, receivers
from embed.notifications.channels import find_chat, find_service
from embed.notifications.receivers import CHANNEL_TYPES, mask_target
from embed.notifications.webhooks import read_public_key
from embed.web.current import runtime
from embed.web.dashboard.access import current_change, get_own_receiver
from embed.web.dashboard.filters import MESSAGES
from embed.web.dashboard.responses import (
    Checkboxes,
    Choices,
    Form,
    redirect_to,
    render,
    show_mistakes,
    write_mistake,
)
from embed.web.dashboard.routes import FORM, page_route
from embed.web.languages import gettext, lazy_gettext

HELP = "owners#notifications"
_testing = ConcurrencyLimit(2)  # a mail server may take a minute


@page_route("/settings/notifications", needs="owner", help=HELP)
def list_receivers(page: Page) -> ResponseReturnValue:
    service = "email" if runtime().settings.smtp_url else "telegram"
    return _render(page, ReceiverForm(None, event_types=CHANNEL_TYPES, service=service))


def _render(page: Page, form: "ReceiverForm") -> ResponseReturnValue:
    channels = receivers.list_receivers(page.id, "channel")
    webhooks = receivers.list_receivers(page.id, "webhook")
    of_page, undelivered = [*channels, *webhooks], delivery_log.count_undelivered(page)
    now, obstacles = runtime().clock(), find_obstacles(of_page)
    return render(
        "receivers.html",
        page=page,
        form=form,
        own_receivers=of_page,
        icons=ICONS,
        service_of=lambda one: WEBHOOK if one.kind == WEBHOOK else find_service(one.target),
        tested=request.args.get("tested"),
        masked={one.id: mask_target(one) for one in of_page},
        last=delivery_log.find_last_attempted(page),
        undelivered=undelivered,
        given_up=sum(one.get("given_up", 0) for one in undelivered.values()),
        sendable=sum(
            one.get("given_up", 0) for name, one in undelivered.items() if name not in obstacles
        ),
        obstacles=obstacles,
        read_public_key=read_public_key,
        is_told_of_submissions=receivers.is_told_of_submissions,
        has_mail_server=runtime().settings.smtp_url is not None,
        can_link=runtime().settings.public_url is not None,
        work=read_work_status(now),
        now=now,
    )


def find_obstacles(of_page: Iterable[Receiver]) -> dict[str, str]:
    """Return why nothing can reach a receiver, by its id; the others are absent."""
    settings = runtime().settings
    found = {one.id: receivers.find_obstacle(one, settings) for one in of_page}
    return {each: write_mistake(why) for each, why in found.items() if why is not None}


@page_route("/settings/notifications/<receiver_id>/remove", methods=FORM, needs="owner", help=HELP)
def remove_receiver(page: Page, receiver_id: str) -> ResponseReturnValue:
    receiver = get_own_receiver(page, receiver_id)
    masked = mask_target(receiver)
    if request.method != "POST":
        waiting = delivery_log.count_undelivered(page)[receiver.id].get("waiting", 0)
        return render(
            "receiver_remove.html",
            page=page,
            masked=masked,
            added_at=receiver.created_at,
            waiting=waiting,
        )
    kind: Any = receiver.kind
    receivers.remove_receiver(receiver.id, kind, current_change())
    return redirect_to("list_receivers", gettext("%(name)s has been removed.", name=masked), page)


@page_route(
    "/settings/notifications/<channel_id>/decide",
    methods=FORM,
    needs="owner",
    confirms=True,
    help="owners#decide-from-a-message",
)
def let_channel_decide(page: Page, channel_id: str) -> ResponseReturnValue:
    """Ask whether everyone who reads a channel may decide on submissions."""
    channel = _get_own(page, channel_id, "channel")
    if request.method != "POST":
        return render("receiver_deciding.html", page=page, masked=mask_target(channel))
    return _switch_deciding(channel, True)


@page_route("/settings/notifications/<channel_id>/decide/stop", methods=["POST"], needs="owner")
def end_deciding(page: Page, channel_id: str) -> ResponseReturnValue:
    return _switch_deciding(_get_own(page, channel_id, "channel"), False)


def _get_own(page: Page, receiver_id: str, kind: receivers.Kind) -> Receiver:
    receiver = get_own_receiver(page, receiver_id)
    if receiver.kind != kind:
        raise NotFound(receiver_id)
    return receiver


def _switch_deciding(channel: Receiver, may_decide: bool) -> ResponseReturnValue:
    receivers.let_decide(channel.id, may_decide, current_change())
    name = mask_target(channel)
    return redirect_to(
        "list_receivers",
        gettext("Everyone who reads %(name)s can now decide on submissions.", name=name)
        if may_decide
        else gettext("The links in messages to %(name)s no longer work.", name=name),
        page_id=channel.page_id,
    )


@page_route("/settings/notifications/<receiver_id>/test", methods=["POST"], needs="owner")
def send_test(page: Page, receiver_id: str) -> ResponseReturnValue:
    """Send a test message now; the receiver's row shows the result."""
    receiver = get_own_receiver(page, receiver_id)
    with _testing:
        delivery.send_test(receiver, runtime())
    row = receiver.id
    target = url_for("dashboard.list_receivers", page_id=page.id, tested=row, _anchor=row)
    return redirect(target, 303)


# Pressing the button twice makes one secret: a second would end the overlap with the old one.
ONE_PRESS = timedelta(seconds=10)


def show_secret(page: Page, webhook: Receiver) -> ResponseReturnValue:
    """Show a secret in this response, to keep it out of addresses and cookies."""
    return render(
        "webhook_secret.html",
        page=page,
        webhook=webhook,
        masked=mask_target(webhook),
        public_key=read_public_key(webhook.signing_key or ""),
        status=201,
        shows_secret=True,
    )


@page_route(
    "/settings/notifications/<receiver_id>/secret",
    methods=FORM,
    needs="owner",
    confirms=True,
    help="api#webhooks",
)
def rotate_secret(page: Page, receiver_id: str) -> ResponseReturnValue:
    webhook = _get_own(page, receiver_id, "webhook")
    if request.method == "POST":
        rotated = receivers.rotate_secret(webhook.id, current_change(), at_most_every=ONE_PRESS)
        return show_secret(page, rotated)
    return render(
        "webhook_rotate.html",
        page=page,
        masked=mask_target(webhook),
        webhook=webhook,
        now=runtime().clock(),
    )


WEBHOOK = "webhook"
# By service.
ICONS = {
    "email": "mail",
    "telegram": "send",
    "discord": "message-circle",
    "slack": "hash",
    "ntfy": "megaphone",
    WEBHOOK: "webhook",
}
_TYPES: Choices = {each: MESSAGES[each] for each in MESSAGE_TYPES}
_SERVICES: Choices = {
    "email": lazy_gettext("Email"),
    "telegram": "Telegram",
    "discord": "Discord",
    "slack": "Slack",
    "ntfy": "ntfy",
    WEBHOOK: lazy_gettext("Webhook"),
}


class ReceiverForm(Form):
    """A channel or a webhook; its fields are named like those of the services' classes."""

    service = RadioField(lazy_gettext("Service"), choices=_SERVICES)
    address = StringField(lazy_gettext("Email address"))
    bot_token = StringField(
        lazy_gettext("Bot token"),
        description=lazy_gettext(
            "You get it from @BotFather when you create a bot. It is stored on this server and "
            "not shown again."
        ),
    )
    chat_id = StringField(
        lazy_gettext("Chat"),
        description=lazy_gettext("The number of a group or channel the bot is in."),
    )
    webhook_url = StringField(
        lazy_gettext("Webhook URL"),
        description="https://discord.com/api/webhooks/…, https://hooks.slack.com/services/…",
    )
    server = StringField(lazy_gettext("Server"), default="https://ntfy.sh")
    topic = StringField(
        lazy_gettext("Topic"),
        description=lazy_gettext(
            "Anyone who knows it can read the messages, unless the server requires a token."
        ),
    )
    access_token = StringField(lazy_gettext("Access token (optional)"), description="tk_AbCdEfGhIj")
    target = StringField(
        lazy_gettext("Address"),
        description=lazy_gettext(
            "The address of your own server, which gets a signed POST request for each message. "
            "The next page shows the secret for verifying signatures."
        ),
    )
    event_types = Checkboxes(
        lazy_gettext("Messages"),
        [InputRequired(lazy_gettext("Choose at least one."))],
        choices=_TYPES,
    )
    may_decide = BooleanField(
        lazy_gettext("Readers can decide"),
        description=lazy_gettext(
            "Each pending submission comes with two links, to approve and to reject, that need no"
            " sign-in. Everyone who reads the channel or is sent a link can decide. The activity "
            "log names the channel."
        ),
    )


@page_route(
    "/settings/notifications",
    methods=["POST"],
    needs="owner",
    confirms=True,
    help=HELP,
    keeps_text=True,
)
def add_receiver(page: Page) -> ResponseReturnValue:
    """Add a channel, or a webhook, whose secret is in this response only.

    A chat's address entered as a webhook is offered as a channel instead.
    """
    form = ReceiverForm(event_types=CHANNEL_TYPES)
    event_types, change = form.event_types.data or (), current_change()
    if form.validate():
        is_webhook = form.service.data == WEBHOOK
        with show_mistakes(form):
            if is_webhook:
                webhook = receivers.add_webhook(
                    page.id, form.target.data or "", change, event_types=event_types
                )
                return show_secret(page, webhook)
            channel = receivers.add_channel(
                page.id,
                form.service.data,
                form.data,
                change,
                event_types=event_types,
                may_decide=form.may_decide.data,
            )
            return redirect_to(
                "list_receivers",
                gettext(
                    "%(name)s has been added. Send a test to see whether messages arrive.",
                    name=mask_target(channel),
                ),
                page,
            )
        if is_webhook and (chat := find_chat(form.target.data or "")):
            form.form_errors, form.target.errors = form.target.errors, ()
            form.target.data, (form.service.data, fields) = "", chat
            for name, value in fields.items():
                form[name].data = value
    return _render(page, form)
