"""How an answer looks: as the page's owner has chosen and the address asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from flask import request

from embed.domain.colors import DEFAULT_ACCENT, derive_colors
from embed.domain.look import DEFAULT_LOOK, FIELDS, Look

# What stylesheets and scripts read from <html>; theme and accent are there in other words.
_ATTRIBUTES = ("neutral", "radius", "density", "font", "size", "order", "explorer")
_DEFAULTS = DEFAULT_LOOK.write_texts()


@dataclass(frozen=True, slots=True)
class ShownLook:
    look: Look
    attributes: dict[str, str]  # of <html>; fields that have their defaults are left out
    style: str | None  # the accent's colors, which are inline so that nothing flashes


def read_look(stored: Look = DEFAULT_LOOK, fields: Sequence[str] = FIELDS) -> ShownLook:
    """Return the look of this answer; `fields` are those that its address may choose.

    A frame knows neither the colors of its site nor, in all browsers, its color scheme; following
    the visitor's device would make it dark on a light site. So unless a theme is chosen,
    it is light and has a surface of its own. In a window of its own, the device decides.
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
    """Tell whether the answer is shown in a window of its own, not in a frame."""
    return request.headers.get("Sec-Fetch-Dest") == "document"


@lru_cache(maxsize=256)  # anyone may ask for any look in an address
def _describe(look: Look) -> tuple[dict[str, str], str | None]:
    """Return the attributes of a look, but for the theme, and the style of its accent."""
    texts = look.write_texts()
    attributes = {
        f"data-{name}": texts[name] for name in _ATTRIBUTES if texts[name] != _DEFAULTS[name]
    }
    if look.accent == DEFAULT_ACCENT:
        return attributes, None
    return attributes | {"data-accent": look.accent}, _write_style(look.accent)


def _write_style(accent: str) -> str:
    """Return the accent's colors in place of those in static/look/tokens.css."""
    colors = derive_colors(accent)
    light, dark = colors.light, colors.dark
    values = {
        "accent": f"#{colors.fill}",
        "accent-hover": f"#{colors.hover}",
        "on-accent": f"#{colors.on_fill}",
        "accent-text": f"light-dark(#{light.text}, #{dark.text})",
        "accent-soft": f"light-dark(#{light.soft}, #{dark.soft})",
        "ring": "var(--accent-text)",
        "edge": f"light-dark({_write_edge(light.edge)}, {_write_edge(dark.edge)})",
    }
    return ":root{" + ";".join(f"--{name}:{value}" for name, value in values.items()) + "}"


def _write_edge(edge: str | None) -> str:
    return f"#{edge}" if edge else "transparent"
