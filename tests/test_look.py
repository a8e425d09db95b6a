"""The tokens of the style sheets, and whether their colours can be told apart."""

import re

import pytest
from support.servers import PROJECT_DIR

from embed.domain.colors import MIN_SHAPE_CONTRAST, MIN_TEXT_CONTRAST, compute_contrast

STATIC_DIR = PROJECT_DIR / "static"
TOKENS = STATIC_DIR / "look/look.css"
SHEETS = sorted(STATIC_DIR.rglob("*.css"))
CHECKER = STATIC_DIR / "check-receipts.html"  # one file, which has the tokens that it needs


def read_tokens(text):
    """Return the tokens with their first values, which are those of the default look."""
    return dict(reversed(re.findall(r"(--[\w-]+): ([^;]+);", text)))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_token_that_is_used_exists(sheet):
    loaded_with_it = [*TOKENS.parent.glob("*.css"), *sheet.parent.glob("*.css")]
    known = {name for each in loaded_with_it for name in read_tokens(each.read_text())}

    assert set(re.findall(r"var\((--[\w-]+)", sheet.read_text())) - known == set()


def test_checker_of_receipts_has_the_same_tokens():
    text = CHECKER.read_text()
    own = read_tokens(text)

    assert len(own) > 10
    assert own.items() <= read_tokens(TOKENS.read_text()).items()
    assert set(re.findall(r"var\((--[\w-]+)", text)) <= set(own)


GROUNDS = ("n1", "n2", "surface", "soft", "soft-2")


def read_color(name, theme, ground="n2"):
    """Return a token's color as six hex digits, as it lies on another one."""
    value = read_tokens(TOKENS.read_text())[f"--{name}"]
    if pair := re.fullmatch(r"light-dark\((.+), (.+)\)", value):
        value = pair[1 if theme == "light" else 2]
    if alias := re.fullmatch(r"var\(--(.+)\)", value):
        return read_color(alias[1], theme, ground)
    digits = value.removeprefix("#")
    if len(digits) <= 4:
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) == 6:
        return digits
    *over, alpha = bytes.fromhex(digits)
    under = bytes.fromhex(read_color(ground, theme))
    return bytes(
        round((one * alpha + other * (255 - alpha)) / 255)
        for one, other in zip(over, under, strict=True)
    ).hex()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_can_be_read_on_what_it_stands_on(theme):
    pairs = [(text, ground) for text in ("text", "text-2", "accent-text") for ground in GROUNDS]
    pairs += [(text, f"{text}-soft") for text in ("good", "bad", "warn")]
    pairs += [("on-accent", "accent"), ("on-accent", "accent-hover"), ("inverse", "text")]
    found = {pair: compute_contrast(*(read_color(each, theme) for each in pair)) for pair in pairs}

    assert {pair: ratio for pair, ratio in found.items() if ratio < MIN_TEXT_CONTRAST} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_focus_rings_and_the_lines_of_controls_are_seen_on_every_ground(theme):
    found = {
        (shape, ground): compute_contrast(
            read_color(shape, theme, ground), read_color(ground, theme)
        )
        for shape in ("ring", "control-line")
        for ground in GROUNDS[:3]
    }

    assert {pair: ratio for pair, ratio in found.items() if ratio < MIN_SHAPE_CONTRAST} == {}
