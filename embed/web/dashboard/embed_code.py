"""The snippet that owners paste into their site, and a preview of it."""

import re
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import urlencode

from flask import request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict
from wtforms import SelectField, StringField
from wtforms.validators import Optional, Regexp

from embed.db.models import Page
from embed.keys.preview import get_preview_key
from embed.translations import LANGUAGES
from embed.web.current import own_origin, runtime
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.current_owner import get_own_page
from embed.web.dashboard.responses import Form, render
from embed.web.languages import name_language

PLACEHOLDER = "PASTE_YOUR_PUBLIC_KEY"
# Labels by value; the type stubs of WTForms do not support this form.
_THEMES: Any = {"": "As the visitor's device", "light": "Light", "dark": "Dark"}


@dataclass(frozen=True, slots=True)
class Snippets:
    frame: str
    script: str  # adapts the frame's height to its content


_LANGUAGES: Any = {"": "As the visitor's browser"} | {
    code: name_language(code) for code in LANGUAGES
}


class LookForm(Form):
    """A GET form, so that it works without a script."""

    class Meta:
        csrf = False

    theme = SelectField("Theme", choices=_THEMES)
    accent = StringField(
        "Accent color",
        [Optional(), Regexp(re.compile(r"#?[0-9a-fA-F]{6}\Z"), message="Six hex digits.")],
        description="Six hex digits, such as 7c4ddb, for buttons; empty: the widget's own.",
    )
    lang = SelectField("Language", choices=_LANGUAGES)


@blueprint.get("/pages/<page_id>/embed")
def show_embed(page_id: str) -> ResponseReturnValue:
    page = get_own_page(page_id)
    form = LookForm(MultiDict({"theme": "", "lang": ""} | request.args.to_dict()))
    form.validate()
    look = _read_look(form)
    key = get_preview_key(page.id, runtime().settings.secret_keys[0], runtime().clock())
    response = render(
        "embed.html",
        page=page,
        form=form,
        placeholder=PLACEHOLDER,
        snippets=build_snippets(page, PLACEHOLDER, **look),
        preview_url=f"/embed/tracking/{page.id}?{urlencode({'key': key} | look)}",
    )
    # As same-origin, but the preview's signing window can answer it.
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin-allow-popups"
    return response


def build_snippets(page: Page, key: str, **look: str) -> Snippets:
    """Return the HTML to paste; `look` are the widget's query arguments."""
    origin = own_origin()
    url = f"{origin}/embed/tracking/{page.id}?{urlencode({'key': key} | look)}"
    title = page.public_title or f"{page.token_name} wallets"
    return Snippets(
        frame=(
            f'<iframe src="{escape(url)}"\n'
            f'        title="{escape(title)}" width="100%" height="600" style="border: 0"\n'
            '        referrerpolicy="strict-origin"></iframe>'
        ),
        script=f'<script src="{origin}/embed.js" async></script>',
    )


def _read_look(form: LookForm) -> dict[str, str]:
    """Return the valid values that were chosen."""
    return {
        field.name: field.data.removeprefix("#").lower()
        for field in form
        if field.data and not field.errors
    }
