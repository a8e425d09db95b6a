"""A page's logo: what may be uploaded, and what is kept of it."""

import io
import random
import struct
import zlib

import pytest
from PIL import Image, PngImagePlugin

from embed import pages
from embed.db.models import Logo, Page
from embed.errors import InvalidInput
from embed.logos import MAX_BYTES, SIDE_PX, draw_logo, find_logo

SECRET = b"taken at 51.5007 N"


def write(image: Image.Image, form: str = "PNG", **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def make(width: int = 200, height: int = 200, *, mode: str = "RGB", color: object = "red"):
    return Image.new(mode, (width, height), color)


def read(logo: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(logo), formats=["WEBP"])
    image.load()
    return image


def make_bomb(width: int, height: int) -> bytes:
    """Return a small PNG that says that it's huge."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


# What is refused

NO_PICTURE = "The logo must be a PNG, JPEG or WebP picture."
DAMAGED = "The picture is damaged. Save it again in an image editor."
TOO_MANY_PIXELS = "The logo must have at most 4,096 pixels on each side."
TOO_LONG = "The logo must be closer to a square: one side is more than 4 times the other."
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script/></svg>'

REFUSED = {
    "empty": (b"", NO_PICTURE),
    "SVG": (SVG, NO_PICTURE),
    "GIF": (write(make(), "GIF"), NO_PICTURE),
    "cut off PNG": (write(Image.effect_noise((200, 200), 90))[:9_000], DAMAGED),
    "too large": (write(make()) + bytes(MAX_BYTES), "The logo must be at most 1 MB."),
    "too wide": (write(make(4097, 4000)), TOO_MANY_PIXELS),
    "bomb of which Pillow warns": (make_bomb(12_000, 12_000), TOO_MANY_PIXELS),
    "bomb that Pillow refuses": (make_bomb(60_000, 60_000), TOO_MANY_PIXELS),
    "long": (write(make(401, 100)), TOO_LONG),
    "high": (write(make(1, 4_000)), TOO_LONG),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_logo_is_refused_by_one_sentence(name):
    raw, sentence = REFUSED[name]

    with pytest.raises(InvalidInput) as refusal:
        draw_logo(raw)

    assert (str(refusal.value), refusal.value.field) == (sentence, "logo")


def test_damaged_pictures_are_drawn_or_refused():
    chance = random.Random(49)
    noise = Image.effect_noise((60, 60), 90).convert("RGB")
    originals = [write(noise, form) for form in ("PNG", "JPEG", "WEBP")]
    drawn = 0
    for number in range(600):
        raw = bytearray(originals[number % 3])
        for _ in range(chance.randint(1, 8)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        try:
            drawn += len(draw_logo(bytes(raw))) > 0
        except InvalidInput:
            continue

    assert 0 < drawn < 600


# What is kept


@pytest.mark.parametrize(
    ("mode", "form"),
    [
        *(("LA", "PNG"), ("P", "PNG"), ("I;16", "PNG"), ("CMYK", "JPEG"), ("RGBA", "WEBP")),
    ],
)
def test_picture_of_any_kind_becomes_a_small_square(mode, form):
    logo = draw_logo(write(make(300, 200, mode=mode, color=0), form))

    assert read(logo).size == (SIDE_PX, SIDE_PX)
    assert len(logo) < 1_000


def test_color_shape_and_transparency_stay():
    picture = make(400, 200, mode="RGBA", color=(0, 0, 0, 0))
    picture.paste((10, 120, 240, 255), (100, 0, 200, 200))  # left half of the middle

    drawn = read(draw_logo(write(picture))).convert("RGBA")

    assert drawn.getpixel((100, 64))[3] == 0
    red, green, blue, alpha = drawn.getpixel((30, 64))
    assert alpha == 255
    assert max(abs(red - 10), abs(green - 120), abs(blue - 240)) < 12


def test_photo_is_turned_upright():
    photo = make(200, 200, color="white")
    photo.paste("black", (0, 0, 200, 100))
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn

    drawn = read(draw_logo(write(photo, "JPEG", exif=exif))).convert("L")

    assert drawn.getpixel((20, 64)) > 200 > 50 > drawn.getpixel((108, 64))


def test_nothing_of_the_file_is_left():
    exif, words = Image.Exif(), PngImagePlugin.PngInfo()
    exif[0x010E] = SECRET.decode()
    words.add_text("Comment", SECRET.decode())
    words.add_itxt("XML:com.adobe.xmp", SECRET.decode())
    extra = {"icc_profile": SECRET * 9, "exif": exif}
    files = (
        write(make(), "PNG", pnginfo=words, **extra) + SECRET,
        write(make(), "JPEG", comment=SECRET, xmp=SECRET, **extra) + SECRET,
        write(make(), "WEBP", xmp=SECRET, **extra),
    )

    for raw in files:
        assert SECRET in raw
        drawn = draw_logo(raw)
        assert SECRET not in drawn
        assert read(drawn).info.keys() <= {"loop", "background", "timestamp", "duration"}


# Where it is kept


@pytest.mark.databases("sqlite", "postgres")
def test_logo_is_stored_replaced_removed_and_logged(world):
    one, other = (draw_logo(write(make(color=color))) for color in ("red", "blue"))
    versions, found = [], []
    for logo in (one, one, other, None, None):
        page = pages.change_look(world.page_id, {}, world.change(), logo=logo)
        versions.append(page.version)
        stored = find_logo(world.page_id)
        found.append(stored and bytes(stored.content))

    first = versions[0]
    assert versions == [first, first, first + 1, first + 2, first + 2]  # when it changed
    assert found == [one, one, other, None, None]


def test_logo_of_a_deleted_page_is_not_found_and_goes_with_it(world):
    logo = draw_logo(write(make()))
    pages.change_look(world.page_id, {}, world.change(), logo=logo)

    world.delete_page()
    assert find_logo(world.page_id) is None
    pages.restore_page(world.page_id, world.change())
    assert bytes(find_logo(world.page_id).content) == logo

    pages.purge_page(world.page_id)
    assert (Logo.select().count(), Page.select().count()) == (0, 0)
