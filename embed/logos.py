"""A page's logo: drawn anew from the picture that its owner uploads, and stored."""

import hashlib
import threading
import warnings
from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

from embed.db.models import Logo, Page
from embed.domain.identifiers import is_id
from embed.errors import InvalidInput

MAX_BYTES = 1024 * 1024
MAX_SIDE_PX = 4096
SIDE_PX = 128  # of what is stored
_MAX_RATIO = 4  # of the longer side to the shorter one; the rest is cropped
_FORMATS = ("PNG", "JPEG", "WEBP")
_QUALITY = 85  # of WebP

# Pillow warns of pictures that are half as large as those that it refuses. Both are refused here.
warnings.simplefilter("error", Image.DecompressionBombWarning)

# The largest picture takes 130 MB and half a second, so one is read at a time.
_reading = threading.Lock()


def draw_logo(raw: bytes) -> bytes:
    """Return an uploaded picture as a square in WebP, with nothing else of the file.

    Raises InvalidInput.
    """
    if len(raw) > MAX_BYTES:
        raise InvalidInput("The logo must be at most 1 MB.", field="logo")
    try:
        with _reading, Image.open(BytesIO(raw), formats=_FORMATS) as picture:
            _check_size(*picture.size)
            square = _draw_square(picture)
    except InvalidInput:
        raise
    except UnidentifiedImageError:
        raise InvalidInput("The logo must be a PNG, JPEG or WebP picture.", field="logo") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _make_size_refusal() from None
    # What Pillow raises for damaged files.
    except (OSError, ValueError, SyntaxError):
        raise InvalidInput(
            "The picture is damaged. Save it again in an image editor.", field="logo"
        ) from None
    written = BytesIO()
    square.save(written, "WEBP", quality=_QUALITY)
    return written.getvalue()


def _check_size(width: int, height: int) -> None:
    """Refuse a picture before it's loaded. Raises InvalidInput."""
    if max(width, height) > MAX_SIDE_PX:
        raise _make_size_refusal()
    if max(width, height) > _MAX_RATIO * min(width, height):
        raise InvalidInput(
            "The logo must be closer to a square: one side is more than %(ratio)s times the other.",
            field="logo",
            ratio=_MAX_RATIO,
        )


def _make_size_refusal() -> InvalidInput:
    return InvalidInput(
        "The logo must have at most %(max)s pixels on each side.", field="logo", max=MAX_SIDE_PX
    )


def _draw_square(picture: Image.Image) -> Image.Image:
    """Return the middle of a picture in a new image, which has no metadata of the file."""
    picture.draft("RGB", (2 * SIDE_PX, 2 * SIDE_PX))  # decodes large JPEGs in less detail
    # Scaled before it's turned and converted, since each copy of the largest takes 64 MB.
    plain = picture if picture.mode in ("RGB", "RGBA") else picture.convert("RGBA")
    upright = ImageOps.exif_transpose(ImageOps.fit(plain, (SIDE_PX, SIDE_PX)))
    square = Image.new("RGBA", (SIDE_PX, SIDE_PX))
    square.paste(upright)
    return square


def store_logo(page: Page, content: bytes | None) -> bool:
    """Store a logo as `draw_logo` returns it, or None to remove it; return whether it changed.

    Call this inside the transaction that has locked the page.
    """
    digest = None if content is None else hashlib.blake2b(content, digest_size=12).hexdigest()
    if digest == find_digest(page.id):
        return False
    Logo.delete().where(Logo.page == page).execute()
    if content is not None:
        Logo.create(page=page, digest=digest, content=content)
    return True


def find_digest(page_id: str) -> str | None:
    """Return what tells a page's logo from others; None if it has none."""
    digest: str | None = Logo.select(Logo.digest).where(Logo.page == page_id).scalar()
    return digest


def find_logo(page_id: str) -> Logo | None:
    """Return a page's logo, unless the page is deleted."""
    if not is_id(page_id):
        return None
    is_there = (Logo.page == page_id) & Page.deleted_at.is_null()
    logo: Logo | None = Logo.select().join(Page).where(is_there).get_or_none()
    return logo
