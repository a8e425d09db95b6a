"""The picture of one holder's card: name and place, never a balance or an address."""

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
    fit_lines,
)
from embed.web.pictures.letters import choose_drawable, load_font, make_drawable

_LOGO_PX, _FACE_PX = 90, 238
_SIZES = (98, 84, 72, 60, 50)
_TOP, _BOTTOM = 56, HEIGHT - 56


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPicture:
    """What the picture shows; texts with letters that the font lacks are left out."""

    logo: Logo
    token: str
    symbol: str
    face: Avatar
    name: str
    place: str  # such as "Holder #37 of 251, signed"
    figures: str  # instead of a place that can't be written
    since: str
    title: str  # of the list


def draw_card(shown: CardPicture) -> bytes:
    """Return the picture as PNG."""
    canvas = Canvas(shown.logo.accent)
    canvas.draw_logo(MARGIN, _TOP, _LOGO_PX, shown.logo)
    _write_token(canvas, make_drawable(shown.token), make_drawable(shown.symbol))

    top = (HEIGHT - _FACE_PX) // 2
    canvas.draw_avatar(MARGIN, top, _FACE_PX, shown.face)
    left = MARGIN + _FACE_PX + 48
    name, place = make_drawable(shown.name), choose_drawable(shown.place, shown.figures)
    if name:
        lines, size = fit_lines(name, _SIZES, WIDTH - MARGIN - left)
        height = round(LINE_HEIGHT * size * len(lines)) + 66
        end = canvas.write_large(left, (HEIGHT - height) // 2, lines, size)
        width = WIDTH - MARGIN - left
        canvas.write(left, end + 50, place, size=46, color=QUIET, width=width)
    else:
        lines, size = fit_lines(place, _SIZES, WIDTH - MARGIN - left)
        height = round(LINE_HEIGHT * size * len(lines))
        canvas.write_large(left, (HEIGHT - height) // 2, lines, size)

    end = canvas.write(MARGIN, _BOTTOM - 10, make_drawable(shown.since), size=36, color=QUIET)
    title, right = make_drawable(shown.title), WIDTH - MARGIN
    width = right - end - 40
    canvas.write(right, _BOTTOM - 10, title, size=36, weight="bold", anchor="rs", width=width)
    return canvas.save()


def _write_token(canvas: Canvas, token: str, symbol: str) -> None:
    """Write the token's name and symbol beside the logo."""
    left, middle = MARGIN + _LOGO_PX + 30, _TOP + _LOGO_PX // 2
    width = WIDTH - MARGIN - left - round(load_font(41).getlength(symbol)) - 16
    end = canvas.write(left, middle, token, size=41, weight="bold", anchor="lm", width=width)
    canvas.write(end + 16 if token else left, middle, symbol, size=41, color=QUIET, anchor="lm")
