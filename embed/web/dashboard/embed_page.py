"""The Embed tab: a key for a site, the widget's look, the code to paste, and a preview."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import urlencode

from flask import Response, redirect, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import IntegerField, SelectField, SelectMultipleField, StringField, SubmitField
from wtforms.validators import InputRequired, NumberRange, Optional, Regexp
from wtforms.widgets import CheckboxInput, ListWidget

from embed.db.models import ApiKey, Page
from embed.domain.languages import LANGUAGES
from embed.domain.look import list_choices
from embed.errors import InvalidInput
from embed.keys import management
from embed.keys.management import get_preview_key
from embed.web.current import own_origin, runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_owner import current_owner, get_own_page
from embed.web.dashboard.filters import explain_changes, name_key
from embed.web.dashboard.responses import Form, add_error, render

DEFAULT_HEIGHT = 600  # pixels
# By theme. Behind a frame of another color scheme than its document's, browsers put a background.
COLOR_SCHEMES = {"light": "light", "dark": "dark", "auto": "light dark"}


@dataclass(frozen=True, slots=True)
class Snippets:
    frame: str
    script: str  # adapts the frame's height to its content
    react: str  # both, as a component


def build_snippets(page: Page, key: str, *, height: int = DEFAULT_HEIGHT, **look: str) -> Snippets:
    """Return what to paste; `look` are the widget's query arguments."""
    origin = own_origin()
    url = escape(f"{origin}{build_path(page, key, **look)}")
    scheme = COLOR_SCHEMES[look.get("theme", "light")]
    title = escape(page.public_title or f"{page.token_name} wallets")
    return Snippets(
        frame=(
            f'<iframe src="{url}"\n'
            f'        title="{title}" width="100%" height="{height}"'
            f' style="border: 0; display: block; color-scheme: {scheme}"\n'
            '        referrerpolicy="strict-origin"></iframe>'
        ),
        script=f'<script src="{origin}/embed.js" async></script>',
        react=(
            "export function TrackedWallets() {\n"
            "  return (\n"
            "    <>\n"
            f'      <iframe src="{url}"\n'
            f'        title="{title}" width="100%" height="{height}"'
            f' style={{{{ border: 0, display: "block", colorScheme: "{scheme}" }}}}\n'
            '        referrerPolicy="strict-origin" />\n'
            f'      <script src="{origin}/embed.js" async />\n'
            "    </>\n"
            "  );\n"
            "}"
        ),
    )


def build_path(page: Page, key: str, **look: str) -> str:
    """Return the widget's address on this service."""
    return f"/embed/tracking/{page.id}?{urlencode({'key': key} | look, safe=',')}"


PLACEHOLDER = "PASTE_YOUR_PUBLIC_KEY"
MIN_HEIGHT, MAX_HEIGHT = 200, 4000
# Labels by value; the type stubs of WTForms do not support this form.
_THEMES: Any = {
    "": "As your site",
    "auto": "As the visitor's device",
    "light": "Light",
    "dark": "Dark",
}
_LANGUAGES: Any = {"": "As the visitor's browser"} | LANGUAGES
_PART_NAMES = {
    "heading": "Token, title and comment",
    "tools": "Search, sorting and tags to choose from",
    "changes": "Changes of balances",
    "add": "“Add your wallet”",
}
_PARTS: Any = {part: _PART_NAMES[part] for part in list_choices("hide")}


class LookForm(Form):
    """A GET form, so that it works without a script."""

    class Meta:
        csrf = False

    theme = SelectField(
        "Theme",
        choices=_THEMES,
        description="“As your site” needs the script line below; without it, the widget is light.",
    )
    accent = StringField(
        "Accent color",
        [Optional(), Regexp(re.compile(r"#?[0-9a-fA-F]{6}\Z"), message="Six hex digits.")],
        description="Six hex digits, such as 7c4ddb, for buttons; empty: the widget's own.",
    )
    lang = SelectField("Language", choices=_LANGUAGES)
    height = IntegerField(
        "Height in pixels",
        [
            Optional(),
            NumberRange(MIN_HEIGHT, MAX_HEIGHT, f"From {MIN_HEIGHT} to {MAX_HEIGHT} pixels."),
        ],
        default=DEFAULT_HEIGHT,
    )
    hide = SelectMultipleField(
        "Leave out",
        choices=_PARTS,
        widget=ListWidget(prefix_label=False),
        option_widget=CheckboxInput(),
    )


class SiteForm(Form):
    site = StringField(
        "Address of your site",
        [InputRequired("Which site is it for?")],
        description="As the address bar shows it: https://www.example.com. With and without www"
        " are two sites; more can be added under Keys.",
    )
    label = StringField(
        "Label (optional)", description="What the key is for, such as Blog. Only you see it."
    )
    submit = SubmitField("Create a key and its snippet")


@blueprint.route("/pages/<page_id>/embed", methods=["GET", "POST"])
def show_embed(page_id: str) -> ResponseReturnValue:
    """Show the Embed tab; a POST creates a public key for one site and shows it this once."""
    page = get_own_page(page_id)
    form = SiteForm()
    if form.validate_on_submit():
        raw_site = form.site.data or ""
        try:
            made = management.create_key(
                page.id,
                "public",
                raw_origins=[raw_site],
                raw_label=form.label.data,
                now=runtime().clock(),
                actor=current_owner().email,
            )
        except InvalidInput as mistake:
            add_error(form, mistake, origins="site")
        else:
            return render_embed(page, SiteForm(None), made, explain_changes([raw_site]))
    return render_embed(page, form)


def render_embed(
    page: Page,
    form: SiteForm,
    made: tuple[ApiKey, str] | None = None,
    notes: Sequence[str] = (),
) -> Response:
    """Render the tab; with `made`, a new key and its text are in this response only."""
    look_form = _read_look_form()
    look = _read_look(look_form)
    height = _read_height(look_form)
    api_key, key = made or (None, PLACEHOLDER)
    response = render(
        "embed.html",
        page=page,
        section="show_embed",
        form=look_form,
        site_form=form,
        api_key=api_key,
        key=key,
        notes=notes,
        placeholder=PLACEHOLDER,
        chosen=request.query_string.decode("ascii", "ignore"),
        height=height,
        snippets=build_snippets(page, key, height=height, **look),
        address=own_origin() + build_path(page, key, **look),
        key_names=_name_public_keys(page),
        status=201 if made else 422 if form.errors else 200,
        shows_secret=made is not None,
    )
    # As same-origin, but the preview's signing window can answer it.
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    return response


@blueprint.get("/pages/<page_id>/embed/preview")
def show_preview(page_id: str) -> ResponseReturnValue:
    """Lead the preview's frame to the widget, with the page's preview key.

    A route of its own, so that creating a key writes nothing but that key.
    """
    page = get_own_page(page_id)
    key = get_preview_key(page.id, runtime().settings.secret_keys[0], runtime().clock())
    return redirect(build_path(page, key, **_read_look(_read_look_form())))


def _read_look_form() -> LookForm:
    chosen = MultiDict(request.args)
    for name in ("theme", "lang"):
        chosen.setdefault(name, "")
    form = LookForm(chosen)
    form.validate()
    return form


def _read_look(form: LookForm) -> dict[str, str]:
    """Return the valid values that were chosen, as the widget's query arguments."""
    chosen = {
        field.name: field.data.removeprefix("#").lower()
        for field in (form.theme, form.accent, form.lang)
        if field.data and not field.errors
    }
    if form.hide.data and not form.hide.errors:
        chosen["hide"] = ",".join(form.hide.data)
    return chosen


def _read_height(form: LookForm) -> int:
    return DEFAULT_HEIGHT if form.height.errors else int(form.height.data or DEFAULT_HEIGHT)


def _name_public_keys(page: Page) -> dict[str, str]:
    """Return the names of the live public keys, by their first characters."""
    keys = management.list_keys(page.id)
    live = (key for key in keys if key.tier == "public" and key.revoked_at is None)
    return {key.display_prefix: name_key(key) for key in live}
