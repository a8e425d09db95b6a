"""The page behind a decision link: it shows the submission, and only its button decides."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

from flask import request
from flask.typing import ResponseReturnValue
from itsdangerous import BadSignature, SignatureExpired

from embed.db.models import Page, Submission
from embed.db.used_nonces import AlreadyUsed, check_unused
from embed.domain.reasons import NO_REASON, parse_reason, write_sentences
from embed.errors import InvalidInput, NotFound
from embed.notifications import decision_links
from embed.notifications.decision_links import DecisionLink, MayNotDecide
from embed.pages import read_policy
from embed.submissions import decisions, queries
from embed.submissions.review_context import build_review_context
from embed.web.current import runtime
from embed.web.dashboard.access import current_change
from embed.web.dashboard.responses import render, render_mistake, write_mistake
from embed.web.dashboard.routes import ANYBODY, FORM, route
from embed.web.languages import gettext


@route("/decide/<token>", methods=FORM, needs=ANYBODY, help="owners#decide-from-a-message")
def decide_by_link(token: str) -> ResponseReturnValue:
    """Show a link's submission, and decide only at the press of a button: scanners open links."""
    try:
        link = decision_links.read_link(token, runtime().signer)
        page = decision_links.open_link(link)
        return _decide(link, page) if request.method == "POST" else _show(link, page)
    except SignatureExpired:
        return render_mistake(gettext("This link has expired. Links work for 48 hours."), 410)
    except BadSignature:
        return render_mistake(
            gettext("This link is invalid. It may not have been copied completely."), 404
        )
    except MayNotDecide:
        return render_mistake(
            gettext(
                "This link no longer works, because deciding from these messages has been turned"
                " off."
            ),
            410,
        )


def _decide(link: DecisionLink, page: Page) -> ResponseReturnValue:
    """Raises MayNotDecide."""
    try:
        if link.decision == "approve":
            decide: Callable[..., decisions.Result] = decisions.approve
        else:
            raw_reason = request.form.get("reason", "")
            reason = parse_reason(raw_reason) if raw_reason else NO_REASON
            decide = partial(decisions.reject, reason=reason)
        with decision_links.using(link, current_change()) as change:
            submission = decisions.decide_one(
                link.submission_id, partial(decide, change=change), page=page
            )
    except (AlreadyUsed, NotFound):
        return _show(link, page)
    except InvalidInput as mistake:  # decided meanwhile, or the list is full
        return _show(link, page, mistake=write_mistake(mistake), status=409)
    return _render(link, page, submission, is_done=True)


def _show(
    link: DecisionLink, page: Page, *, mistake: str | None = None, status: int = 200
) -> ResponseReturnValue:
    submission = Submission.get_or_none(
        Submission.id == link.submission_id, Submission.page == page
    )
    if submission is None:
        return render_mistake(
            gettext(
                "The wallet's holder withdrew this submission. There's nothing left to decide."
            ),
            410,
        )
    if submission.status != "pending":
        decider = queries.find_decider(submission)
        return _render(link, page, submission, status=409, decided_by=decider)
    try:
        check_unused(link.token)
    except AlreadyUsed:
        return render_mistake(
            gettext(
                "This link has been used. The decision was undone since, so the submission is "
                "back in the queue."
            ),
            410,
        )
    contexts = build_review_context(page, [submission], runtime().balances)
    return _render(
        link,
        page,
        submission,
        status=status,
        context=contexts[submission.id],
        rules=read_policy(page),
        reasons=write_sentences(gettext),
        mistake=mistake,
    )


def _render(
    link: DecisionLink, page: Page, submission: Submission, **values: Any
) -> ResponseReturnValue:
    return render(
        "decision_link.html",
        decision=link.decision,
        submission_page=page,
        one=submission,
        undo_minutes=decisions.UNDO_WITHIN // timedelta(minutes=1),
        **values,
    )
