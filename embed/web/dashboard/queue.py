"""The queue of a page: pending submissions with their review context, and decided ones."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from flask import redirect, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import SelectMultipleField, StringField
from wtforms.validators import AnyOf

from embed.db.models import Page
from embed.db.pagination import Cursor
from embed.domain.times import from_ms, to_ms
from embed.notifications.delivery_log import count_given_up_of_page
from embed.pages import read_policy
from embed.submissions import decisions, queries
from embed.submissions.review_context import build_review_context
from embed.web.current import runtime
from embed.web.dashboard import undo
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_owner import current_owner, get_own_page
from embed.web.dashboard.responses import Form, render

TABS = {
    "waiting": ("pending",),
    "decided": ("approved", "auto_approved", "rejected"),
    "turned-away": ("soft_rejected",),
}
ORDERS = ("newest", "oldest")
DECISIONS = ("approve", "reject")
# A submission that is sent in one moment may be committed, and so be seen, a little later.
SEEN_WITHIN = timedelta(minutes=1)
WITHDRAWN_WITHIN = timedelta(days=30)
NOTHING_CHOSEN = "Choose at least one submission first."


class ChoiceForm(Form):
    ids = SelectMultipleField(validate_choice=False)


class DecisionForm(ChoiceForm):
    decision = StringField(validators=[AnyOf(DECISIONS)])


class View(NamedTuple):
    """The tab, order and slice that the address names; unknown values become the default."""

    tab: str
    order: str
    after: Cursor | None

    @classmethod
    def read(cls) -> "View":
        tab, order = request.args.get("tab", ""), request.args.get("order", "")
        return cls(
            tab if tab in TABS else "waiting",
            order if order in ORDERS else "newest",
            Cursor.parse(request.args.get("after")),
        )

    def link(self, page: Page, endpoint: str = "show_queue", **changes: Any) -> str:
        """Return the address of this view with `changes`; default values are left out."""
        wanted = self._replace(**changes)
        return url_for(
            f"dashboard.{endpoint}",
            page_id=page.id,
            tab=None if wanted.tab == "waiting" else wanted.tab,
            order=None if wanted.order == "newest" else wanted.order,
            after=wanted.after,
        )


@blueprint.get("/pages/<page_id>/queue")
def show_queue(page_id: str) -> ResponseReturnValue:
    return _render(get_own_page(page_id))


@blueprint.get("/pages/<page_id>/queue/news")
def read_news(page_id: str) -> ResponseReturnValue:
    """Tell the queue's script how many wait, and which are new since the page was rendered."""
    page = get_own_page(page_id)
    raw_since = request.args.get("since", "")
    is_instant = raw_since.isascii() and raw_since.isdigit() and len(raw_since) <= 13
    since = from_ms(int(raw_since)) if is_instant else runtime().clock()
    return {"waiting": queries.count_waiting(page), "new": _list_new(page, since)}


def _list_new(page: Page, since: datetime) -> list[str]:
    return queries.list_waiting_since(page, since - SEEN_WITHIN)


@blueprint.post("/pages/<page_id>/queue/decide")
def decide(page_id: str) -> ResponseReturnValue:
    """Approve or reject submissions; list those that were decided already, unchanged."""
    page, form, now = get_own_page(page_id), DecisionForm(), runtime().clock()
    if not (form.validate_on_submit() and form.ids.data):
        return _render(page, mistake=NOTHING_CHOSEN, status=422)
    decision = str(form.decision.data)
    approve = partial(decisions.approve, max_wallets=runtime().settings.max_wallets)
    change = approve if decision == "approve" else decisions.reject
    result = change(page, form.ids.data, now, actor=current_owner().email)
    undo.remember(page.id, decision, result.decided, now)
    return _answer(page, result, "decided")


@blueprint.post("/pages/<page_id>/queue/undo")
def undo_decision(page_id: str) -> ResponseReturnValue:
    """Make submissions pending again that were decided a moment ago."""
    page, form, now = get_own_page(page_id), ChoiceForm(), runtime().clock()
    if not (form.validate_on_submit() and form.ids.data):
        return _render(page, mistake=NOTHING_CHOSEN, status=422)
    result = decisions.undo(page, form.ids.data, now, actor=current_owner().email)
    undo.forget(form.ids.data, now)
    return _answer(page, result, "undone")


def _answer(page: Page, result: decisions.Result, verb: str) -> ResponseReturnValue:
    if result.undecided or result.withdrawn:
        gone = len(result.withdrawn)
        return _render(page, undecided=result.undecided, gone=gone, verb=verb, status=409)
    return redirect(View.read().link(page), 303)


def _render(page: Page, *, status: int = 200, **values: Any) -> ResponseReturnValue:
    view, now = View.read(), runtime().clock()
    submissions = queries.read_queue(
        page, TABS[view.tab], after=view.after, is_oldest_first=view.order == "oldest"
    )
    counts = queries.count_by_status(page)
    return render(
        "queue.html",
        page=page,
        status=status,
        section="show_queue",
        view=view,
        submissions=submissions,
        tabs={name: sum(counts[status] for status in statuses) for name, statuses in TABS.items()},
        contexts=build_review_context(
            page, submissions.rows, uses_chain=runtime().settings.uses_chain
        )
        if view.tab == "waiting"
        else {},
        rules=read_policy(page),
        undoable=undo.find_latest(page.id, now),
        known=_list_new(page, now),
        since_ms=to_ms(now),
        withdrawn=queries.count_withdrawn(page, now - WITHDRAWN_WITHIN),
        undelivered=count_given_up_of_page(page),
        now=now,
        **values,
    )
