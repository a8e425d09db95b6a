"""Whatever accent an owner chooses, everything made of it is readable on every ground."""

import re
from itertools import product

import pytest
from support.servers import PROJECT_DIR

from embed.domain.colors import (
    BLACK,
    DEFAULT_ACCENT,
    WHITE,
    AccentColors,
    Shades,
    compute_contrast,
    derive_colors,
)

# Sixteen steps of each channel.
ACCENTS = ["".join(parts) for parts in product([f"{step:x}" * 2 for step in range(16)], repeat=3)]
TOKENS = (PROJECT_DIR / "static/look/look.css").read_text()


@pytest.fixture(scope="module")
def derived() -> dict[str, AccentColors]:
    return {accent: derive_colors(accent) for accent in ACCENTS}


def find_shades(colors: AccentColors, theme: int) -> Shades:
    return (colors.light, colors.dark)[theme]


def read_token(name: str) -> list[tuple[str, str]]:
    """Return a token's values in light and dark: one, or one of each neutral."""
    found = re.findall(rf"--{name}: light-dark\(#(\w+), #(\w+)\)", TOKENS)
    assert found, name
    return [tuple(lengthen(color) for color in pair) for pair in found]


def lengthen(color: str) -> str:
    return "".join(2 * digit for digit in color) if len(color) == 3 else color


def lay_over(color: str, ground: str) -> str:
    """Return what a color with alpha looks like on a ground."""
    *parts, alpha = bytes.fromhex(color)
    pairs = zip(parts, bytes.fromhex(ground), strict=True)
    return bytes(round((alpha * one + (255 - alpha) * below) / 255) for one, below in pairs).hex()


def list_grounds(theme: int) -> list[str]:
    """Return all on which texts of the accent's color stand."""
    n1, n3, surface = (
        [pair[theme] for pair in read_token(name)] for name in ("n1", "n3", "surface")
    )
    softs = [pair[theme] for pair in read_token("na3")]
    return [
        *n1,
        *n3,
        *surface,
        *(lay_over(soft, below) for soft in softs for below in n1 + surface),
    ]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_accent_as_text_is_readable_on_every_ground_of_every_neutral(derived, theme):
    grounds = list_grounds(theme)
    for accent, colors in derived.items():
        shades = find_shades(colors, theme)
        for ground in (*grounds, shades.soft):
            assert compute_contrast(shades.text, ground) >= 4.5, (accent, ground)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_texts_are_readable_on_every_tint(derived, theme):
    names = ("n11", "n12", "good", "bad")
    texts = [pair[theme] for name in names for pair in read_token(name)]
    for accent, colors in derived.items():
        soft = find_shades(colors, theme).soft
        for text in texts:
            assert compute_contrast(text, soft) >= 4.5, (accent, text)


def test_text_on_the_fill_is_readable_also_when_hovered_which_shows(derived):
    for accent, colors in derived.items():
        assert colors.on_fill in (BLACK, WHITE)
        assert compute_contrast(colors.on_fill, accent) >= 4.5, accent
        assert compute_contrast(colors.on_fill, colors.hover) >= 4.5, accent
        assert compute_contrast(accent, colors.hover) > 1.05, accent


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_fill_that_the_ground_does_not_set_off_has_an_edge_that_is(derived, theme):
    grounds = [pair[theme] for name in ("n1", "n3") for pair in read_token(name)]
    for accent, colors in derived.items():
        edge = find_shades(colors, theme).edge
        is_set_off = min(compute_contrast(accent, each) for each in grounds) >= 3
        assert (edge is None) == is_set_off, accent
        assert edge is None or min(compute_contrast(edge, each) for each in grounds) >= 3, accent


def test_color_that_is_readable_stays_as_it_is():
    assert derive_colors("3a5bc7").light.text == "3a5bc7"
    assert derive_colors("ffee55").dark.text == "ffee55"
    assert derive_colors("ffee55").light.text != "ffee55"


def test_default_accent_is_that_of_the_stylesheet():
    assert f"--accent: #{DEFAULT_ACCENT};" in TOKENS


@pytest.mark.parametrize(
    ("one", "other", "contrast"),
    [("000000", "ffffff", 21), ("777777", "ffffff", 4.48), ("3e63dd", "ffffff", 5.21)],
)
def test_contrast_is_that_of_wcag(one, other, contrast):
    assert round(compute_contrast(one, other), 2) == round(compute_contrast(other, one), 2)
    assert round(compute_contrast(one, other), 2) == contrast
