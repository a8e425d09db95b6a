"""Tags that an owner puts on wallets."""

import re
from datetime import datetime

from peewee import IntegrityError

from embed.database import db
from embed.domain.texts import parse_text
from embed.errors import InvalidInput, NotFound
from embed.models import Tag
from embed.pages import bump_version, get_page, lock_page

# A plain color word, or a token of the owner's own palette such as "blue-500" (spec 2.3).
_COLOR = re.compile(r"[a-z][a-z0-9-]{0,29}")


def add_tag(page_id: str, name: str, color: str, now: datetime) -> Tag:
    """Raises NotFound, InvalidInput."""
    name = parse_text(name, "tag's name", max_length=40)
    color = color.strip().lower()
    if not _COLOR.fullmatch(color):
        raise InvalidInput(f"{color!r} is not the name of a color, such as green or blue-500.")
    try:
        with db.atomic():
            page = lock_page(page_id)
            tag = Tag.create(page=page, name=name, color=color, created_at=now)
            bump_version(page.id)
    except IntegrityError:
        raise InvalidInput(f"The page has a tag {name!r} already.") from None
    return tag


def list_tags(page_id: str) -> list[Tag]:
    """Raises NotFound."""
    page = get_page(page_id)
    return list(Tag.select().where(Tag.page == page).order_by(Tag.created_at, Tag.id))


def remove_tag(tag_id: str) -> Tag:
    """Take a tag off its page and off every wallet there. Raises NotFound."""
    with db.atomic():
        tag = Tag.get_or_none(Tag.id == tag_id)
        if tag is None:
            raise NotFound(f"There is no tag {tag_id}.")
        lock_page(tag.page_id)
        tag.delete_instance()
        bump_version(tag.page_id)
    return tag
