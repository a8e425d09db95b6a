"""Colours, type sizes, spacings, radii and shadows stand in one file."""

import re

import pytest
from support.servers import PROJECT_DIR

from embed.domain.colors import MIN_SHAPE_CONTRAST, compute_contrast

STATIC_DIR = PROJECT_DIR / "static"
TOKENS = STATIC_DIR / "look/look.css"
SHEETS = sorted(STATIC_DIR.rglob("*.css"))
CHECKER = STATIC_DIR / "check-receipts.html"  # one file, which has the tokens that it needs
TOKEN = re.compile(r"--[\w-]+: [^;]+;")
LENGTH = r"[\d.]+(rem|px|em)\b"
WRITTEN_OUT = {
    "color": re.compile(
        r"#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|oklab|lab|lch|hwb|color|light-dark)\("
        r"|\bcolor-mix\((?!in oklab, var\()"
        r"|:[^;]*\b(white|black|gray|grey|red|green|blue|yellow|orange|silver)\b(?!\()",
        re.IGNORECASE,
    ),
    "type size": re.compile(rf"font(-size)?:[^;]*{LENGTH}(?<!1rem)"),
    "spacing": re.compile(rf"(?<!scroll-)(padding|margin|gap)[a-z-]*:[^;]*{LENGTH}"),
    "radius": re.compile(rf"border-[a-z-]*radius:[^;]*({LENGTH}|%)"),
    "shadow": re.compile(r"(box|text)-shadow:(?!\s*(inset|var\(|none))|drop-shadow\("),
}


def read_rules(sheet):
    """Return a style sheet's rules without comments."""
    text = sheet.read_text()
    if sheet == CHECKER:
        text = text.partition("<style>")[2].partition("</style>")[0]
        text = re.sub(r":root \{.*?\}", "", text, flags=re.DOTALL)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return TOKEN.sub("", text) if sheet == TOKENS else text


def read_tokens(text):
    """Return the tokens with their first values, which are those of the default look."""
    return dict(reversed(re.findall(r"(--[\w-]+): ([^;]+);", text)))


def find_written_out(rules):
    found = []
    for declaration in re.findall(r"[\w-]+\s*:\s*[^;{}]+;", rules):
        found += [
            (kind, declaration) for kind, form in WRITTEN_OUT.items() if form.search(declaration)
        ]
    return found


@pytest.mark.parametrize("sheet", [*SHEETS, CHECKER], ids=lambda sheet: sheet.name)
def test_no_other_style_sheet_writes_out_what_is_a_token(sheet):
    assert find_written_out(read_rules(sheet)) == []


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_token_that_is_used_exists(sheet):
    rules = read_rules(sheet)
    loaded_with_it = [*TOKENS.parent.glob("*.css"), *sheet.parent.glob("*.css")]
    known = {name for each in loaded_with_it for name in read_tokens(each.read_text())}

    assert set(re.findall(r"var\((--[\w-]+)", rules)) - known == set()


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
def test_focus_rings_and_the_lines_of_controls_are_seen_on_every_ground(theme):
    found = {
        (shape, ground): compute_contrast(
            read_color(shape, theme, ground), read_color(ground, theme)
        )
        for shape in ("ring", "control-line")
        for ground in GROUNDS[:3]
    }

    assert {pair: ratio for pair, ratio in found.items() if ratio < MIN_SHAPE_CONTRAST} == {}
