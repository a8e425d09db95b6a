"""The colors derived from a page's accent, so that every choice stays readable, and tags' colors.

A color is six hex digits. Contrast is WCAG's (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
Where an accent is too light or too dark for text, its lightness moves in OKLCH, which keeps the
hue (https://www.w3.org/TR/css-color-4/#ok-lab).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

MIN_TEXT_CONTRAST = 4.5
MIN_SHAPE_CONTRAST = 3.0  # of anything but text, such as a button's surface
DEFAULT_ACCENT = "3e63dd"  # --accent in static/look/look.css

BLACK, WHITE = "000000", "ffffff"
# From static/look/look.css: n1, n3, and, of the neutrals' na3 on a ground, the one nearest to the
# text in lightness.
LIGHT_GROUNDS = ("fcfcfd", "f0f0f3", "ededee")
DARK_GROUNDS = ("111113", "212225", "29292b")

# Of tags, in the light theme, by the beginnings of their names, as static/look/look.css has them.
_TAG_COLORS = {
    ("red",): "e5484d",
    ("rose", "crimson"): "e93d82",
    ("orange",): "f76b15",
    ("amber", "yellow", "gold"): "ffc53d",
    ("lime", "olive"): "99d52a",
    ("green", "emerald"): "30a46c",
    ("teal",): "12a594",
    ("cyan", "sky", "aqua"): "00a2c7",
    ("blue", "navy"): "0090ff",
    ("indigo", "violet", "purple"): "8e4ec6",
    ("pink", "magenta", "fuchsia"): "d6409f",
    ("brown",): "ad7f58",
    ("black",): "000000",
    ("white",): "8b8d98",
}
_OTHER_TAG_COLOR = "60646c"

_HOVER_STEP = 0.04  # of lightness, from 0 to 1
_SEARCH_STEPS = 8  # halve the lightness between a color and black or white, to below 1/255

_Oklch = tuple[float, float, float]  # lightness, chroma, hue in radians


@dataclass(frozen=True, slots=True)
class Shades:
    """The colors that depend on the theme."""

    text: str  # on every ground and on `soft`; also for the focus ring
    soft: str  # a tint, behind text
    edge: str | None  # around a filled button that's hard to see on the ground


@dataclass(frozen=True, slots=True)
class AccentColors:
    fill: str  # the accent itself, for primary buttons
    hover: str
    on_fill: str  # black or white
    light: Shades
    dark: Shades


def derive_colors(accent: str) -> AccentColors:
    on_fill = max(WHITE, BLACK, key=lambda color: compute_contrast(color, accent))
    return AccentColors(
        fill=accent,
        hover=_make_hover(accent, on_fill),
        on_fill=on_fill,
        light=_derive_shades(accent, LIGHT_GROUNDS, BLACK, 0.965, 0.09),
        dark=_derive_shades(accent, DARK_GROUNDS, WHITE, 0.27, 0.38),
    )


def find_tag_color(name: str) -> str:
    """Return the color of a tag whose owner calls it `name`, such as blue-500."""
    found = (color for names, color in _TAG_COLORS.items() if name.startswith(names))
    return next(found, _OTHER_TAG_COLOR)


def compute_contrast(one: str, other: str) -> float:
    """Return the contrast of two colors, from 1 to 21."""
    darker, lighter = sorted((_compute_luminance(one), _compute_luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _derive_shades(
    accent: str, grounds: Sequence[str], end: str, soft_lightness: float, soft_chroma: float
) -> Shades:
    """Return the shades of a theme; `end` is the color that stands out most on its grounds.

    `soft_chroma` is relative to that of the accent.
    """
    _, chroma, hue = _to_oklch(accent)
    soft = _from_oklch((soft_lightness, chroma * soft_chroma, hue))

    def has_contrast(color: str) -> bool:
        return all(compute_contrast(color, each) >= MIN_TEXT_CONTRAST for each in (*grounds, soft))

    text = _move_until(accent, end, has_contrast)
    of_fill = min(compute_contrast(accent, each) for each in grounds[:2])  # no button is on na3
    return Shades(text, soft, text if of_fill < MIN_SHAPE_CONTRAST else None)


def _move_until(color: str, end: str, is_enough: Callable[[str], bool]) -> str:
    """Return the color nearest in lightness to `color` that is enough."""
    if is_enough(color):
        return color
    too_near, chroma, hue = _to_oklch(color)
    far, found = _to_oklch(end)[0], end
    for _ in range(_SEARCH_STEPS):
        middle = (too_near + far) / 2
        tried = _from_oklch((middle, chroma, hue))
        if is_enough(tried):
            far, found = middle, tried
        else:
            too_near = middle
    return found


def _make_hover(accent: str, on_fill: str) -> str:
    """Return a shade with more contrast to the text on it, or one with less if there is none."""
    lightness, chroma, hue = _to_oklch(accent)
    step = -_HOVER_STEP if on_fill == WHITE else _HOVER_STEP
    if not 4 * _HOVER_STEP < lightness + step < 1:  # near black, equal steps are hardly visible
        step *= -4 if on_fill == WHITE else -1
    return _from_oklch((lightness + step, chroma, hue))


@lru_cache(maxsize=4096)
def _compute_luminance(color: str) -> float:
    red, green, blue = _to_linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


_LINEAR = tuple(
    part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
    for part in (value / 255 for value in range(256))
)


def _to_linear(color: str) -> tuple[float, float, float]:
    red, green, blue = bytes.fromhex(color)
    return _LINEAR[red], _LINEAR[green], _LINEAR[blue]


def _to_oklch(color: str) -> _Oklch:
    red, green, blue = _to_linear(color)
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    return lightness, math.hypot(a, b), math.atan2(b, a)


def _from_oklch(oklch: _Oklch) -> str:
    """Return the color, with less chroma if screens cannot show as much at this lightness."""
    lightness, chroma, hue = oklch
    parts = _to_parts(lightness, chroma, hue)
    while chroma > 0.001 and not all(-0.001 <= part <= 1.001 for part in parts):
        chroma *= 0.9
        parts = _to_parts(lightness, chroma, hue)
    return bytes(_encode(part) for part in parts).hex()


def _to_parts(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _encode(part: float) -> int:
    part = min(max(part, 0.0), 1.0)
    return round(255 * (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055))
