"""Tags that an owner puts on wallets."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from peewee import JOIN, IntegrityError, fn

from embed.db.connection import db
from embed.db.constraints import find_unique_index
from embed.db.models import Page, Tag, WalletTag
from embed.domain.texts import parse_text
from embed.errors import InvalidInput, NotFound
from embed.pages import bump_version, lock_page

# A plain color word, or a token of the owner's own palette such as "blue-500" (spec 2.3).
# What the dashboard offers: words that the style sheets know, readable in light and dark.
COLORS = (
    "blue", "green", "orange", "purple", "teal", "red", "yellow", "pink", "cyan", "brown",
)  # fmt: skip

_COLOR = re.compile(r"[a-z][a-z0-9-]{0,29}")


def add_tag(page_id: str, name: str, color: str, now: datetime) -> Tag:
    """Raises NotFound, InvalidInput."""
    name, color = parse_name(name), _parse_color(color)
    try:
        with db.atomic():
            page = lock_page(page_id)
            tag = Tag.create(page=page, name=name, color=color, created_at=now)
            bump_version(page.id)
    except IntegrityError as error:
        if find_unique_index(error) != "tag_page_id_name":
            raise
        raise InvalidInput(f"The page has a tag {name!r} already.") from None
    return tag


def update_tag(tag_id: str, name: str, color: str) -> Tag:
    """Rename and recolour. Raises NotFound, InvalidInput."""
    name, color = parse_name(name), _parse_color(color)
    try:
        with db.atomic():
            tag = _lock_tag(tag_id)
            tag.name, tag.color = name, color
            tag.save()
            bump_version(tag.page_id)
    except IntegrityError as error:
        if find_unique_index(error) != "tag_page_id_name":
            raise
        raise InvalidInput(f"The page has a tag {name!r} already.") from None
    return tag


def parse_name(raw: str) -> str:
    """Raises InvalidInput."""
    return parse_text(raw, "tag's name", max_length=40)


def _parse_color(raw: str) -> str:
    color = raw.strip().lower()
    if not _COLOR.fullmatch(color):
        raise InvalidInput(f"{color!r} is not the name of a color, such as green or blue-500.")
    return color


def list_tags(page: Page) -> list[Tag]:
    """Return a page's tags, oldest first."""
    return list(Tag.select().where(Tag.page == page).order_by(Tag.created_at, Tag.id))


def count_wallets(page: Page) -> dict[str, int]:
    """Return on how many of the page's wallets each tag is, by its id."""
    counted = (
        Tag.select(Tag.id, fn.COUNT(WalletTag.wallet))
        .join(WalletTag, JOIN.LEFT_OUTER)
        .where(Tag.page == page)
        .group_by(Tag.id)
    )
    rows: Iterable[Any] = counted.tuples()
    return dict(rows)


def remove_tag(tag_id: str) -> Tag:
    """Take a tag off its page and off every wallet there. Raises NotFound."""
    with db.atomic():
        tag = _lock_tag(tag_id)
        tag.delete_instance()
        bump_version(tag.page_id)
    return tag


def _lock_tag(tag_id: str) -> Tag:
    tag = Tag.get_or_none(Tag.id == tag_id)
    if tag is None:
        raise NotFound(f"There is no tag {tag_id}.")
    lock_page(tag.page_id)
    return tag
