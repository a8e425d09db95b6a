"""The form of a page's look: its choices, what to start from, and what becomes of an accent."""

import math
from typing import Any

from wtforms import RadioField, SelectMultipleField, StringField
from wtforms.widgets import CheckboxInput, ListWidget

from embed.domain.colors import (
    BLACK,
    DARK_GROUNDS,
    DEFAULT_ACCENT,
    LIGHT_GROUNDS,
    compute_contrast,
    derive_colors,
)
from embed.domain.look import DEFAULT_LOOK, FIELDS, Look, list_choices
from embed.web.dashboard.responses import Form

# What to start from: the fields that make a style. Those that depend on the site or the list stay.
_STYLE = ("accent", "neutral", "radius", "density", "font", "size")
_PRESETS = {
    "Plain": DEFAULT_LOOK,
    "Paper": Look(accent="99543a", neutral="sand", radius=1, font="serif"),
    "Terminal": Look(accent="30a46c", neutral="sage", radius=0, density="compact", font="mono"),
    "Roomy": Look(accent="6e56cf", neutral="gray", radius=3, density="roomy", size=18),
    "Small": Look(accent="0090ff", radius=1, density="compact", size=14),
    "Contrast": Look(accent="000000", neutral="gray", radius=1),
}
PRESETS = {
    name: {field: preset.write_texts()[field] for field in _STYLE}
    for name, preset in _PRESETS.items()
}
_PRESET_NAMES: Any = {name: name for name in PRESETS}
SWATCHES = {
    "Indigo": DEFAULT_ACCENT,
    "Blue": "0090ff",
    "Teal": "12a594",
    "Green": "30a46c",
    "Orange": "f76b15",
    "Red": "e5484d",
    "Violet": "6e56cf",
    "Black": "202020",
}
# Where the value itself, with a capital, does not say what it means.
_NAMES = {
    "gray": "Grey",
    "0": "None",
    "1": "Small",
    "2": "Medium",
    "3": "Large",
    "rounded": "Round",
    "14": "S",
    "16": "M",
    "18": "L",
    "site": "As the site",
    "auto": "Device",
    "listed": "As listed",
    "none": "No link",
    "heading": "Token, title and comment",
    "tools": "Search, sorting and tags to choose from",
    "changes": "Changes of balances",
    "add": "“Add your wallet”",
}


def _name_choices(field: str) -> Any:
    """Return labels by value; the type stubs of WTForms do not support this form."""
    return {value: _NAMES.get(value, value.capitalize()) for value in list_choices(field)}


class LookForm(Form):
    preset = RadioField("Start from", choices=_PRESET_NAMES, validate_choice=False)
    accent = StringField(
        "Accent color", description="Six hex digits, such as 7c4ddb; empty: the widget's own."
    )
    neutral = RadioField("Grey", choices=_name_choices("neutral"))
    radius = RadioField("Corners", choices=_name_choices("radius"))
    density = RadioField("Rows", choices=_name_choices("density"))
    font = RadioField("Letters", choices=_name_choices("font"))
    size = RadioField("Size of letters", choices=_name_choices("size"))
    theme = RadioField(
        "Light or dark",
        choices=_name_choices("theme"),
        description="“As the site” needs the script line of the snippet; without that, the widget"
        " is light. With it, what the site says comes before this choice.",
    )
    order = RadioField("Order of the list", choices=_name_choices("order"))
    explorer = RadioField("Link to an explorer", choices=_name_choices("explorer"))
    hide = SelectMultipleField(
        "Leave out",
        choices=_name_choices("hide"),
        widget=ListWidget(prefix_label=False),
        option_widget=CheckboxInput(),
    )

    def read_texts(self) -> dict[str, str]:
        """Return the fields as a look reads them. Without a script, a preset is chosen here."""
        texts = {name: self[name].data for name in FIELDS}
        texts["accent"] = texts["accent"].strip() or DEFAULT_ACCENT
        texts["hide"] = ",".join(texts["hide"])
        return texts | PRESETS.get(self.preset.data, {})


def make_look_form(look: Look) -> LookForm:
    """Return the form with what is stored."""
    texts: dict[str, Any] = dict(look.write_texts())
    return LookForm(None, data=texts | {"hide": look.hide})


_BLACK_LETTERS = "Letters on buttons are black: {ratio}."
_WHITE_LETTERS = "Letters on buttons are white: {ratio}."
# Of each theme: the accent is readable, is changed for texts, and needs an edge on buttons.
_LIGHT = (
    "On light grounds, texts and the focus ring have {used}.",
    "On light grounds it has {own}, so for texts and the focus ring it is darkened to #{text}:"
    " {used}.",
    "On light grounds, buttons get an edge.",
)
_DARK = (
    "On dark grounds, texts and the focus ring have {used}.",
    "On dark grounds it has {own}, so for texts and the focus ring it is lightened to #{text}:"
    " {used}.",
    "On dark grounds, buttons get an edge.",
)


def explain_accent(accent: str) -> list[str]:
    """Say which contrasts an accent has, and what is changed so that all can be read."""
    colors = derive_colors(accent)
    ratio = _write_ratio(compute_contrast(colors.on_fill, accent))
    on_fill = _BLACK_LETTERS if colors.on_fill == BLACK else _WHITE_LETTERS
    sentences = [on_fill.format(ratio=ratio)]
    if accent == DEFAULT_ACCENT:  # whose shades are in static/look/tokens.css
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
        sentences.append(sentence.format(own=own, used=used, text=shades.text))
        if shades.edge is not None:
            sentences.append(edged)
    return sentences


def _write_ratio(contrast: float) -> str:
    return f"{math.floor(contrast * 10) / 10}:1"
