"""The look of an answer: the owner's choices, and those in its address."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from flask import request

from embed.domain.colors import DEFAULT_ACCENT, derive_colors
from embed.domain.look import DEFAULT_LOOK, FIELDS, Look

# Fields that style sheets read from <html>; theme and accent have other names.
_ATTRIBUTES = ("neutral", "radius", "density", "font", "size")
_DEFAULTS = DEFAULT_LOOK.write_texts()


@dataclass(frozen=True, slots=True)
class ShownLook:
    look: Look
    attributes: dict[str, str]  # of <html>, without fields that have their defaults
    style: str | None  # the accent's colors, inline so nothing flashes


def read_look(stored: Look = DEFAULT_LOOK, fields: Sequence[str] = FIELDS) -> ShownLook:
    """Return the look of this answer; `fields` are those that its address may set.

    A frame doesn't know its site's colors nor, in some browsers, its color scheme; following the
    visitor's device would make it dark on a light site. So unless a theme is chosen, it's light and
    has its own surface. In its own window, the device decides.
    """
    asked = {name: text for name, text in request.args.items() if name in fields}
    look = stored.override(asked) if asked else stored
    attributes, style = _describe(look)
    is_chosen = look.theme != "site"
    is_alone = is_window()
    attributes = attributes | {
        "data-theme": look.theme if is_chosen else "auto" if is_alone else "light"
    }
    if not is_chosen and not is_alone:
        attributes["data-surface"] = ""
    return ShownLook(look, attributes, style)


def is_window() -> bool:
    """Return whether the answer is shown in its own window, not in a frame."""
    return request.headers.get("Sec-Fetch-Dest") == "document"


@lru_cache(maxsize=256)  # anyone may ask for any look in an address
def _describe(look: Look) -> tuple[dict[str, str], str | None]:
    """Return a look's attributes, except for the theme, and its accent's style."""
    texts = look.write_texts()
    attributes = {
        f"data-{name}": texts[name] for name in _ATTRIBUTES if texts[name] != _DEFAULTS[name]
    }
    if look.accent == DEFAULT_ACCENT:
        return attributes, None
    return attributes | {"data-accent": look.accent}, _write_style(look.accent)


def _write_style(accent: str) -> str:
    """Return the accent's colors, which replace those in static/look/look.css."""
    colors = derive_colors(accent)
    light, dark = colors.light, colors.dark
    edges = [f"#{one.edge}" if one.edge else "transparent" for one in (light, dark)]
    values = {
        "accent": f"#{colors.fill}",
        "accent-hover": f"#{colors.hover}",
        "on-accent": f"#{colors.on_fill}",
        "accent-text": f"light-dark(#{light.text}, #{dark.text})",
        "accent-soft": f"light-dark(#{light.soft}, #{dark.soft})",
        "ring": "var(--accent-text)",
        "edge": f"light-dark({', '.join(edges)})",
    }
    return ":root{" + ";".join(f"--{name}:{value}" for name, value in values.items()) + "}"
