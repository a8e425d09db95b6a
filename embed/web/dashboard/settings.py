"""The settings of a page: an index of their tabs, the general ones, and the danger zone."""

from datetime import timedelta
from typing import Any

from flask import flash, redirect, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import StringField

from embed import pages
from embed.db.models import Page
from embed.domain.folding import fold
from embed.domain.texts import drop_dollar_signs, isolate
from embed.keys.derived import is_shared
from embed.keys.management import list_keys
from embed.notifications.receivers import list_receivers
from embed.people.members import list_people
from embed.submissions import deny_list
from embed.wallets.search import count_wallets
from embed.web.current import runtime
from embed.web.dashboard.access import current_change
from embed.web.dashboard.pages import PageForm, read_page_form
from embed.web.dashboard.responses import Form, name_page, redirect_to, render, show_mistakes
from embed.web.dashboard.routes import FORM, may_here, page_route
from embed.web.languages import gettext


@page_route("/settings", needs="viewer", help="owners#create-a-page")
def show_settings(page: Page) -> ResponseReturnValue:
    """Show an index of the tabs on phones, else the first tab; or the only one a role may use."""
    if not may_here("edit_page"):
        return redirect(url_for("dashboard.show_policy", page_id=page.id))
    return render(
        "settings_general.html", page=page, form=PageForm(obj=page), counts=_count_parts(page)
    )


def _count_parts(page: Page) -> dict[str, Any]:
    """Return what the index shows besides the page's own fields."""
    counts: dict[str, Any] = {"blocks": len(deny_list.list_of_page(page))}
    if may_here("list_keys"):  # the owner, who alone sees these tabs
        live = [key.tier for key in list_keys(page.id) if key.revoked_at is None]
        counts |= {
            "channels": len(list_receivers(page.id, "channel")),
            "webhooks": len(list_receivers(page.id, "webhook")),
            "others": len(list_people(page, runtime().clock())) - 1,
            "public_keys": live.count("public"),
            "secret_keys": live.count("secret"),
        }
    return counts


@page_route(
    "/settings/general", methods=FORM, needs="editor", help="owners#create-a-page", keeps_text=True
)
def edit_page(page: Page) -> ResponseReturnValue:
    form = PageForm(obj=page)
    if form.validate_on_submit():
        with show_mistakes(form):
            pages.update_page(page.id, read_page_form(form), current_change())
            return redirect_to("edit_page", gettext("Saved."), page)
    return render("settings_general.html", page=page, form=form)


@page_route("/settings/danger", methods=FORM, needs="owner", help="owners#hide-or-delete-a-page")
def show_danger(page: Page) -> ResponseReturnValue:
    """Show the danger zone; a POST makes the page private or public."""
    if request.method != "POST":
        return render("settings_danger.html", page=page, name=_name(page))
    is_public = request.form.get("public") == "yes"
    pages.update_page(page.id, {"is_public": is_public}, current_change())
    said = gettext("The page is public.") if is_public else gettext("The page is private.")
    return redirect_to("show_danger", said, page)


class DeletionForm(Form):
    ticker = StringField()


def _name(page: Page) -> str:
    return isolate(f"${drop_dollar_signs(page.token_symbol)}")


def _fold(ticker: str) -> str:
    """Return a ticker for comparison: double-clicking one also copies its isolating characters."""
    return drop_dollar_signs(fold(ticker))


@page_route(
    "/settings/danger/delete",
    methods=FORM,
    needs="owner",
    confirms=True,
    help="owners#hide-or-delete-a-page",
)
def delete_page(page: Page) -> ResponseReturnValue:
    """Delete a page after asking for its ticker and naming the sites that show it."""
    form, now = DeletionForm(), runtime().clock()
    ticker = drop_dollar_signs(page.token_symbol)
    form.ticker.label.text = gettext("Type %(ticker)s to continue", ticker=isolate(ticker))
    if form.validate_on_submit():
        if _fold(form.ticker.data or "") == _fold(ticker):
            pages.delete_page(page.id, current_change())
            said = gettext("%(name)s has been deleted.", name=name_page(page))
            restore = url_for("dashboard.restore_page", page_id=page.id)
            flash({"sentence": said, "action": restore}, "undo")  # type: ignore[arg-type]  # any JSON
            return redirect(url_for("dashboard.list_pages"), 303)
        form.ticker.errors = [gettext("This isn't the page's ticker.")]
    return render(
        "page_delete.html",
        page=page,
        form=form,
        name=_name(page),
        keys=[key for key in list_keys(page.id) if not key.revoked_at],
        is_shared=is_shared(page.id),
        wallet_count=count_wallets(page),
        hour_ago=now - timedelta(hours=1),
    )
