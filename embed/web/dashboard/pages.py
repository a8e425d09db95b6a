"""The owner's pages: create, settings, delete and restore."""

from typing import Any

from flask import redirect, url_for
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, StringField, SubmitField, TextAreaField
from wtforms.validators import InputRequired, Length, Optional

from embed import pages
from embed.balances.tokens import propose_token
from embed.errors import InvalidInput
from embed.web.current import runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_person import current_person, open_page
from embed.web.dashboard.responses import Form, add_error, redirect_with_message, render
from embed.web.languages import gettext, lazy_gettext


class PageForm(Form):
    token_name = StringField(lazy_gettext("Token name"), [InputRequired(), Length(max=100)])
    token_symbol = StringField(
        lazy_gettext("Ticker"),
        [InputRequired(), Length(max=20)],
        description=lazy_gettext("Without the $ sign."),
    )
    token_mint = StringField(
        lazy_gettext("Mint address"),
        [InputRequired(), Length(max=60)],
        description=lazy_gettext("Base58, 32 to 44 characters."),
    )
    public_title = StringField(lazy_gettext("Title"), [Optional(), Length(max=200)])
    public_comments = TextAreaField(lazy_gettext("Comment"), [Optional(), Length(max=2000)])
    is_public = BooleanField(
        lazy_gettext("Public"), default=True, description=lazy_gettext("Off: only you can see it.")
    )
    is_embeddable = BooleanField(
        lazy_gettext("Embedding"),
        default=True,
        description=lazy_gettext("Off: the widget and the API answer 403."),
    )
    submit = SubmitField(lazy_gettext("Save"))


def _strip(raw: str | None) -> str | None:
    return raw and raw.strip()


class LookedUpPageForm(PageForm):
    """The form of a new page, where the chain can be asked for names."""

    token_name = StringField(
        lazy_gettext("Token name"),
        [Optional(), Length(max=100)],
        filters=[_strip],
        description=lazy_gettext("Leave it empty to look it up by the mint address."),
    )
    token_symbol = StringField(
        lazy_gettext("Ticker"),
        [Optional(), Length(max=20)],
        filters=[_strip],
        description=lazy_gettext("Without the $ sign. Leave it empty to look it up."),
    )


@blueprint.route("/pages/new", methods=["GET", "POST"])
def create_page() -> ResponseReturnValue:
    form = PageForm() if runtime().chain is None else LookedUpPageForm()
    if form.validate_on_submit():
        if not (form.token_name.data and form.token_symbol.data):
            return _propose_names(form)
        owner = current_person()
        try:
            page = pages.create_page(owner, _read(form), runtime().clock(), actor=owner.email)
        except InvalidInput as mistake:
            add_error(form, mistake)
        else:
            return redirect_with_message(
                gettext("The page has been created. Next, it needs a key."),
                url_for("dashboard.show_embed", page_id=page.id),
            )
    return render("page_form.html", form=form, status=422 if form.errors else 200)


def _propose_names(form: PageForm) -> ResponseReturnValue:
    """Show the form again, with the names that the chain has; the owner confirms them."""
    is_proposed = False
    try:
        info = propose_token(runtime().chain, form.token_mint.data or "")
    except InvalidInput as mistake:
        add_error(form, mistake)
    else:
        for field, found in ((form.token_name, info.name), (form.token_symbol, info.symbol)):
            if not field.data and found is None:
                field.errors = [gettext("The chain does not have it; enter it here.")]
            elif not field.data:
                field.data, is_proposed = found, True
    status = 422 if form.errors else 200
    return render("page_form.html", form=form, is_proposed=is_proposed, status=status)


@blueprint.route("/pages/<page_id>/settings", methods=["GET", "POST"])
def edit_page(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    form = PageForm(obj=page)
    if form.validate_on_submit():
        try:
            pages.update_page(page.id, _read(form), runtime().clock(), actor=current_person().email)
        except InvalidInput as mistake:
            add_error(form, mistake)
        else:
            return redirect_with_message(
                gettext("Saved."), url_for("dashboard.edit_page", page_id=page.id)
            )
    return render("page_form.html", page=page, form=form, status=422 if form.errors else 200)


@blueprint.get("/pages/<page_id>/")
def show_page(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    return redirect(url_for("dashboard.show_queue", page_id=page.id))


@blueprint.post("/pages/<page_id>/delete")
def delete_page(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    pages.delete_page(page.id, runtime().clock(), actor=current_person().email)
    return redirect_with_message(
        gettext("%(name)s has been deleted. You can restore it for 30 days.", name=page.token_name),
        url_for("dashboard.list_pages"),
    )


@blueprint.post("/pages/<page_id>/restore")
def restore_page(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id, deleted=True)
    pages.restore_page(page.id, runtime().clock(), actor=current_person().email)
    return redirect_with_message(
        gettext("%(name)s has been restored.", name=page.token_name),
        url_for("dashboard.list_pages"),
    )


def _read(form: PageForm) -> dict[str, Any]:
    return {
        name: value for name, value in form.data.items() if name not in ("submit", "csrf_token")
    }
