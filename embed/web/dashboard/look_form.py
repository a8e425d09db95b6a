"""The form of a page's look: its choices and its presets."""

from typing import Any

from flask_wtf.file import FileField
from wtforms import BooleanField, RadioField, StringField

from embed.domain.colors import DEFAULT_ACCENT
from embed.domain.look import DEFAULT_LOOK, FIELDS, Look, list_choices
from embed.domain.texts import gettext_noop
from embed.web.dashboard.responses import Checkboxes, Form
from embed.web.languages import lazy_gettext


def _write_texts(look: Look) -> dict[str, Any]:
    """Return a look's fields; the accent as color inputs write it."""
    return look.write_texts() | {"accent": f"#{look.accent}"}


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
    name: {field: _write_texts(preset)[field] for field in _STYLE}
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
    preset = RadioField(lazy_gettext("Style"), choices=_PRESET_NAMES, validate_choice=False)
    accent = StringField(
        lazy_gettext("Accent color"),
        default=f"#{DEFAULT_ACCENT}",
        description=lazy_gettext("Where it would be hard to read, it's made darker or lighter."),
    )
    neutral = RadioField(lazy_gettext("Gray"), choices=_name_choices("neutral"))
    radius = RadioField(lazy_gettext("Corners"), choices=_name_choices("radius"))
    density = RadioField(lazy_gettext("Rows"), choices=_name_choices("density"))
    font = RadioField(lazy_gettext("Font"), choices=_name_choices("font"))
    size = RadioField(lazy_gettext("Text size"), choices=_name_choices("size"))
    theme = RadioField(
        lazy_gettext("Light or dark"),
        choices=_name_choices("theme"),
        description=lazy_gettext(
            "“Same as the site” needs the snippet's script; without it, the list is light."
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
        texts["hide"] = ",".join(texts["hide"])
        return texts | PRESETS.get(self.preset.data, {})


def make_look_form(look: Look) -> LookForm:
    return LookForm(None, data=_write_texts(look) | {"hide": look.hide})
