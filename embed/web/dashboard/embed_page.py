"""Embed: a key for a site with the code to paste, the look with a preview, the public link."""

from collections.abc import Sequence
from typing import Any

from flask import Response, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import IntegerField, SelectField, StringField
from wtforms.validators import InputRequired, NumberRange, Optional

from embed.db.models import ApiKey, Page
from embed.domain.colors import DEFAULT_ACCENT
from embed.domain.origins import find_meant_origin
from embed.keys import derived, management
from embed.pages import change_look
from embed.translations import LANGUAGES
from embed.web.current import own_origin, runtime
from embed.web.dashboard.access import current_person, open_page
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.filters import explain_changes, name_key
from embed.web.dashboard.look_form import (
    PRESETS,
    SWATCHES,
    LookForm,
    explain_accent,
    make_look_form,
)
from embed.web.dashboard.responses import Form, redirect_to, render, show_mistakes
from embed.web.languages import gettext, lazy_gettext
from embed.web.snippets import (
    ARGUMENTS,
    DEFAULT_HEIGHT,
    build_link,
    build_path,
    build_snippets,
)

PLACEHOLDER = "PASTE_YOUR_PUBLIC_KEY"
MIN_HEIGHT, MAX_HEIGHT = 200, 4000
# Labels by value; the type stubs of WTForms do not support this form.
_LANGUAGES: Any = {"": lazy_gettext("As the visitor's browser")} | LANGUAGES


class SnippetForm(Form):
    """A GET form, so that it works without a script."""

    class Meta:
        csrf = False

    lang = SelectField(lazy_gettext("Language"), choices=_LANGUAGES)
    height = IntegerField(
        lazy_gettext("Height in pixels"),
        [
            Optional(),
            NumberRange(MIN_HEIGHT, MAX_HEIGHT, lazy_gettext("From %(min)s to %(max)s pixels.")),
        ],
        default=DEFAULT_HEIGHT,
    )


class SiteForm(Form):
    site = StringField(
        lazy_gettext("Address of your site"),
        [InputRequired(lazy_gettext("Which site is it for?"))],
        description=lazy_gettext(
            "As the address bar shows it: https://www.example.com. With and without www"
            " are two sites; more can be added under API keys."
        ),
    )
    label = StringField(
        lazy_gettext("Label (optional)"),
        description=lazy_gettext("What the key is for, such as Blog. Only you see it."),
    )


@blueprint.route("/pages/<page_id>/embed", methods=["GET", "POST"])
def show_embed(page_id: str) -> ResponseReturnValue:
    """Show what a site needs; a POST creates a public key for one site and shows it this once."""
    page = open_page(page_id)
    form = SiteForm()
    if form.validate_on_submit():
        raw_site = form.site.data or ""
        if "meant" in request.form:  # the button beside a refusal
            raw_site = find_meant_origin(raw_site) or raw_site
        with show_mistakes(form, origins="site"):
            made = management.create_key(
                page.id,
                "public",
                raw_origins=[raw_site],
                raw_label=form.label.data,
                now=runtime().clock(),
                actor=current_person().email,
            )
            return render_embed(page, SiteForm(None), made, explain_changes([raw_site]))
    return render_embed(page, form)


def render_embed(
    page: Page,
    form: SiteForm,
    made: tuple[ApiKey, str] | None = None,
    notes: Sequence[str] = (),
) -> Response:
    """Render the tab Install; with `made`, a new key and its text are in this response only."""
    snippet_form = _read_snippet_form()
    lang = "" if snippet_form.lang.errors else snippet_form.lang.data
    height = _read_height(snippet_form)
    api_key, key = made or (None, PLACEHOLDER)
    return render(
        "embed.html",
        page=page,
        snippet_form=snippet_form,
        site_form=form,
        meant_site=find_meant_origin(form.site.data or "") if form.site.errors else None,
        api_key=api_key,
        key=key,
        notes=notes,
        placeholder=PLACEHOLDER,
        chosen=request.query_string.decode("ascii", "ignore"),
        height=height,
        snippets=build_snippets(page, key, height=height, lang=lang),
        address=own_origin() + build_path(page, key, lang=lang),
        key_names=_name_public_keys(page),
        status=201 if made else 422 if form.errors else 200,
        shows_secret=made is not None,
    )


@blueprint.get("/pages/<page_id>/embed/look")
def show_look(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    return _render_look(page, make_look_form(page.look))


@blueprint.post("/pages/<page_id>/embed/look")
def save_look(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    form = LookForm()
    if form.validate():
        with show_mistakes(form):
            change_look(page.id, form.read_texts(), runtime().clock(), actor=current_person().email)
            return redirect_to(
                "show_look",
                gettext("Saved. Every site shows it; no snippet has to be pasted again."),
                page,
            )
    return _render_look(page, form)


def _render_look(page: Page, form: LookForm) -> Response:
    response = render(
        "embed_look.html",
        page=page,
        form=form,
        presets=PRESETS,
        swatches=SWATCHES,
        accent_sentences=explain_accent(page.look.accent),
    )
    # As same-origin, but the preview's signing window can answer it.
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    return response


@blueprint.get("/pages/<page_id>/embed/share")
def show_share(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    shared, link = derived.is_shared(page.id), build_link(page.id)
    return render("embed_share.html", page=page, is_shared=shared, link=link)


@blueprint.post("/pages/<page_id>/embed/share")
def share_page(page_id: str) -> ResponseReturnValue:
    """Make the page public by link, or end its link."""
    page = open_page(page_id)
    now, actor = runtime().clock(), current_person().email
    if request.form.get("shared") == "yes":
        derived.share_page(page.id, now, actor=actor)
        said = gettext("The page is public by link.")
    else:
        derived.stop_sharing(page.id, now, actor=actor)
        said = gettext("The page is no longer public by link.")
    return redirect_to("show_share", said, page)


@blueprint.get("/pages/<page_id>/embed/preview")
def show_preview(page_id: str) -> ResponseReturnValue:
    """Lead the preview's frame to the widget, with the page's preview key and what is chosen.

    A route of its own, so that creating a key writes nothing but that key.
    """
    page = open_page(page_id)
    key = derived.get_preview_key(page.id, runtime().settings.secret_keys[0], runtime().clock())
    chosen = {name: request.args[name] for name in ARGUMENTS if name in request.args}
    return redirect(build_path(page, key, **chosen))


@blueprint.get("/pages/<page_id>/embed/contrast")
def show_contrast(page_id: str) -> ResponseReturnValue:
    """Say what an accent is used as, for the script that follows the choices."""
    page = open_page(page_id)
    chosen = {"accent": request.args.get("accent") or DEFAULT_ACCENT}
    return {"sentences": explain_accent(page.look.override(chosen).accent)}


def _read_snippet_form() -> SnippetForm:
    chosen = MultiDict(request.args)
    chosen.setdefault("lang", "")
    form = SnippetForm(chosen)
    form.validate()
    return form


def _read_height(form: SnippetForm) -> int:
    return DEFAULT_HEIGHT if form.height.errors else int(form.height.data or DEFAULT_HEIGHT)


def _name_public_keys(page: Page) -> dict[str, str]:
    """Return the names of the live public keys, by their first characters."""
    keys = management.list_keys(page.id)
    live = (key for key in keys if key.tier == "public" and key.revoked_at is None)
    return {key.display_prefix: name_key(key) for key in live}
