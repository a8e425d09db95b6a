"""Embed: a key for a site with the code to paste, the look with a preview, the public link."""

from collections.abc import Sequence
from typing import Any

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue
from msgspec import UNSET, UnsetType
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, IntegerField, RadioField, SelectField, StringField
from wtforms.validators import InputRequired, NumberRange, Optional

from embed import logos
from embed.db.models import ApiKey, Page
from embed.domain.origins import correct_entry, find_twin, parse_origin
from embed.keys import derived, management
from embed.pages import change_look
from embed.translations import LANGUAGES
from embed.web.current import runtime
from embed.web.dashboard.access import current_change, get_own_key
from embed.web.dashboard.filters import name_key
from embed.web.dashboard.look_form import PRESETS, SWATCHES, LookForm, make_look_form
from embed.web.dashboard.responses import Choices, Form, redirect_to, render, show_mistakes
from embed.web.dashboard.routes import page_route
from embed.web.dashboard.wallet_files import MAX_UPLOAD_BYTES
from embed.web.languages import gettext, lazy_gettext
from embed.web.pictures.addresses import locate_logo
from embed.web.snippets import ARGUMENTS, HEIGHTS, build_link, build_path, build_snippet

MIN_HEIGHT, MAX_HEIGHT = 200, 4000
NEW = "new"
KINDS = ("html", "react")  # of code; site builders take HTML
_KINDS: Choices = {"html": "HTML"} | {
    name.lower(): name for name in ("React", "WordPress", "Hugo", "Jekyll")
}
_SIZES: Choices = {"list": lazy_gettext("List"), "strip": lazy_gettext("Strip")}
_LANGUAGES: Choices = {"": lazy_gettext("The visitor's browser language")} | LANGUAGES


class SnippetForm(Form):
    """A GET form, so that it works without a script."""

    class Meta:
        csrf = False

    key = SelectField(lazy_gettext("Site"))
    size = RadioField(lazy_gettext("Size"), choices=_SIZES)
    kind = SelectField(lazy_gettext("Format"), choices=_KINDS)
    script = BooleanField(lazy_gettext("Include the script for height and theme"))
    lang = SelectField(lazy_gettext("Language"), choices=_LANGUAGES)
    height = IntegerField(
        lazy_gettext("Height in pixels"),
        [
            Optional(),
            NumberRange(MIN_HEIGHT, MAX_HEIGHT, lazy_gettext("From %(min)s to %(max)s pixels.")),
        ],
        default=HEIGHTS["list"],
    )


class SiteForm(Form):
    site = StringField(
        lazy_gettext("Address of your site"),
        [InputRequired(lazy_gettext("Enter the address of the site."))],
        description=lazy_gettext("As the address bar shows it. https is assumed."),
    )
    www = BooleanField(lazy_gettext("Also with www, or without it"), default=True)

    def list_sites(self) -> list[str]:
        site = correct_entry(self.site.data or "")
        twin = find_twin(parse_origin(site) or "") if self.www.data else None
        return [site, twin] if twin else [site]


@page_route("/embed", needs="editor", help="owners#put-it-on-your-site")
def show_embed(page: Page) -> ResponseReturnValue:
    return render_embed(page, SiteForm(None))


@page_route(
    "/embed",
    methods=["POST"],
    needs="owner",
    confirms=True,
    help="owners#put-it-on-your-site",
    keeps_text=True,
)
def create_site_key(page: Page) -> ResponseReturnValue:
    """Create a public key, for a new site or for those of a named key, and show it this once."""
    form = SiteForm()
    if "renewed" in request.form:
        key = get_own_key(page, request.form["renewed"])
        made = management.renew_key(key, current_change())
        return render_embed(page, SiteForm(None), made)
    if form.validate():
        with show_mistakes(form, origins="site"):
            made = management.create_key(
                page.id, "public", current_change(), raw_origins=form.list_sites()
            )
            return render_embed(page, SiteForm(None), made)
    return render_embed(page, form)


def render_embed(
    page: Page,
    site_form: SiteForm,
    made: tuple[ApiKey, str] | None = None,
    notes: Sequence[str] = (),
) -> Response:
    """Render the Install tab; `made` is a new key and its text, shown in this response only."""
    keys = _list_shown_keys(page, made and made[0])
    form = read_snippet_form(keys)
    form.key.data = made[0].id if made else NEW if site_form.errors else form.key.data
    shown = next((key for key in keys if key.id == form.key.data), None)
    return render(
        "embed.html",
        page=page,
        snippet_form=form,
        site_form=site_form,
        api_key=shown,
        is_new=made is not None,
        notes=notes,
        **(write_snippet(page, form, shown, made[1] if made else None) if shown else {}),
        status=201 if made else 422 if site_form.errors else 200,
        shows_secret=made is not None,
    )


def write_snippet(
    page: Page, form: SnippetForm, api_key: ApiKey, key: str | None
) -> dict[str, Any]:
    """Return the chosen code and, for the script, all the codes to choose from.

    Only a key's first characters are stored, so without a new `key`, the code has just those.
    `last_seen` is the key with which one of its sites was last seen.
    """
    start = api_key.display_prefix

    def write(**chosen: Any) -> str:
        text = build_snippet(page, key or start, **chosen)
        return text if key else text.replace(f"key={start}", f"key={start}…")

    texts = {
        f"{kind} {size}": [write(kind=kind, size=size, has_script=has) for has in (False, True)]
        for kind in KINDS
        for size in HEIGHTS
    }
    return {
        "snippets": texts | {"height": HEIGHTS["list"], "key": key or f"{start}…"},
        "last_seen": management.find_last_used(api_key),
        "own_path": url_for("dashboard.show_embed", page_id=page.id, key=api_key.id),
        "snippet": write(
            kind=form.kind.data if form.kind.data in KINDS else KINDS[0],
            size=form.size.data,
            has_script=form.script.data,
            height=None if form.height.errors else form.height.data,
            lang="" if form.lang.errors else form.lang.data,
        ),
    }


def _list_shown_keys(page: Page, made: ApiKey | None) -> list[ApiKey]:
    """Return live public keys, newest first; of those for the same sites, only the newest."""
    live = [
        key
        for key in management.list_keys(page.id)
        if key.tier == "public" and key.revoked_at is None
    ]
    newest = {
        (key.origins, key.allow_null_origin): key for key in [*live, *([made] if made else [])]
    }
    return sorted(newest.values(), key=lambda key: key.created_at, reverse=True)


@page_route("/embed/look", needs="editor", help="embedding#look")
def show_look(page: Page) -> ResponseReturnValue:
    return _render_look(page, make_look_form(page.look))


@page_route(
    "/embed/look",
    methods=["POST"],
    needs="editor",
    max_upload_bytes=MAX_UPLOAD_BYTES,
    keeps_text=True,
)
def save_look(page: Page) -> ResponseReturnValue:
    form = LookForm()
    if form.validate():
        with show_mistakes(form):
            logo = _read_logo(form)
            change_look(page.id, form.read_texts(), current_change(), logo=logo)
            return redirect_to(
                "show_look",
                gettext("Saved. Every site shows it; you don't have to change any snippet."),
                page,
            )
    return _render_look(page, form)


def _read_logo(form: LookForm) -> bytes | UnsetType | None:
    """Return the new logo, or None to remove it, or UNSET. Raises InvalidInput."""
    file = request.files.get("logo")
    if file is not None and file.filename:
        return logos.draw_logo(file.read(logos.MAX_BYTES + 1))
    return None if form.removes_logo.data else UNSET


def _render_look(page: Page, form: LookForm) -> Response:
    response = render(
        "embed_look.html",
        page=page,
        form=form,
        presets=PRESETS,
        swatches=SWATCHES,
        logo=locate_logo(page),
    )
    # Like same-origin, but the preview's signing window can answer it.
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    return response


@page_route("/embed/share", needs="editor", help="owners#share-link")
def show_share(page: Page) -> ResponseReturnValue:
    shared, link = derived.is_shared(page.id), build_link(page.id)
    return render("embed_share.html", page=page, is_shared=shared, link=link)


@page_route("/embed/share", methods=["POST"], needs="owner", confirms=True)
def share_page(page: Page) -> ResponseReturnValue:
    """Turn the page's share link on or off."""
    if request.form.get("shared") == "yes":
        derived.share_page(page.id, current_change())
        said = gettext("The share link is on.")
    else:
        derived.stop_sharing(page.id, current_change())
        said = gettext("The share link is off.")
    return redirect_to("show_share", said, page)


@page_route("/embed/preview", needs="editor", is_visit=False)
def show_preview(page: Page) -> ResponseReturnValue:
    """Redirect the preview's frame to the widget, with its key and the choices made.

    A separate route, so creating a key writes nothing but that key.
    """
    key = derived.get_preview_key(page.id, runtime().secret_keys[0], runtime().clock())
    chosen = {name: request.args[name] for name in ARGUMENTS if name in request.args}
    return redirect(build_path(page, key, **chosen))


def read_snippet_form(keys: Sequence[ApiKey]) -> SnippetForm:
    chosen = MultiDict(request.args)
    if "kind" not in chosen:  # nothing is chosen yet
        chosen.update({"kind": KINDS[0], "script": "y"})
    chosen.setdefault("lang", "")
    if chosen.get("size") not in HEIGHTS:
        chosen["size"] = "list"
    if chosen.get("key") not in (NEW, *(key.id for key in keys)):
        chosen["key"] = keys[0].id if keys else NEW
    form = SnippetForm(chosen)
    form.key.choices = [(key.id, ", ".join(key.origins) or name_key(key)) for key in keys]
    form.key.choices.append((NEW, gettext("Add a site…")))
    form.validate()
    return form
