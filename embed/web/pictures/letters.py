"""The letters of pictures: Roboto, which has Latin, Greek and Cyrillic ones."""

import re
import unicodedata
from functools import cache, lru_cache

from font_roboto import font_files
from PIL import ImageFont

_FILE_BY_WEIGHT = {"regular": font_files["Roboto"], "bold": font_files["RobotoBold"]}
_ABSENT = "\U0010ffff"  # is drawn as every letter that the font lacks
_TEST_SIZE_PX = 20
# Emoji and other symbols, such as hearts: a text means the same without those that the font lacks.
_DECORATION = {"So", "Sk"}
_INVISIBLE = "Cf"  # marks of direction, joiners
_SELECTOR = re.compile("[\ufe00-\ufe0f]")
_SPACE = re.compile(r"[^\S\u00a0]+")
_ELLIPSIS = "…"


@cache
def load_font(size_px: int, weight: str = "regular") -> ImageFont.FreeTypeFont:
    # The other layout engine, for Arabic and others, depends on the system's libraries.
    layout = ImageFont.Layout.BASIC
    return ImageFont.truetype(_FILE_BY_WEIGHT[weight], size_px, layout_engine=layout)


def make_drawable(text: str) -> str:
    """Return a text as the font can draw it, without emoji; empty if the font lacks a letter."""
    composed = _SELECTOR.sub("", unicodedata.normalize("NFC", text)).replace("\u202f", "\u00a0")
    kept = "".join(filter(_is_needed, composed))
    plain = _SPACE.sub(" ", kept).strip()
    return plain if all(map(_has_letter, plain)) else ""


def choose_drawable(*texts: str) -> str:
    """Return the first text of which something can be drawn; empty if none."""
    return next(filter(None, map(make_drawable, texts)), "")


def make_lines_drawable(text: str) -> str:
    """Do as make_drawable for each line, and leave out the others."""
    return "\n".join(filter(None, map(make_drawable, text.split("\n"))))


def _is_needed(letter: str) -> bool:
    category = unicodedata.category(letter)
    return category != _INVISIBLE and (category not in _DECORATION or _has_letter(letter))


@lru_cache(maxsize=4096)
def _has_letter(letter: str) -> bool:
    return letter.isspace() or _draw(letter) != _draw(_ABSENT)


def _draw(letter: str) -> bytes:
    return bytes(load_font(_TEST_SIZE_PX).getmask(letter))


def shorten(text: str, font: ImageFont.FreeTypeFont, width_px: int) -> str:
    """Return a text that is no wider, with an ellipsis if it was cut."""
    if font.getlength(text) <= width_px:
        return text
    while text and font.getlength(text + _ELLIPSIS) > width_px:
        text = text[:-1]
    return text.rstrip() + _ELLIPSIS


def wrap(text: str, font: ImageFont.FreeTypeFont, width_px: int) -> list[str]:
    """Break a text into lines at its spaces, except for no-break ones; words may be wider."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if line and font.getlength(longer) > width_px:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    return lines
