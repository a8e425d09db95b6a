"""The queue of a page: pending submissions with their review context, and decided ones."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from embed.db.models import Page, Submission
from embed.db.pagination import Cursor
from embed.domain.reasons import MAX_LENGTH, NO_REASON, Reason, parse_reason, write_sentences
from embed.domain.times import from_ms, to_ms
from embed.errors import InvalidInput
from embed.notifications.delivery_log import count_given_up
from embed.pages import read_policy
from embed.submissions import decisions, queries
from embed.submissions.review_context import build_review_context, list_clear
from embed.submissions.soft_rejections import read_counts_without_session
from embed.web.current import runtime
from embed.web.dashboard.access import current_change, current_person
from embed.web.dashboard.blueprint import format_moment
from embed.web.dashboard.filters import describe_outcome
from embed.web.dashboard.responses import render, write_mistake
from embed.web.dashboard.routes import may_here, page_route
from embed.web.languages import gettext, lazy_gettext

TABS = {
    "waiting": ("pending",),
    "decided": ("approved", "auto_approved", "rejected"),
    "turned-away": ("soft_rejected",),
}
ORDERS = ("newest", "oldest")
DECISIONS = ("approve", "reject", "block")  # "block" also rejects
OWN_WORDS = "own"
MAX_SEARCH_LENGTH = 100
# A submission may be committed, and so become visible, a little after it was sent.
SEEN_WITHIN = timedelta(minutes=1)
WITHDRAWN_WITHIN = timedelta(days=30)
# How long a reloaded page mentions the last decision.
MENTIONED_FOR = timedelta(seconds=30)
NOTHING_CHOSEN = lazy_gettext("Choose at least one submission first.")
GONE = lazy_gettext("The wallet's holder withdrew it.")


class View(NamedTuple):
    """The tab, order, search and slice that the address names; unknown values are ignored."""

    tab: str
    order: str
    text: str
    is_clear: bool  # only what nothing speaks against
    after: Cursor | None

    @classmethod
    def read(cls) -> "View":
        tab, order = request.args.get("tab", ""), request.args.get("order", "")
        return cls(
            tab if tab in TABS else "waiting",
            order if order in ORDERS else "newest",
            request.args.get("q", "").replace("\0", "").strip()[:MAX_SEARCH_LENGTH],
            request.args.get("only") == "clear",
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
            q=wanted.text or None,
            only="clear" if wanted.is_clear else None,
            after=wanted.after,
        )


@page_route("/queue", needs="viewer", help="owners#review-the-queue")
def show_queue(page: Page) -> ResponseReturnValue:
    return _render(page)


@page_route("/queue/news", needs="viewer", is_visit=False)
def read_news(page: Page) -> ResponseReturnValue:
    """Return how many submissions are pending, and which are new since the page was rendered."""
    raw_since = request.args.get("since", "")
    is_instant = raw_since.isascii() and raw_since.isdigit() and len(raw_since) <= 13
    since = from_ms(int(raw_since)) if is_instant else runtime().clock()
    return {"waiting": queries.count_waiting(page), "new": _list_new(page, since)}


def _list_new(page: Page, since: datetime) -> list[str]:
    return queries.list_waiting_since(page, since - SEEN_WITHIN)


@page_route("/queue/decide", methods=["POST"], needs="reviewer")
def decide(page: Page) -> ResponseReturnValue:
    """Approve, reject or block submissions; list those already decided, which don't change."""
    decision = request.form.get("decision")
    if decision not in DECISIONS:
        return _refuse(page, NOTHING_CHOSEN)
    if decision == "approve":
        return _change(page, decisions.approve)
    try:
        reason = _read_reason()
    except InvalidInput as mistake:
        return _refuse(page, write_mistake(mistake))
    return _change(page, decisions.reject, reason=reason, blocks=decision == "block")


@page_route("/queue", methods=["POST"], needs="reviewer")
def approve_clear(page: Page) -> ResponseReturnValue:
    """Approve what nothing spoke against when the form was rendered, and still doesn't.

    At the address of the queue, since scripts load its rows from the address they're at.
    """
    return _change(page, decisions.approve, balances=runtime().balances)


def _read_reason() -> Reason:
    """Return the reason of the form: a code, own words or none. Raises InvalidInput."""
    chosen = request.form.get("reason")
    if not chosen:
        return NO_REASON
    return parse_reason(request.form.get("reason_text", "") if chosen == OWN_WORDS else chosen)


@page_route("/queue/undo", methods=["POST"], needs="reviewer")
def undo_decision(page: Page) -> ResponseReturnValue:
    """Make recently decided submissions pending again."""
    return _change(page, decisions.undo, "undone")


def _change(
    page: Page, change: Callable[..., decisions.Result], verb: str = "decided", **options: Any
) -> ResponseReturnValue:
    ids = request.form.getlist("ids")
    if not ids:
        return _refuse(page, NOTHING_CHOSEN)
    return _answer(page, change(page, ids, current_change(), **options), verb)


def _is_for_script() -> bool:
    return request.accept_mimetypes.best == "application/json"


def _refuse(page: Page, mistake: str) -> ResponseReturnValue:
    if _is_for_script():
        return {"mistake": str(mistake)}, 422
    return _render(page, mistake=mistake, status=422)


def _answer(page: Page, result: decisions.Result, verb: str) -> ResponseReturnValue:
    """Report what couldn't be changed; if nothing, return to the list."""
    undecided = [_explain(one, verb) for one in result.undecided]
    gone = len(result.withdrawn)
    if _is_for_script():
        unchanged = [
            {"id": one.id, "sentence": sentence, "isWaiting": one.status == "pending"}
            for one, sentence in undecided
        ]
        unchanged += [
            {"id": gone_id, "sentence": str(GONE), "isWaiting": False}
            for gone_id in result.withdrawn
        ]
        counts, view = _count_by_tab(page, read_counts_without_session(page)), View.read()
        clear = _find_clear(page, view, counts)
        part = render_template("dashboard/queue_clear.html", page=page, view=view, **clear)
        return {"unchanged": unchanged, "counts": counts, "clear": part}
    if undecided or gone:
        return _render(page, undecided=undecided, gone=gone, verb=verb, status=409)
    return redirect(View.read().link(page), 303)


def _explain(undecided: decisions.Undecided, verb: str) -> tuple[Submission, str]:
    one = undecided.submission
    if verb == "decided" and one.decided_at is not None:
        outcome, at = describe_outcome(one.status), format_moment(one.decided_at)
        return one, gettext("It is already %(outcome)s, %(time)s.", outcome=outcome, time=at)
    return one, write_mistake(undecided.reason)


def _render(page: Page, *, status: int = 200, **values: Any) -> ResponseReturnValue:
    view, now = View.read(), runtime().clock()
    refused_without_session = read_counts_without_session(page)
    tabs = _count_by_tab(page, refused_without_session)
    clear = _find_clear(page, view, tabs)
    submissions = queries.read_queue(
        page,
        TABS[view.tab],
        view.text,
        only=clear["clear"] if view.is_clear else (),
        without=clear["clear"] if clear["doubtful"] and not view.is_clear else (),
        after=view.after,
        is_oldest_first=view.order == "oldest",
    )
    undoable = queries.list_undoable(page, current_person().email, now - decisions.UNDO_WITHIN)
    return render(
        "queue.html",
        page=page,
        status=status,
        view=view,
        submissions=submissions,
        tabs=tabs,
        refused_without_session=refused_without_session,
        contexts=build_review_context(page, submissions.rows, runtime().balances)
        if view.tab == "waiting"
        else {},
        rules=read_policy(page),
        reasons=write_sentences(gettext),
        own_words=OWN_WORDS,
        max_reason_length=MAX_LENGTH,
        undoable=[_describe_decision(each) for each in undoable],
        mentions_latest=any(one[0].decided_at > now - MENTIONED_FOR for one in undoable),
        known=_list_new(page, now),
        since_ms=to_ms(now),
        withdrawn=queries.count_withdrawn(page, now - WITHDRAWN_WITHIN),
        undelivered=count_given_up(Page.id == page.id).get(page.id),
        now=now,
        **clear,
        **values,
    )


def _find_clear(page: Page, view: View, counts: dict[str, int]) -> dict[str, Any]:
    """Return what nothing speaks against, for who may approve it, and how many others are pending.

    A search finds both alike.
    """
    is_offered = view.tab == "waiting" and not view.text and may_here("approve_clear")
    clear = list_clear(page, runtime().balances) if is_offered else []
    return {
        "clear": clear,
        "doubtful": counts["waiting"] - len(clear),
        "max_clear": queries.MAX_CHANGED,
    }


def _count_by_tab(page: Page, refused_without_session: Counter[str]) -> dict[str, int]:
    counts = queries.count_by_status(page)
    counts["soft_rejected"] += refused_without_session.total()
    return {name: sum(counts[status] for status in statuses) for name, statuses in TABS.items()}


def _describe_decision(submissions: Sequence[Any]) -> dict[str, Any]:
    """Describe a decision for the script, which can undo it."""
    rejection = "block" if any(one.has_blocked for one in submissions) else "reject"
    return {
        "decision": "approve" if submissions[0].status == "approved" else rejection,
        "ids": [one.id for one in submissions],
        "name": submissions[0].nickname,
    }
