"""The page's deny list, and for its owner the one of all their pages."""

from typing import Any

from flask.typing import ResponseReturnValue
from wtforms import SelectField, StringField
from wtforms.validators import InputRequired

from embed.db.models import Block, Page
from embed.errors import NotFound
from embed.submissions import deny_list
from embed.web.current import runtime
from embed.web.dashboard.access import current_client, current_person, open_page
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.responses import Form, redirect_to, render, show_mistakes
from embed.web.languages import gettext, lazy_gettext

ALL_PAGES = "all"
# Labels by value; the type stubs of WTForms do not support this form.
_KINDS: Any = {
    "wallet": lazy_gettext("Wallet"),
    "name": lazy_gettext("Name"),
    "network": lazy_gettext("Network"),
}
_SCOPES: Any = {
    "page": lazy_gettext("On this page"),
    ALL_PAGES: lazy_gettext("On all my pages"),
}


class BlockForm(Form):
    kind = SelectField(lazy_gettext("Kind"), choices=_KINDS)
    pattern = StringField(
        lazy_gettext("What to block"),
        [InputRequired(lazy_gettext("Write what is to be blocked."))],
        description=lazy_gettext(
            "A wallet's address; a name, where * stands for any number of characters and ? for one,"
            " such as *admin*; or a visitor's network, such as 192.0.2.0/24."
        ),
    )
    scope = SelectField(lazy_gettext("Where"), choices=_SCOPES)


@blueprint.get("/pages/<page_id>/deny-list")
def list_blocks(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    return _show(page, _make_form(page, formdata=None))


@blueprint.post("/pages/<page_id>/deny-list")
def add_block(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    form = _make_form(page)
    if form.validate():
        with show_mistakes(form):
            block = _add(page, form)
            return redirect_to(
                "list_blocks", gettext("%(pattern)s is blocked.", pattern=block.pattern), page
            )
    return _show(page, form)


def _make_form(page: Page, **options: Any) -> BlockForm:
    form = BlockForm(**options)
    if not _is_own(page):
        del form.scope
    return form


def _is_own(page: Page) -> bool:
    return bool(page.owner_id == current_person().id)


def _add(page: Page, form: BlockForm) -> Block:
    """Raises InvalidInput."""
    person, now = current_person(), runtime().clock()
    kind, pattern = form.kind.data, form.pattern.data or ""
    if form.scope is not None and form.scope.data == ALL_PAGES:
        return deny_list.block_for_person(
            person, kind, pattern, now, actor=person.email, client=current_client()
        )
    return deny_list.block_on_page(page.id, kind, pattern, now, actor=person.email)


def _show(page: Page, form: BlockForm) -> ResponseReturnValue:
    return render(
        "deny_list.html",
        page=page,
        form=form,
        kinds=_KINDS,
        of_page=deny_list.list_of_page(page),
        of_person=deny_list.list_of_person(page.owner) if _is_own(page) else None,
    )


@blueprint.post("/pages/<page_id>/deny-list/<block_id>/remove")
def remove_block(page_id: str, block_id: str) -> ResponseReturnValue:
    page, person = open_page(page_id), current_person()
    block = deny_list.get_block(block_id)
    if block.page_id != page.id and not (_is_own(page) and block.person_id == person.id):
        raise NotFound(block.id)
    deny_list.remove_block(block.id, runtime().clock(), actor=person.email, client=current_client())
    return redirect_to(
        "list_blocks", gettext("%(pattern)s is no longer blocked.", pattern=block.pattern), page
    )
