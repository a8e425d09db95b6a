"""The picture of a list, which chats show with its share link."""

from collections.abc import Sequence
from dataclasses import dataclass

from embed.web.drawings import Avatar
from embed.web.pictures.canvas import (
    HEIGHT,
    LINE_HEIGHT,
    MARGIN,
    QUIET,
    WIDTH,
    Canvas,
    Logo,
    Part,
    fit_lines,
)
from embed.web.pictures.letters import choose_drawable, make_drawable, make_lines_drawable

MAX_FACES = 5
_LOGO_PX, _FACE_PX, _BAR_PX = 90, 84, 28
_SIZES = (94, 84, 72, 60, 50)
_COUNT_SIZES = (52, 46, 40, 34)
_TOP, _BOTTOM = 56, HEIGHT - 56
_BAR_BELOW = 36


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPicture:
    """What the picture shows; texts with letters that the font lacks are left out."""

    logo: Logo
    titles: Sequence[str]  # the first that can be written
    sentence: str
    figures: str  # instead of a sentence that can't be written
    parts: Sequence[Part]
    faces: Sequence[Avatar]
    signed: str
    joined: str  # or empty


def draw_list(shown: ListPicture) -> bytes:
    """Return the picture as PNG."""
    canvas = Canvas(shown.logo.accent)
    canvas.draw_logo(MARGIN, _TOP, _LOGO_PX, shown.logo)
    title = choose_drawable(*shown.titles)
    beside = MARGIN + _LOGO_PX + 30
    middle, width = _TOP + _LOGO_PX // 2, WIDTH - MARGIN - beside
    canvas.write(beside, middle, title, size=41, color=QUIET, anchor="lm", width=width)

    lines, size = fit_lines(
        make_drawable(shown.sentence) or make_lines_drawable(shown.figures),
        _SIZES,
        WIDTH - 2 * MARGIN,
    )
    height = round(LINE_HEIGHT * size * len(lines)) + (_BAR_BELOW + _BAR_PX if shown.parts else 0)
    free_from, free_to = _TOP + _LOGO_PX, _BOTTOM - _FACE_PX - 12
    top = (free_from + free_to - height) // 2
    end = canvas.write_large(MARGIN, top, lines, size)
    if shown.parts:
        canvas.draw_bar(end + _BAR_BELOW, _BAR_PX, shown.parts)

    for number, avatar in enumerate(shown.faces[:MAX_FACES]):
        left = MARGIN + number * (_FACE_PX + 14)
        canvas.draw_avatar(left, _BOTTOM - _FACE_PX, _FACE_PX, avatar)
    _write_counts(canvas, [make_drawable(shown.signed), make_drawable(shown.joined)])
    return canvas.save()


def _write_counts(canvas: Canvas, texts: Sequence[str]) -> None:
    """Write up to two counts in the corner, the last one larger."""
    *quiet, bold = [text for text in texts if text] or [""]
    right, width = WIDTH - MARGIN, WIDTH // 2 - MARGIN
    _, size = fit_lines(bold, _COUNT_SIZES, width, most=1)
    canvas.write(right, _BOTTOM - 10, bold, size=size, weight="bold", anchor="rs", width=width)
    for text in quiet:
        canvas.write(right, _BOTTOM - 72, text, size=36, color=QUIET, anchor="rs", width=width)
