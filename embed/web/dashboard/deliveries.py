"""The deliveries to a channel or webhook: what became of its messages, and sending them again."""

import msgspec
from flask import request
from flask.typing import ResponseReturnValue

from embed.db.models import Page
from embed.db.pagination import Cursor
from embed.domain.identifiers import is_id
from embed.errors import NotFound
from embed.notifications import delivery_log
from embed.notifications.receivers import find_obstacle, list_receivers, mask_target
from embed.web.current import runtime
from embed.web.dashboard.access import get_own_receiver
from embed.web.dashboard.filters import STATES
from embed.web.dashboard.receivers import find_obstacles
from embed.web.dashboard.responses import redirect_to, render
from embed.web.dashboard.routes import blueprint, page_route
from embed.web.languages import format_number, gettext, ngettext


@page_route(
    "/settings/notifications/<receiver_id>/deliveries", needs="owner", help="owners#failed-messages"
)
def show_deliveries(page: Page, receiver_id: str) -> ResponseReturnValue:
    receiver, after = get_own_receiver(page, receiver_id), Cursor.parse(request.args.get("after"))
    state = request.args.get("state")
    state = state if state in STATES else None
    return render(
        "deliveries.html",
        page=page,
        masked=mask_target(receiver),
        is_reachable=find_obstacle(receiver, runtime().settings) is None,
        states=list(STATES.items()),
        state=state,
        after=after,
        log=delivery_log.read_log(receiver, state=state, after=after),
    )


@page_route(
    "/settings/notifications/<receiver_id>/messages/<message_id>/again",
    methods=["POST"],
    needs="owner",
)
def send_again(page: Page, receiver_id: str, message_id: str) -> ResponseReturnValue:
    receiver = get_own_receiver(page, receiver_id)
    if not is_id(message_id):
        raise NotFound(message_id)
    delivery = delivery_log.get_delivery_to(receiver, message_id)
    if obstacle := find_obstacle(receiver, runtime().settings):
        raise obstacle
    if delivery.state == "waiting":
        said = gettext("The message is already waiting to be sent.")
    else:
        delivery_log.send_again(delivery)
        said = gettext("The message is being sent again. Reload this page to see the result.")
    return redirect_to("show_deliveries", said, page, receiver_id=receiver.id)


@page_route("/settings/notifications/again", methods=["POST"], needs="owner")
def send_all_again(page: Page) -> ResponseReturnValue:
    """Send all messages again that were given up."""
    of_page = [*list_receivers(page.id, "channel"), *list_receivers(page.id, "webhook")]
    count = delivery_log.send_all_again(page.id, find_obstacles(of_page))
    return redirect_to(
        "list_receivers",
        ngettext(
            "%(count)s message is being sent again.",
            "%(count)s messages are being sent again.",
            count,
            count=format_number(count),
        ),
        page,
    )


@blueprint.app_template_filter("indented")
def indent_json(document: str) -> str:
    return msgspec.json.format(document, indent=2)
