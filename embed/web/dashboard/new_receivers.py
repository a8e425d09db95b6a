"""Adding channels and webhooks to a page."""

from typing import Any

from flask import url_for
from flask.typing import ResponseReturnValue
from wtforms import SelectMultipleField, StringField, SubmitField
from wtforms.validators import InputRequired
from wtforms.widgets import CheckboxInput, ListWidget

from embed.db.models import Page, Receiver
from embed.errors import InvalidInput
from embed.events.outbox import MESSAGE_TYPES
from embed.notifications import receivers
from embed.notifications.receivers import CHANNEL_TYPES, Kind, mask_target
from embed.web.current import runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_owner import current_owner, get_own_page
from embed.web.dashboard.filters import MESSAGES
from embed.web.dashboard.receivers import SECTION
from embed.web.dashboard.responses import Form, add_error, redirect_with_message, render
from embed.web.dashboard.webhook_secrets import show_secret

# Labels by value; the type stubs of WTForms do not support this form.
_TYPES: Any = {each: MESSAGES[each] for each in MESSAGE_TYPES}
# How addresses of some channels look; the operator's mail server is named elsewhere.
EXAMPLES = {
    "Telegram": "tgram://123456789:AbCdEfGhIjKlMnOpQrStUvWxYz012345678/-1001234567890/",
    "Discord": "https://discord.com/api/webhooks/123456789012345678/AbCdEfGhIjKl",
    "Slack": "https://hooks.slack.com/services/T0123ABCD/B0123ABCD/AbCdEfGhIjKlMnOpQrStUvWx",
    "ntfy": "ntfys://ntfy.sh/a-topic-that-nobody-guesses",
}
OWN_MAIL_SERVER = "mailtos://user:password@mail.example.com?to=you@example.com"


class ReceiverForm(Form):
    target = StringField("Address", [InputRequired("Enter an address.")])
    event_types = SelectMultipleField(
        "Messages",
        [InputRequired("Choose at least one.")],
        choices=_TYPES,
        widget=ListWidget(prefix_label=False),
        option_widget=CheckboxInput(),
    )
    submit = SubmitField("Add")


@blueprint.route("/pages/<page_id>/notifications/channels/new", methods=["GET", "POST"])
def add_channel(page_id: str) -> ResponseReturnValue:
    page = get_own_page(page_id)
    form = ReceiverForm(event_types=CHANNEL_TYPES)
    channel = _add(page, form, "channel")
    if channel is not None:
        return redirect_with_message(
            f"{mask_target(channel)} has been added. Send a test to see whether messages arrive.",
            url_for("dashboard.list_receivers", page_id=page.id),
        )
    return _show_form(page, form, "channel")


@blueprint.route("/pages/<page_id>/notifications/webhooks/new", methods=["GET", "POST"])
def add_webhook(page_id: str) -> ResponseReturnValue:
    """Add a webhook and show its secret in this response, so that it is in no address."""
    page = get_own_page(page_id)
    form = ReceiverForm(event_types=MESSAGE_TYPES)
    webhook = _add(page, form, "webhook")
    return _show_form(page, form, "webhook") if webhook is None else show_secret(page, webhook)


def _add(page: Page, form: ReceiverForm, kind: Kind) -> Receiver | None:
    """Return None if the form was not sent, or has mistakes."""
    if not form.validate_on_submit():
        return None
    add = receivers.add_webhook if kind == "webhook" else receivers.add_channel
    try:
        return add(
            page.id,
            form.target.data or "",
            event_types=form.event_types.data or (),
            settings=runtime().settings,
            now=runtime().clock(),
            actor=current_owner().email,
        )
    except InvalidInput as mistake:
        add_error(form, mistake)
        return None


def _show_form(page: Page, form: ReceiverForm, kind: Kind) -> ResponseReturnValue:
    return render(
        "receiver_form.html",
        page=page,
        section=SECTION,
        form=form,
        kind=kind,
        examples=EXAMPLES,
        own_mail_server=OWN_MAIL_SERVER,
        has_mail_server=runtime().settings.smtp_url is not None,
        status=422 if form.errors else 200,
    )
