"""A small picture that says how many wallets a list has, for readmes and sites without frames."""

import re
import unicodedata
from functools import cache, lru_cache
from typing import NamedTuple

from flask import Response, render_template, request

from embed.domain.colors import derive_colors
from embed.web.assets import STATIC_DIR
from embed.web.security_headers import hash_source
from embed.web.widget.blueprint import blueprint
from embed.web.widget.counts import Counts, let_caches_keep
from embed.web.widget.shared_page import get_shared_page, read_payload

LETTER_SIZE = 12
# Of a letter's size. Readers have different fonts: the text is fitted into the width that follows.
_NARROW, _USUAL, _WIDE, _FULL = 0.3, 0.57, 0.85, 1.0
_NARROW_LETTERS, _WIDE_LETTERS = frozenset(" \u00a0\u202f.,·'ijlfrt1|"), frozenset("mwMW%٪")


class Badge(NamedTuple):
    text: str
    text_width: int
    style: str


@blueprint.get("/page/<page_id>/badge.svg")
def draw_badge(page_id: str) -> Response:
    """Draw the badge. Raises ApiError `not_found`, also for a page that is not public by link."""
    page = get_shared_page(page_id)
    text = Counts.of(read_payload(page)).write()
    style = _write_style(page.look.accent, request.args.get("theme", "auto"))
    svg = render_template("widget/badge.svg", badge=Badge(text, measure(text), style))
    response = Response(svg, content_type="image/svg+xml; charset=utf-8")
    policy = response.content_security_policy  # for whoever opens it as a page
    policy.default_src = policy.base_uri = policy.frame_ancestors = "'none'"
    policy.style_src = hash_source(style)
    return let_caches_keep(response)


def measure(text: str) -> int:
    """Return about how many pixels a text takes."""
    return round(LETTER_SIZE * sum(map(_measure_letter, text)))


def _measure_letter(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return _FULL
    if unicodedata.combining(letter):
        return 0
    if letter in _NARROW_LETTERS:
        return _NARROW
    return _WIDE if letter in _WIDE_LETTERS else _USUAL


@lru_cache(maxsize=256)  # anybody may ask for any theme in an address
def _write_style(accent: str, theme: str) -> str:
    """Return the colors as CSS; another theme than light or dark is the device's."""
    colors, tokens = derive_colors(accent), _read_tokens()
    light, dark = (
        f".ground{{fill:{tokens['n2'][index]};stroke:{tokens['n7'][index]}}}"
        f".mark{{fill:#{shades.text}}}.text{{fill:{tokens['n12'][index]}}}"
        for index, shades in enumerate((colors.light, colors.dark))
    )
    if theme in ("light", "dark"):
        return dark if theme == "dark" else light
    return f"{light}@media(prefers-color-scheme:dark){{{dark}}}"


@cache
def _read_tokens() -> dict[str, tuple[str, str]]:
    """Return the colors of the default look, light and dark, by their names."""
    text = (STATIC_DIR / "look/tokens.css").read_text(encoding="utf-8")
    found = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\);", text)
    return {name: (light, dark) for name, light, dark in reversed(found)}
