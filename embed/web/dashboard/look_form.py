"""The form of a page's look: its choices, its presets, and what an accent turns into."""

import math
from decimal import Decimal
from typing import Any

from babel.numbers import parse_pattern
from flask_wtf.file import FileField
from wtforms import BooleanField, RadioField, StringField

from embed.domain.colors import (
    BLACK,
    DARK_GROUNDS,
    DEFAULT_ACCENT,
    LIGHT_GROUNDS,
    compute_contrast,
    derive_colors,
)
from embed.domain.look import DEFAULT_LOOK, FIELDS, Look, list_choices
from embed.domain.texts import gettext_noop
from embed.web.dashboard.responses import Checkboxes, Form
from embed.web.languages import format_amount, gettext, lazy_gettext

# The fields that a preset sets; those that depend on the site or the list stay.
_STYLE = ("accent", "neutral", "radius", "density", "font", "size")
_PRESETS = {
    gettext_noop("Plain"): DEFAULT_LOOK,
    gettext_noop("Paper"): Look(accent="99543a", neutral="sand", radius=1, font="serif"),
    gettext_noop("Terminal"): Look(
        accent="30a46c", neutral="sage", radius=0, density="compact", font="mono"
    ),
    gettext_noop("Roomy"): Look(
        accent="6e56cf", neutral="gray", radius=3, density="roomy", size=18
    ),
    gettext_noop("Small"): Look(accent="0090ff", radius=1, density="compact", size=14),
    gettext_noop("Contrast"): Look(accent="000000", neutral="gray", radius=1),
}
PRESETS = {
    name: {field: preset.write_texts()[field] for field in _STYLE}
    for name, preset in _PRESETS.items()
}
_PRESET_NAMES: Any = {name: lazy_gettext(name) for name in PRESETS}
SWATCHES = {
    gettext_noop("Indigo"): DEFAULT_ACCENT,
    gettext_noop("Blue"): "0090ff",
    gettext_noop("Teal"): "12a594",
    gettext_noop("Green"): "30a46c",
    gettext_noop("Orange"): "f76b15",
    gettext_noop("Red"): "e5484d",
    gettext_noop("Violet"): "6e56cf",
    gettext_noop("Black"): "202020",
}
# For values that aren't already names, as those of explorers are.
_NAMES = {
    "slate": lazy_gettext("Slate"),
    "gray": lazy_gettext("Gray"),
    "sand": lazy_gettext("Sand"),
    "sage": lazy_gettext("Sage"),
    "0": lazy_gettext("None"),
    "1": lazy_gettext("Small"),
    "2": lazy_gettext("Medium"),
    "3": lazy_gettext("Large"),
    "compact": lazy_gettext("Compact"),
    "normal": lazy_gettext("Normal"),
    "roomy": lazy_gettext("Roomy"),
    "sans": lazy_gettext("Sans"),
    "serif": lazy_gettext("Serif"),
    "mono": lazy_gettext("Mono"),
    "rounded": lazy_gettext("Round"),
    "14": "S",
    "16": "M",
    "18": "L",
    "site": lazy_gettext("Same as the site"),
    "light": lazy_gettext("Light"),
    "dark": lazy_gettext("Dark"),
    "auto": lazy_gettext("Device"),
    "balance": lazy_gettext("Balance"),
    "newest": lazy_gettext("Newest"),
    "name": lazy_gettext("Name"),
    "listed": lazy_gettext("As listed"),
    "none": lazy_gettext("No link"),
    "hide": lazy_gettext("Not shown"),
    "beside": lazy_gettext("Next to the address"),
    "instead": lazy_gettext("Instead of the address"),
    "heading": lazy_gettext("Token, title and comment"),
    "tools": lazy_gettext("Search, sorting and tags to choose from"),
    "changes": lazy_gettext("Changes of balances"),
    "add": lazy_gettext("“Add your wallet”"),
    "joined": lazy_gettext("Who joined this week"),
}


def _name_choices(field: str) -> Any:
    """Return labels by value; the type stubs of WTForms do not support this form."""
    return {value: _NAMES.get(value, value.capitalize()) for value in list_choices(field)}


class LookForm(Form):
    logo = FileField(
        lazy_gettext("Logo"),
        description=lazy_gettext(
            "PNG, JPEG or WebP, up to 1 MB. Its middle is shown as a circle, on the list and in the"
            " picture of its share link. Without one, they show the token's first letter."
        ),
    )
    removes_logo = BooleanField(lazy_gettext("Remove the logo"))
    preset = RadioField(lazy_gettext("Start from"), choices=_PRESET_NAMES, validate_choice=False)
    accent = StringField(
        lazy_gettext("Accent color"),
        description=lazy_gettext("Six hex digits, such as 7c4ddb. Leave it empty for the default."),
    )
    neutral = RadioField(lazy_gettext("Gray"), choices=_name_choices("neutral"))
    radius = RadioField(lazy_gettext("Corners"), choices=_name_choices("radius"))
    density = RadioField(lazy_gettext("Rows"), choices=_name_choices("density"))
    font = RadioField(lazy_gettext("Font"), choices=_name_choices("font"))
    size = RadioField(lazy_gettext("Text size"), choices=_name_choices("size"))
    theme = RadioField(
        lazy_gettext("Color scheme"),
        choices=_name_choices("theme"),
        description=lazy_gettext(
            "“Same as the site” needs the snippet's script; without it, the list is light. If the"
            " site itself sets a scheme, that overrides this choice."
        ),
    )
    order = RadioField(
        lazy_gettext("Sort by"),
        choices=_name_choices("order") | {"auto": lazy_gettext("Automatic")},
        description=lazy_gettext(
            "“Automatic” means by balance once a balance is known, until then as listed."
        ),
    )
    explorer = RadioField(lazy_gettext("Link to an explorer"), choices=_name_choices("explorer"))
    hide = Checkboxes(
        lazy_gettext("Hide"),
        choices=_name_choices("hide"),
    )

    def read_texts(self) -> dict[str, str]:
        """Return the fields as a look reads them. Without a script, a preset is applied here."""
        texts = {name: self[name].data for name in FIELDS}
        texts["accent"] = (texts["accent"] or "").strip() or DEFAULT_ACCENT
        texts["hide"] = ",".join(texts["hide"])
        return texts | PRESETS.get(self.preset.data, {})


def make_look_form(look: Look) -> LookForm:
    texts: dict[str, Any] = dict(look.write_texts())
    return LookForm(None, data=texts | {"hide": look.hide})


_BLACK_LETTERS = gettext_noop("Button text is black: %(ratio)s.")
_WHITE_LETTERS = gettext_noop("Button text is white: %(ratio)s.")
# For each theme: the accent is readable, is changed for text, needs an edge on buttons.
_LIGHT = (
    gettext_noop("On light backgrounds, text and the focus ring have %(used)s."),
    gettext_noop(
        "On light backgrounds it has %(own)s, so text and the focus ring use the darker "
        "#%(color)s: %(used)s."
    ),
    gettext_noop("On light backgrounds, buttons get a border."),
)
_DARK = (
    gettext_noop("On dark backgrounds, text and the focus ring have %(used)s."),
    gettext_noop(
        "On dark backgrounds it has %(own)s, so text and the focus ring use the lighter "
        "#%(color)s: %(used)s."
    ),
    gettext_noop("On dark backgrounds, buttons get a border."),
)
_RATIO = parse_pattern("0.0")


def explain_accent(accent: str) -> list[str]:
    """Describe an accent's contrasts, and the changes that keep everything readable."""
    colors = derive_colors(accent)
    ratio = _write_ratio(compute_contrast(colors.on_fill, accent))
    on_fill = _BLACK_LETTERS if colors.on_fill == BLACK else _WHITE_LETTERS
    sentences = [gettext(on_fill, ratio=ratio)]
    if accent == DEFAULT_ACCENT:  # its shades are in static/look/tokens.css
        return sentences
    for (readable, changed, edged), shades, grounds in (
        (_LIGHT, colors.light, LIGHT_GROUNDS),
        (_DARK, colors.dark, DARK_GROUNDS),
    ):
        own, used = (
            _write_ratio(min(compute_contrast(color, each) for each in grounds))
            for color in (accent, shades.text)
        )
        sentence = readable if shades.text == accent else changed
        sentences.append(gettext(sentence, own=own, used=used, color=shades.text))
        if shades.edge is not None:
            sentences.append(gettext(edged))
    return sentences


def _write_ratio(contrast: float) -> str:
    rounded_down = Decimal(math.floor(contrast * 10)) / 10
    return f"{format_amount(rounded_down, _RATIO)}:1"
