"""The secrets of webhooks: each is shown once, and may be replaced by a new one."""

from datetime import timedelta

from flask import request
from flask.typing import ResponseReturnValue

from embed.db.models import Page, Receiver
from embed.errors import NotFound
from embed.notifications import receivers
from embed.notifications.receivers import mask_target
from embed.notifications.signatures import read_public_key
from embed.web.current import runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_owner import current_owner, get_own_page, get_own_receiver
from embed.web.dashboard.receivers import SECTION
from embed.web.dashboard.responses import render

# A button that is pressed twice makes one secret: a second would end the overlap with the old one.
ONE_PRESS = timedelta(seconds=10)


def show_secret(page: Page, webhook: Receiver) -> ResponseReturnValue:
    """Show it in this response, so that it is in no address and no cookie."""
    return render(
        "webhook_secret.html",
        page=page,
        section=SECTION,
        webhook=webhook,
        masked=mask_target(webhook),
        public_key=read_public_key(webhook.signing_key or ""),
        status=201,
    )


@blueprint.route("/pages/<page_id>/notifications/<receiver_id>/secret", methods=["GET", "POST"])
def rotate_secret(page_id: str, receiver_id: str) -> ResponseReturnValue:
    page = get_own_page(page_id)
    webhook = get_own_receiver(page, receiver_id)
    if webhook.kind != "webhook":
        raise NotFound(receiver_id)
    if request.method == "POST":
        rotated = receivers.rotate_secret(
            webhook.id,
            runtime().clock(),
            actor=current_owner().email,
            at_most_every=ONE_PRESS,
        )
        return show_secret(page, rotated)
    return render(
        "webhook_rotate.html",
        page=page,
        section=SECTION,
        masked=mask_target(webhook),
        webhook=webhook,
        now=runtime().clock(),
    )
