"""The setup of a new page on one screen: token, site and first wallets, then the snippet."""

from flask import Response, request
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, HiddenField, StringField
from wtforms.validators import InputRequired, Length, Optional

from embed.db.models import ApiKey, Page
from embed.errors import InvalidInput
from embed.wallets.drafts import Draft, look_up_draft, read_draft, set_up_page
from embed.web import rate_limits
from embed.web.current import runtime
from embed.web.dashboard.access import current_change, current_person
from embed.web.dashboard.embed_page import SiteForm, read_snippet_form, write_snippet
from embed.web.dashboard.responses import (
    AddressField,
    advise_on_mint,
    render,
    show_mistakes,
    write_mistake,
)
from embed.web.dashboard.routes import FORM, PAGE_CREATOR, route
from embed.web.dashboard.wallets import LOOK_UPS_PER_PERSON
from embed.web.languages import gettext, lazy_gettext
from embed.web.snippets import build_link


class SetupForm(SiteForm):
    token_mint = AddressField(lazy_gettext("Token"), [InputRequired()])
    token_name = StringField(lazy_gettext("Token name"), [Optional(), Length(max=100)])
    token_symbol = StringField(
        lazy_gettext("Ticker"),
        [Optional(), Length(max=20)],
        description=lazy_gettext("Without the $ sign."),
    )
    draft = HiddenField()
    site = StringField(
        lazy_gettext("Site"),
        [Optional()],
        description=lazy_gettext("No site yet? Leave this empty and share a link instead."),
    )
    holders = BooleanField(default=True)

    @property
    def advice(self) -> str:
        return advise_on_mint(self.token_mint.data)


@route("/pages/new", methods=FORM, needs=PAGE_CREATOR, help="owners#create-a-page", keeps_text=True)
def create_page() -> ResponseReturnValue:
    """Show what the chain says about the token, and only then create the page with its key."""
    form = SetupForm()
    if not form.validate_on_submit():
        return _render(form)
    mint = form.token_mint.data or ""
    draft = read_draft(form.draft.data or "", runtime().signer)
    is_shown = not form.draft.data or (draft is not None and draft.mint == mint)
    if not (is_shown and form.token_name.data and form.token_symbol.data):
        return _look_up(form, mint)
    addresses = [address for address, _ in draft.holders] if draft and form.holders.data else []
    with show_mistakes(form, origins="site"):
        page, made = set_up_page(
            current_person(),
            {name: form[name].data for name in ("token_name", "token_symbol", "token_mint")},
            current_change(),
            addresses=addresses,
            raw_origins=form.list_sites() if (form.site.data or "").strip() else (),
        )
        return _render_done(page, made, len(addresses))
    return _render(form, draft)


def _look_up(form: SetupForm, mint: str) -> Response:
    draft, problem = None, None
    with show_mistakes(form):
        if runtime().chain is not None:
            if rate_limits.find_wait("look_up", LOOK_UPS_PER_PERSON, current_person().id):
                raise InvalidInput(gettext("Please wait a minute."))
            draft, mistake = look_up_draft(mint, runtime())
            problem = write_mistake(mistake) if mistake else None
    for field, found in (
        (form.token_name, draft and draft.name),
        (form.token_symbol, draft and draft.symbol),
    ):
        field.data = found or field.data
        if field.data:
            continue
        if draft:
            about = gettext("It isn't on the chain. Enter it here."), field.description
            field.description = " ".join(map(str, about)).strip()
        if field.name in request.form and not form.token_mint.errors:  # it was there to fill in
            field.errors = [gettext("This field is required.")]
    return _render(form, draft, problem)


def _render(form: SetupForm, draft: Draft | None = None, problem: str | None = None) -> Response:
    form.draft.data = draft.sign(runtime().signer) if draft else ""
    return render("setup.html", form=form, draft=draft, problem=problem)


def _render_done(page: Page, made: tuple[ApiKey, str] | None, wallet_count: int) -> Response:
    api_key, key = made or (None, None)
    form = read_snippet_form([api_key] if api_key else [])
    return render(
        "setup_done.html",
        new_page=page,
        api_key=api_key,
        is_new=True,
        snippet_form=form,
        wallet_count=wallet_count,
        link=build_link(page.id),
        **(write_snippet(page, form, api_key, key) if api_key else {}),
        status=201,
        shows_secret=True,
    )
