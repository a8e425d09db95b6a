"""The page's deny list and, for its owner, the one for all their pages: a part of the rules."""

from typing import Any, NamedTuple

from wtforms import SelectField, StringField
from wtforms.validators import InputRequired

from embed.db.models import Block, Page
from embed.domain.deny_list import find_kind, parse_pattern
from embed.submissions import deny_list
from embed.web.dashboard.access import current_change, current_person
from embed.web.dashboard.responses import Form
from embed.web.languages import lazy_gettext

ALL_PAGES = "all"
# Labels by value; the type stubs of WTForms do not support this form.
_KINDS: Any = {
    "wallet": lazy_gettext("Wallet"),
    "name": lazy_gettext("Name"),
    "network": lazy_gettext("Network"),
}
_SCOPES: Any = {
    "page": lazy_gettext("on this page"),
    ALL_PAGES: lazy_gettext("on all my pages"),
}


class BlockForm(Form):
    pattern = StringField(
        lazy_gettext("Address, *name* or network"),
        [InputRequired(lazy_gettext("Enter what to block."))],
    )
    scope = SelectField(lazy_gettext("Where"), choices=_SCOPES)


def make_block_form(page: Page, **options: Any) -> BlockForm:
    form = BlockForm(**options)
    if not is_own(page):
        del form.scope
    return form


def is_own(page: Page) -> bool:
    return bool(page.owner_id == current_person().id)


def add_block(page: Page, form: BlockForm) -> Block:
    """Block the form's pattern on the page, or on all of the owner's. Raises InvalidInput."""
    pattern, change = form.pattern.data or "", current_change()
    kind = find_kind(pattern)
    if form.scope is not None and form.scope.data == ALL_PAGES:
        return deny_list.block_for_person(current_person(), kind, pattern, change)
    return deny_list.block_on_page(page.id, kind, pattern, change)


class Recognized(NamedTuple):
    """What would be blocked, and the names on the page that it matches, which stay."""

    kind: str
    compared: int  # how many names
    names: list[str]


def recognize(page: Page, raw_pattern: str) -> Recognized:
    """Return what a pattern would block. Raises InvalidInput."""
    kind = find_kind(raw_pattern)
    return Recognized(kind, *deny_list.find_listed(page, kind, parse_pattern(kind, raw_pattern)))


def read_lists(page: Page) -> dict[str, Any]:
    """Return the template's values."""
    return {
        "kinds": _KINDS,
        "of_page": deny_list.list_of_page(page),
        "of_person": deny_list.list_of_person(page.owner) if is_own(page) else None,
    }
