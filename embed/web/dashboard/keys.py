"""The page's keys: creating, labels, allowlists, refused sites and revoking."""

from typing import Any

from flask import request
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from wtforms import BooleanField, StringField, TextAreaField
from wtforms.validators import ValidationError

from embed.db.models import ApiKey, Page
from embed.domain.identifiers import Tier
from embed.domain.origins import correct_entry, parse_allowlist_entry
from embed.errors import InvalidInput
from embed.keys import management, refused_origins
from embed.keys.access import USE_STORED_EVERY
from embed.web.current import runtime
from embed.web.dashboard.access import current_change, get_own_key
from embed.web.dashboard.embed_page import SiteForm, render_embed
from embed.web.dashboard.filters import name_key
from embed.web.dashboard.responses import (
    Form,
    redirect_to,
    render,
    show_mistakes,
    write_mistake,
)
from embed.web.dashboard.routes import FORM, page_route
from embed.web.languages import gettext, lazy_gettext

HELP = "owners#api-keys"
NULL_WARNING = lazy_gettext(
    "For files opened from disk and sandboxed frames. Browsers can't name such places, so this "
    "lets every website show the list with this key, and any program that has the key use it."
)


class KeyForm(Form):
    """The form of a secret key; a public one has sites, too."""

    label = StringField(
        lazy_gettext("Label (optional)"),
        description=lazy_gettext("What the key is for, such as Blog. Visitors don't see it."),
    )


class OriginsForm(KeyForm):
    origins = TextAreaField(
        lazy_gettext("Sites"),
        description=lazy_gettext(
            "One per line, as the address bar shows it: https://www.example.com. With and without"
            " www are two different sites, and so are http and https."
        ),
    )
    allow_null_origin = BooleanField(
        lazy_gettext("Allow the null origin"), description=NULL_WARNING
    )

    def validate_origins(self, field: TextAreaField) -> None:
        """Report the mistakes of all lines, not only the first."""
        if "meant" in request.form:  # the button beside the refusals
            field.data = "\n".join(correct_entry(line) for line in read_lines(field.data))
        mistakes = []
        for raw in read_lines(field.data):
            try:
                parse_allowlist_entry(raw)
            except InvalidInput as mistake:
                mistakes.append(write_mistake(mistake))
        if mistakes:
            raise ValidationError(" ".join(mistakes))
        if not read_lines(field.data) and not self.allow_null_origin.data:
            raise ValidationError(
                gettext("Enter at least one site; without one, the key works nowhere.")
            )

    def list_meant(self) -> list[str]:
        """Return corrections of refused lines, where their meaning is certain."""
        lines = read_lines(self.origins.data)
        return [correct_entry(line) for line in lines if correct_entry(line) != line]


def read_lines(text: str | None) -> list[str]:
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


@page_route("/settings/keys", needs="owner", confirms=True, help=HELP)
def list_keys(page: Page) -> ResponseReturnValue:
    keys = management.list_keys(page.id)
    return render(
        "keys.html",
        page=page,
        live=[key for key in keys if key.revoked_at is None],
        revoked=[key for key in keys if key.revoked_at is not None],
        refusals=refused_origins.list_refused_origins(page.id),
        hour_ago=runtime().clock() - USE_STORED_EVERY,
    )


@page_route(
    "/settings/keys/new/<any(public, secret):tier>",
    methods=FORM,
    needs="owner",
    confirms=True,
    help=HELP,
    keeps_text=True,
)
def create_key(page: Page, tier: Tier) -> ResponseReturnValue:
    """Create a key and show it in this response, to keep it out of addresses and cookies."""
    form = OriginsForm() if tier == "public" else KeyForm()
    if form.validate_on_submit():
        with show_mistakes(form):
            made = management.create_key(page.id, tier, current_change(), **_read(form))
            if tier == "public":
                return render_embed(page, SiteForm(None), made, _explain_changes(form))
            api_key, key = made
            return render(
                "key_created.html",
                page=page,
                key=key,
                api_key=api_key,
                status=201,
                shows_secret=True,
            )
    return render("key_form.html", page=page, form=form, tier=tier)


@page_route(
    "/settings/keys/<key_id>/edit",
    methods=FORM,
    needs="owner",
    confirms=True,
    help=HELP,
    keeps_text=True,
)
def edit_key(page: Page, key_id: str) -> ResponseReturnValue:
    """Change the label of a key, and the sites of a public one."""
    key = _get_changeable(page, key_id)
    form = _make_edit_form(key)
    if form.validate_on_submit():
        with show_mistakes(form):
            management.change_key(key.id, current_change(), **_read(form))
            message = " ".join([gettext("The key is saved."), *_explain_changes(form)])
            return redirect_to("list_keys", message, page)
    return render("key_form.html", page=page, form=form, key=key, tier=key.tier)


def _make_edit_form(key: ApiKey) -> FlaskForm:
    if key.tier == "secret":
        return KeyForm(label=key.label)
    return OriginsForm(
        label=key.label,
        origins="\n".join(key.origins),
        allow_null_origin=key.allow_null_origin,
    )


@page_route("/settings/keys/<key_id>/revoke", methods=FORM, needs="owner", confirms=True, help=HELP)
def revoke_key(page: Page, key_id: str) -> ResponseReturnValue:
    key = get_own_key(page, key_id)
    if request.method != "POST":
        hour_ago = runtime().clock() - USE_STORED_EVERY
        return render("key_revoke.html", page=page, key=key, hour_ago=hour_ago)
    management.revoke_key(key.id, current_change())
    return redirect_to(
        "list_keys", gettext("The key %(name)s has been revoked.", name=name_key(key)), page
    )


@page_route("/settings/keys/<key_id>/allow", methods=["POST"], needs="owner", confirms=True)
def allow_origin(page: Page, key_id: str) -> ResponseReturnValue:
    """Add a refused site to the key's allowlist."""
    key = _get_changeable(page, key_id)
    origin = request.form.get("origin", "")
    management.allow_origin(key.id, origin, current_change())
    return redirect_to(
        "list_keys",
        gettext("%(origin)s can now use the key %(name)s.", origin=origin, name=name_key(key)),
        page,
    )


@page_route("/settings/keys/<key_id>/forget", methods=["POST"], needs="owner")
def forget_origin(page: Page, key_id: str) -> ResponseReturnValue:
    """Delete a site from the list of refused ones; it stays refused."""
    key = get_own_key(page, key_id)
    refused_origins.forget_refused_origin(key.id, request.form.get("origin", ""))
    return redirect_to("list_keys", gettext("The entry is deleted."), page)


def _get_changeable(page: Page, key_id: str) -> ApiKey:
    """Raises NotFound, and InvalidInput for revoked keys."""
    key = get_own_key(page, key_id)
    if key.revoked_at is not None:
        raise InvalidInput(
            "The key %(name)s has been revoked. Create a new one.", name=name_key(key)
        )
    return key


def _read(form: FlaskForm) -> dict[str, Any]:
    label = {"raw_label": form.label.data}
    if isinstance(form, OriginsForm):
        return label | {
            "raw_origins": read_lines(form.origins.data),
            "allow_null_origin": bool(form.allow_null_origin.data),
        }
    return label


def _explain_changes(form: FlaskForm) -> list[str]:
    """Return a sentence for each accepted site that is stored in another form than typed."""
    lines = read_lines(form.origins.data) if isinstance(form, OriginsForm) else []
    origins = {raw: parse_allowlist_entry(raw) for raw in lines}
    return [
        gettext("%(typed)s was saved as %(origin)s.", typed=raw, origin=origin)
        for raw, origin in origins.items()
        if raw != origin
    ]
