"""The activity page: the log, submissions by day, and a person's own emails about them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from flask import request
from flask.typing import ResponseReturnValue
from itsdangerous import BadSignature

from embed.db.models import Activity, Page
from embed.db.pagination import Cursor, make_slice, read_rows
from embed.events import kinds
from embed.notifications import own_mail
from embed.submissions import queries
from embed.web.current import runtime
from embed.web.dashboard.access import current_change, current_person
from embed.web.dashboard.responses import redirect_to, render, render_mistake
from embed.web.dashboard.routes import ANYBODY, FORM, may_here, page_route, route
from embed.web.languages import gettext, lazy_gettext

DAYS = 30
SLICE_SIZE = 50  # entries of the log


class Kind(NamedTuple):
    label: str
    facts: tuple[type[kinds.Facts], ...]
    route: str = "show_activity"  # only people who may use it see them

    def list_actions(self) -> list[str]:
        return [action for facts in self.facts for action in facts.sentences]


KINDS: Mapping[str, Kind] = {
    "queue": Kind(lazy_gettext("Queue"), (kinds.SubmissionFacts, kinds.WithdrawalFacts)),
    "wallets": Kind(
        lazy_gettext("Wallets"),
        (
            kinds.WalletFacts,
            kinds.BulkFacts,
            kinds.ImportFacts,
            kinds.HoldingFacts,
            kinds.ErasureFacts,
        ),
    ),
    "tags": Kind(lazy_gettext("Tags"), (kinds.TagFacts,)),
    "settings": Kind(lazy_gettext("Settings"), (kinds.PageFacts, kinds.ChangeFacts)),
    "deny-list": Kind(lazy_gettext("Deny list"), (kinds.BlockFacts,), "decide"),
    "notifications": Kind(lazy_gettext("Notifications"), (kinds.ReceiverFacts,), "list_receivers"),
    "people": Kind(lazy_gettext("People"), (kinds.PersonFacts,), "list_people"),
    "keys": Kind(lazy_gettext("API keys"), (kinds.KeyFacts,), "list_keys"),
}
# All statuses, in their order within a bar.
STACK = ("approved", "auto_approved", "pending", "rejected", "soft_rejected")
# In units of the SVG.
DAY_LENGTH, TOTAL_LENGTH = 100, 600


@dataclass(frozen=True, slots=True)
class Block:
    """The part of a bar for one status."""

    status: str
    start: float  # from the start of the bar
    size: float


@dataclass(frozen=True, slots=True)
class Bar:
    day: date | None
    counts: Counter[str]
    blocks: list[Block]


@page_route("/activity", needs="viewer", help="owners#activity")
def show_activity(page: Page) -> ResponseReturnValue:
    person = current_person()
    after, kind = Cursor.parse(request.args.get("after")), KINDS.get(request.args.get("kind", ""))
    today = runtime().clock().date()
    days = [today - timedelta(days=ago) for ago in reversed(range(DAYS))]
    by_day = queries.count_by_day(page, datetime.combine(days[0], time(), UTC))
    most = max((counts.total() for counts in by_day.values()), default=0)
    totals = queries.count_by_status(page)
    entries = read_rows(
        Activity,
        Activity.page == page,
        Activity.action.not_in(list_unseen()) | (Activity.actor == person.email),
        *([Activity.action.in_(kind.list_actions())] if kind else []),
        limit=SLICE_SIZE + 1,
        after=after,
    )
    return render(
        "activity.html",
        page=page,
        after=after,
        kind=request.args["kind"] if kind else None,
        kinds=[(name, one.label) for name, one in KINDS.items() if may_here(one.route)],
        # Setting up a page logs entries in its own transaction.
        is_new=not (after or kind or totals)
        and all(one.created_at == page.created_at for one in entries),
        log=make_slice(entries, SLICE_SIZE),
        mail=own_mail.find(page, person),
        can_mail=own_mail.can_mail(person, runtime().settings),
        stack=STACK,
        bars=[build_bar(by_day.get(day, Counter()), DAY_LENGTH, most, day) for day in days],
        most=most,
        totals=build_bar(totals, TOTAL_LENGTH, totals.total()),
    )


def list_unseen() -> list[str]:
    """Return the actions that would reveal what the signed-in person may not read elsewhere."""
    unseen = (kind for kind in KINDS.values() if not may_here(kind.route))
    return [action for kind in unseen for action in kind.list_actions()]


def build_bar(counts: Counter[str], length: int, most: int, day: date | None = None) -> Bar:
    """Return a bar in which `most` submissions have the full `length`."""
    blocks: list[Block] = []
    start = 0.0
    for status in STACK:
        if counts[status]:
            size = counts[status] * length / most
            blocks.append(Block(status, round(start, 2), round(size, 2)))
            start += size
    return Bar(day, counts, blocks)


# Emails about the page, to the person who asks for them


@page_route("/mail", methods=["POST"], needs="viewer")
def start_mail(page: Page) -> ResponseReturnValue:
    person = current_person()
    own_mail.start(page.id, person, current_change())
    return redirect_to(
        "show_activity",
        gettext("Emails about this page go to %(email)s.", email=person.email),
        page,
    )


@page_route("/mail/stop", methods=["POST"], needs="viewer")
def stop_mail(page: Page) -> ResponseReturnValue:
    own_mail.stop(page.id, current_person().id)
    return redirect_to(
        "show_activity", gettext("You won't get any more emails about this page."), page
    )


@page_route("/mail/decide", methods=["POST"], needs="reviewer", confirms=True)
def let_mail_decide(page: Page) -> ResponseReturnValue:
    person = current_person()
    own_mail.let_decide(page.id, person, True, current_change())
    return redirect_to(
        "show_activity", gettext("Emails to you now have links that approve and reject."), page
    )


@page_route("/mail/decide/stop", methods=["POST"], needs="viewer")
def end_deciding_by_mail(page: Page) -> ResponseReturnValue:
    person = current_person()
    own_mail.let_decide(page.id, person, False, current_change())
    return redirect_to("show_activity", gettext("The links in emails to you no longer work."), page)


@route("/mail/<token>", methods=FORM, needs=ANYBODY, help="owners#activity")
def stop_mail_by_link(token: str) -> ResponseReturnValue:
    """Ask whether to stop; only the button does, since mail scanners open links.

    The answers are the same whether or not there's still something to stop.
    """
    try:
        page_id, named = own_mail.read_link(token, runtime().signer)
    except BadSignature:
        return render_mistake(gettext("This link is invalid or has expired."), 404)
    if request.method == "POST":
        own_mail.stop_by_link(page_id, named, current_change())
    return render("mail_stop.html", is_done=request.method == "POST")
