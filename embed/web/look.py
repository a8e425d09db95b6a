"""How the widget looks, as its address asks: theme, accent, and parts that a site leaves out."""

import re

from flask import request

THEMES = ("light", "dark", "auto")
HIDEABLE_PARTS = ("heading", "tools", "changes", "add")

_COLOR = re.compile(r"[0-9a-f]{6}")


def read_look() -> dict[str, str | bool | None]:
    """Return the requested theme and accent; invalid values become the default.

    A frame knows neither the colors of its site nor, in all browsers, its color scheme; following
    the visitor's device would make a black box of it on a light site. So unless a theme is asked
    for, it is light and has a surface of its own. In a window of its own, the device decides.
    """
    theme = request.args.get("theme")
    accent = request.args.get("accent", "").removeprefix("#").lower()
    is_asked = theme in THEMES
    is_alone = request.headers.get("Sec-Fetch-Dest") == "document"
    return {
        "theme": theme if is_asked else "auto" if is_alone else "light",
        "has_surface": not is_asked and not is_alone,
        "accent": f"#{accent}" if _COLOR.fullmatch(accent) else None,
    }


def read_hidden_parts() -> frozenset[str]:
    """Return the parts that `hide=` names, with commas between them; others are ignored."""
    return frozenset(request.args.get("hide", "").split(",")) & frozenset(HIDEABLE_PARTS)
