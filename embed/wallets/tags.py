"""Tags that an owner puts on wallets."""

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from peewee import JOIN, fn

from embed.db.constraints import translate_unique_violations
from embed.db.fields import in_byte_order
from embed.db.models import Page, Tag, WalletTag
from embed.domain.texts import gettext_noop, parse_text
from embed.errors import InvalidInput
from embed.events.editing import COMMAND_LINE, editing, editing_row
from embed.events.kinds import TagFacts

# The colors that the dashboard offers: the style sheets define them for light and dark.
COLORS = (
    "blue", "green", "orange", "purple", "teal", "red", "yellow", "pink", "cyan", "brown",
)  # fmt: skip

# A plain color word, or a token of the owner's own palette such as "blue-500" (docs/api.md,
# Read a page).
_COLOR = re.compile(r"[a-z][a-z0-9-]{0,29}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TagFields:
    """The values to set; None leaves a value unchanged."""

    name: str | None = None
    color: str | None = None
    is_counted: bool | None = None


def add_tag(
    page_id: str,
    name: str,
    color: str,
    now: datetime,
    *,
    is_counted: bool = True,
    actor: str = COMMAND_LINE,
) -> Tag:
    """Raises NotFound, InvalidInput."""
    name, color = parse_name(name), _parse_color(color)
    with _translate_conflict(name), editing(page_id, actor, now) as edit:
        tag = Tag.create(
            page=edit.page, name=name, color=color, is_counted=is_counted, created_at=now
        )
        edit.log("add tag", TagFacts(name, counted=None if is_counted else False))
    return tag


def update_tag(tag_id: str, fields: TagFields, now: datetime, *, actor: str = COMMAND_LINE) -> Tag:
    """Raises NotFound, InvalidInput."""
    changes: dict[str, Any] = {}
    if fields.name is not None:
        changes["name"] = parse_name(fields.name)
    if fields.color is not None:
        changes["color"] = _parse_color(fields.color)
    if fields.is_counted is not None:
        changes["is_counted"] = fields.is_counted
    with (
        _translate_conflict(changes.get("name", "")),
        editing_row(Tag, tag_id, actor, now) as (edit, tag),
    ):
        before = {name: getattr(tag, name) for name in changes}
        previous_name, was_counted = tag.name, tag.is_counted
        if before != changes:
            for name, value in changes.items():
                setattr(tag, name, value)
            tag.save()
            counted = None if tag.is_counted == was_counted else tag.is_counted
            edit.log("change tag", TagFacts(tag.name, previous_name, counted))
    return tag


def _translate_conflict(name: str) -> AbstractContextManager[None]:
    taken = InvalidInput("The page already has the tag %(name)s.", field="name", name=repr(name))
    return translate_unique_violations({"tag_page_id_name": taken})


def parse_name(raw: str) -> str:
    """Raises InvalidInput."""
    return parse_text(raw, gettext_noop("tag's name"), field="name", max_length=40)


def _parse_color(raw: str) -> str:
    color = raw.strip().lower()
    if not _COLOR.fullmatch(color):
        raise InvalidInput(
            "%(color)s isn't a color name, such as green or blue-500.",
            field="color",
            color=repr(color),
        )
    return color


def list_tags(page: Page) -> list[Tag]:
    """Return a page's tags, oldest first."""
    tags = Tag.select().where(Tag.page == page)
    return list(tags.order_by(Tag.created_at, in_byte_order(Tag.id)))


def order_colors(page: Page) -> list[str]:
    """Return COLORS, starting with those that no tag of the page uses; blue-500 counts as blue."""
    used = {tag.color.partition("-")[0] for tag in list_tags(page)}
    return sorted(COLORS, key=lambda color: color in used)


def count_wallets(page: Page) -> dict[str, int]:
    """Return the number of wallets that have each of the page's tags, by the tag's id."""
    counted = (
        Tag.select(Tag.id, fn.COUNT(WalletTag.wallet))
        .join(WalletTag, JOIN.LEFT_OUTER)
        .where(Tag.page == page)
        .group_by(Tag.id)
    )
    rows: Iterable[Any] = counted.tuples()
    return dict(rows)


def remove_tag(tag_id: str, now: datetime, *, actor: str = COMMAND_LINE) -> Tag:
    """Remove a tag from its page and from all wallets. Raises NotFound."""
    with editing_row(Tag, tag_id, actor, now) as (edit, tag):
        tag.delete_instance()
        edit.log("remove tag", TagFacts(tag.name))
    return tag
