"""The delivery log: what became of a page's messages, and sending them again."""

from typing import Any, NamedTuple

import msgspec
from flask import request, url_for
from flask.typing import ResponseReturnValue

from embed.db.models import Page, Receiver
from embed.db.pagination import Cursor
from embed.domain.identifiers import is_id
from embed.errors import NotFound
from embed.notifications import delivery_log
from embed.notifications.delivery_log import STATES
from embed.notifications.receivers import find_obstacle, list_receivers
from embed.web.current import runtime
from embed.web.dashboard.access import get_own_receiver
from embed.web.dashboard.receivers import find_obstacles, mask_targets
from embed.web.dashboard.responses import redirect_to, render
from embed.web.dashboard.routes import blueprint, page_route
from embed.web.languages import format_number, gettext, ngettext


class View(NamedTuple):
    """The part of the log that the address names; unknown values become the default."""

    receiver: Receiver | None
    state: str | None  # None: all
    after: Cursor | None

    @classmethod
    def read(cls, page: Page) -> "View":
        """Read the view from the address. Raises NotFound for a receiver of another page."""
        receiver_id, state = request.args.get("receiver"), request.args.get("state")
        return cls(
            get_own_receiver(page, receiver_id) if receiver_id else None,
            state if state in STATES else None,
            Cursor.parse(request.args.get("after")),
        )

    def link(self, page: Page, **changes: Any) -> str:
        """Return the address of this view with `changes`; default values are left out."""
        wanted = self._replace(**changes)
        return url_for(
            "dashboard.show_deliveries",
            page_id=page.id,
            receiver=wanted.receiver.id if wanted.receiver else None,
            state=wanted.state,
            after=wanted.after,
        )


@page_route("/settings/notifications/log", needs="owner", help="owners#failed-messages")
def show_deliveries(page: Page) -> ResponseReturnValue:
    view = View.read(page)
    of_page = [*list_receivers(page.id, "channel"), *list_receivers(page.id, "webhook")]
    return render(
        "deliveries.html",
        page=page,
        view=view,
        log=delivery_log.read_log(page, receiver=view.receiver, state=view.state, after=view.after),
        masked=mask_targets(of_page),
        obstacles=find_obstacles(of_page),
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
    return redirect_to("show_deliveries", said, page, receiver=receiver.id)


@page_route("/settings/notifications/again", methods=["POST"], needs="owner")
def send_all_again(page: Page) -> ResponseReturnValue:
    """Send all messages again that were given up."""
    of_page = [*list_receivers(page.id, "channel"), *list_receivers(page.id, "webhook")]
    count = delivery_log.send_all_again(page.id, find_obstacles(of_page))
    return redirect_to(
        "show_deliveries",
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
