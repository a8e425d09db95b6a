"""What pictures consist of: texts, a logo, squares of addresses and a bar of shares."""

import re
from collections.abc import Sequence
from decimal import Decimal
from io import BytesIO
from typing import NamedTuple

from PIL import Image, ImageChops, ImageColor, ImageDraw

from embed.domain.colors import derive_colors
from embed.web.drawings import Avatar
from embed.web.pictures.letters import load_font, make_drawable, shorten, wrap

WIDTH, HEIGHT = 1200, 630  # as chats show pictures of links at their largest
MARGIN = 70
# From static/look/look.css, light: n12, n11 and surface; the last is slate 9 of Radix Colors.
TEXT, QUIET, _SURFACE, _REST = "#1c2024", "#60646c", "#ffffff", "#8b8d98"
_SMOOTH = 4  # round shapes are drawn this much larger
_CELLS = 7  # across an avatar: five squares and a margin
_SQUARE = re.compile(r"M(\d) (\d)h1")
_GAP = 4  # between parts of the bar
_STRIPE, _STRIPE_EVERY = 8, 16
_STEP = 20  # in which lines are made shorter
LINE_HEIGHT = 1.1
_PALETTE = 256


class Part(NamedTuple):
    """A part of the bar; those without a color are gray, at its end."""

    width: Decimal  # any unit
    color: str | None  # six hex digits
    is_counted: bool = True  # hatched if not


class Logo(NamedTuple):
    """A page's logo, or else a letter on the accent."""

    content: bytes | None  # as embed/logos.py draws it
    letter: str
    accent: str


class Canvas:
    def __init__(self, accent: str) -> None:
        ground = f"#{derive_colors(accent).light.soft}"
        self._image = Image.new("RGB", (WIDTH, HEIGHT), ground)
        self._draw = ImageDraw.Draw(self._image)
        self._exact: list[tuple[str, Image.Image]] = []  # colors, and masks of where they are

    def write(
        self,
        x: int,
        y: int,
        text: str,
        *,
        size: int,
        color: str = TEXT,
        weight: str = "regular",
        anchor: str = "ls",
        width: int = WIDTH - 2 * MARGIN,
    ) -> int:
        """Write a line, shortened to `width`, and return where it ends.

        `y` is its baseline unless Pillow's `anchor` says otherwise.
        """
        font = load_font(size, weight)
        line = shorten(text, font, width)
        self._draw.text((x, y), line, font=font, fill=color, anchor=anchor)
        return x + round(font.getlength(line))

    def write_large(self, x: int, top: int, lines: Sequence[str], size: int) -> int:
        """Write bold lines below `top`, and return where they end."""
        for number, line in enumerate(lines, 1):
            baseline = top + round(size * (LINE_HEIGHT * number - 0.2))
            self.write(x, baseline, line, size=size, weight="bold", width=WIDTH - MARGIN - x)
        return top + round(size * LINE_HEIGHT * len(lines))

    def draw_logo(self, x: int, y: int, size: int, logo: Logo) -> None:
        mask = _round_mask((size, size), size // 2)
        if logo.content is not None:
            with Image.open(BytesIO(logo.content), formats=["WEBP"]) as stored:
                scaled = stored.convert("RGBA").resize((size, size), Image.Resampling.LANCZOS)
            ground = Image.new("RGBA", scaled.size, _SURFACE)
            self._image.paste(Image.alpha_composite(ground, scaled).convert("RGB"), (x, y), mask)
            return
        self._image.paste(f"#{logo.accent}", (x, y), mask)
        middle, color = size // 2, f"#{derive_colors(logo.accent).on_fill}"
        letter = make_drawable(logo.letter)
        self.write(
            x + middle,
            y + middle,
            letter,
            size=size * 8 // 15,
            color=color,
            weight="bold",
            anchor="mm",
        )

    def draw_avatar(self, x: int, y: int, size: int, avatar: Avatar) -> None:
        """Draw an address's squares; `size` is a multiple of 7."""
        self._image.paste(_SURFACE, (x, y), _round_mask((size, size), size * 3 // 11))
        color, cell = ImageColor.getrgb(avatar.fill.replace(" ", ",")), size // _CELLS
        for column, row in _SQUARE.findall(avatar.path):
            left, top = x + (int(column) + 1) * cell, y + (int(row) + 1) * cell
            self._draw.rectangle((left, top, left + cell - 1, top + cell - 1), fill=color)

    def draw_bar(self, y: int, height: int, parts: Sequence[Part]) -> None:
        """Draw the parts in their true widths, across the picture."""
        total, width = sum(part.width for part in parts), WIDTH - 2 * MARGIN
        whole = _round_mask((width, height), height // 2)
        left, summed = 0, Decimal(0)
        for part in parts:
            summed += part.width
            right = round(width * float(summed / total))
            shape = Image.new("L", whole.size)
            end = max(left, right - 1 if right >= width else right - 1 - _GAP)
            ImageDraw.Draw(shape).rectangle((left, 0, end, height), fill=255)
            mask = ImageChops.multiply(shape, whole)
            if not part.is_counted:
                mask = ImageChops.multiply(mask, _draw_stripes(whole.size))
            self._fill(f"#{part.color}" if part.color else _REST, (MARGIN, y), mask)
            left = right

    def _fill(self, color: str, place: tuple[int, int], mask: Image.Image) -> None:
        self._image.paste(color, place, mask)
        inside = Image.new("L", self._image.size)
        inside.paste(mask.point([0] * 255 + [255]), place)
        self._exact.append((color, inside))

    def save(self) -> bytes:
        """Return the picture as PNG with a palette; the bar keeps its exact colors."""
        colors = list(dict.fromkeys(color for color, _ in self._exact))
        first = _PALETTE - len(colors)
        picture = self._image.quantize(
            first, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
        )
        palette = (picture.getpalette() or [])[: 3 * first]
        palette += [0] * (3 * first - len(palette))
        for color in colors:
            palette += ImageColor.getrgb(color)
        picture.putpalette(palette)
        for color, mask in self._exact:
            picture.paste(first + colors.index(color), (0, 0), mask)
        written = BytesIO()
        picture.save(written, "PNG")
        return written.getvalue()


def fit_lines(text: str, sizes: Sequence[int], width: int, most: int = 2) -> tuple[list[str], int]:
    """Return a bold text's lines, of similar length, and its size.

    It's the first of `sizes`, largest first, in which `most` lines are enough.
    """
    for size in sizes:
        font = load_font(size, "bold")
        lines = wrap(text, font, width)
        if len(lines) <= most and all(font.getlength(line) <= width for line in lines):
            break
    for narrower in range(width - _STEP, 0, -_STEP):
        shorter = wrap(text, font, narrower)
        if len(shorter) > len(lines):
            break
        lines = shorter
    return lines[:most], size


def _round_mask(size: tuple[int, int], radius: int) -> Image.Image:
    """Return a mask of a rectangle with round corners, smooth at its edge."""
    width, height = (_SMOOTH * one for one in size)
    large = Image.new("L", (width, height))
    ImageDraw.Draw(large).rounded_rectangle(
        (0, 0, width - 1, height - 1), _SMOOTH * radius, fill=255
    )
    return large.resize(size, Image.Resampling.BOX)


def _draw_stripes(size: tuple[int, int]) -> Image.Image:
    """Return a mask of slanted stripes."""
    width, height = (_SMOOTH * one for one in size)
    large = Image.new("L", (width, height))
    draw = ImageDraw.Draw(large)
    for x in range(-height, width, _SMOOTH * _STRIPE_EVERY):
        right = x + _SMOOTH * _STRIPE
        draw.polygon([(x, height), (right, height), (right + height, 0), (x + height, 0)], fill=255)
    return large.resize(size, Image.Resampling.BOX)
