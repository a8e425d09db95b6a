"""A draft of the list: the largest holders, where the owner ticks the ones to add."""

from flask import Response, request
from flask.typing import ResponseReturnValue
from limits import parse

from embed.balances.largest_holders import NOBODY_TO_ASK
from embed.db.models import Page
from embed.errors import InvalidInput
from embed.wallets import suggestions
from embed.wallets.suggestions import Suggestion
from embed.web import rate_limits
from embed.web.current import runtime
from embed.web.dashboard.access import current_person, open_page
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.responses import redirect_to, render, write_mistake
from embed.web.languages import format_number, gettext, ngettext

LOOK_UPS_PER_PERSON = parse("10/minute")


@blueprint.get("/pages/<page_id>/wallets/suggestions")
def show_suggestions(page_id: str) -> ResponseReturnValue:
    """Show the page without a lookup: links and reloads must not use up the RPC server's rate."""
    page = open_page(page_id)
    return _render(page, problem=gettext(NOBODY_TO_ASK) if runtime().chain is None else None)


@blueprint.post("/pages/<page_id>/wallets/suggestions")
def look_up_suggestions(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    if rate_limits.find_wait("look_up", LOOK_UPS_PER_PERSON, current_person().id):
        return _render(page, problem=gettext("Please wait a minute."), status=429)
    try:
        found = suggestions.suggest_wallets(page, runtime())
    except InvalidInput as mistake:
        return _render(page, problem=write_mistake(mistake), status=422)
    return _render(page, found)


@blueprint.post("/pages/<page_id>/wallets/suggestions/add")
def add_suggestions(page_id: str) -> ResponseReturnValue:
    """Add the ticked addresses; nothing else in the form counts."""
    page = open_page(page_id)
    ticked = request.form.getlist("address")
    if not ticked:
        raise InvalidInput("Select at least one wallet first.")
    added = suggestions.add_suggested(
        page.id,
        ticked,
        settings=runtime().settings,
        now=runtime().clock(),
        actor=current_person().email,
    )
    sentence = ngettext(
        "%(count)s wallet has been added.", "%(count)s wallets have been added.", added
    )
    return redirect_to("list_wallets", sentence % {"count": format_number(added)}, page)


def _render(
    page: Page,
    found: list[Suggestion] | None = None,
    *,
    problem: str | None = None,
    status: int = 200,
) -> Response:
    """Render the page; `found` is None before the lookup."""
    return render("wallets_suggested.html", page=page, found=found, problem=problem, status=status)
