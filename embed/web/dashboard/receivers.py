"""The notifications of a page: its channels and webhooks."""

from collections.abc import Iterable
from typing import Any

from flask import request, url_for
from flask.typing import ResponseReturnValue

from embed.db.models import Receiver
from embed.db.work_status import read_work_status
from embed.notifications import queries, receivers
from embed.notifications.delivery_log import queue_test
from embed.notifications.receivers import mask_target
from embed.notifications.signatures import read_public_key
from embed.web.current import runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_owner import current_owner, get_own_page, get_own_receiver
from embed.web.dashboard.responses import redirect_with_message, render

MAX_GIVEN_UP_SHOWN = 3
SECTION = "list_receivers"  # the tab of all pages about notifications


@blueprint.get("/pages/<page_id>/notifications")
def list_receivers(page_id: str) -> ResponseReturnValue:
    page = get_own_page(page_id)
    channels = receivers.list_receivers(page.id, "channel")
    webhooks = receivers.list_receivers(page.id, "webhook")
    now = runtime().clock()
    return render(
        "receivers.html",
        page=page,
        section=SECTION,
        channels=channels,
        webhooks=webhooks,
        masked=mask_targets([*channels, *webhooks]),
        last=queries.find_last_attempted(page),
        waiting=queries.count_waiting(page),
        given_up=queries.list_given_up(page, limit=MAX_GIVEN_UP_SHOWN),
        given_up_count=queries.count_given_up_of_page(page),
        read_public_key=read_public_key,
        work=read_work_status(now),
        now=now,
    )


def mask_targets(of_page: Iterable[Receiver]) -> dict[str, str]:
    """Return where receivers lead, without secrets, by their ids."""
    return {receiver.id: mask_target(receiver) for receiver in of_page}


@blueprint.route("/pages/<page_id>/notifications/<receiver_id>/remove", methods=["GET", "POST"])
def remove_receiver(page_id: str, receiver_id: str) -> ResponseReturnValue:
    page = get_own_page(page_id)
    receiver = get_own_receiver(page, receiver_id)
    masked = mask_target(receiver)
    if request.method == "GET":
        waiting = queries.count_waiting(page).get(receiver.id, 0)
        return render(
            "receiver_remove.html", page=page, section=SECTION, masked=masked, waiting=waiting
        )
    kind: Any = receiver.kind
    receivers.remove_receiver(receiver.id, kind, runtime().clock(), actor=current_owner().email)
    return redirect_with_message(
        f"{masked} has been removed.", url_for("dashboard.list_receivers", page_id=page.id)
    )


@blueprint.post("/pages/<page_id>/notifications/<receiver_id>/test")
def send_test(page_id: str, receiver_id: str) -> ResponseReturnValue:
    """Leave a test message in the outbox, unless one waits already."""
    page = get_own_page(page_id)
    receiver = get_own_receiver(page, receiver_id)
    if queries.has_waiting_test(receiver):
        sentence = "A test message is already being sent."
    else:
        queue_test(receiver.id, runtime().clock())
        sentence = "A test message is being sent. Reload this page to see the result."
    return redirect_with_message(
        sentence, url_for("dashboard.show_deliveries", page_id=page.id, receiver=receiver.id)
    )
