"""The page's tags, in a panel beside its wallets."""

from typing import Any, cast

from flask import request
from flask.typing import ResponseReturnValue
from wtforms import BooleanField, RadioField, StringField
from wtforms.validators import InputRequired, Length

from embed.db.models import Page
from embed.wallets import tags
from embed.wallets.tags import TagFields
from embed.web.dashboard.access import current_change, get_own_tag
from embed.web.dashboard.responses import Form, redirect_to, show_mistakes
from embed.web.dashboard.routes import FORM, page_route
from embed.web.dashboard.wallet_list import render_wallets
from embed.web.languages import gettext, lazy_gettext

HELP = "owners#tags"
_COLORS: Any = list(tags.COLORS)  # the type stubs of WTForms do not allow plain strings


class TagForm(Form):
    name = StringField(
        lazy_gettext("Name"), [InputRequired(lazy_gettext("A tag needs a name.")), Length(max=40)]
    )
    color = RadioField(lazy_gettext("Color"), choices=_COLORS, default=tags.COLORS[0])
    is_left_out = BooleanField(
        lazy_gettext("Don't count its wallets in totals"),
        description=lazy_gettext(
            "For pools, exchanges and others who hold other people's tokens. They stay on the "
            "list but don't count in its total and share of supply."
        ),
    )


@page_route("/wallets/tags", needs="viewer", help=HELP)
def list_tags(page: Page) -> ResponseReturnValue:
    return _show_list(page, TagForm(formdata=None, color=tags.order_colors(page)[0]))


@page_route("/wallets/tags", methods=["POST"], needs="editor", keeps_text=True)
def add_tag(page: Page) -> ResponseReturnValue:
    form = TagForm()
    if form.validate():
        with show_mistakes(form):
            tag = tags.add_tag(
                page.id,
                form.name.data or "",
                form.color.data,
                current_change(),
                is_counted=not form.is_left_out.data,
            )
            return redirect_to(
                "list_tags", gettext("The tag %(name)s has been added.", name=tag.name), page
            )
    return _show_list(page, form)


def _show_list(page: Page, form: TagForm) -> ResponseReturnValue:
    return render_wallets(page, "tags.html", form=form, counts=tags.count_wallets(page))


@page_route("/wallets/tags/<tag_id>", methods=FORM, needs="editor", help=HELP, keeps_text=True)
def edit_tag(page: Page, tag_id: str) -> ResponseReturnValue:
    tag = get_own_tag(page, tag_id)
    form = TagForm(obj=tag, is_left_out=not tag.is_counted)
    if tag.color not in tags.COLORS:  # set on the command line, from the owner's own palette
        form.color.choices = [*_COLORS, *cast(Any, [tag.color])]
    if form.validate_on_submit():
        changes = TagFields(
            name=form.name.data or "",
            color=form.color.data,
            is_counted=not form.is_left_out.data,
        )
        with show_mistakes(form):
            tags.update_tag(tag.id, changes, current_change())
            return redirect_to("list_tags", gettext("Saved."), page)
    return render_wallets(page, "tag_form.html", form=form, tag=tag)


@page_route("/wallets/tags/<tag_id>/remove", methods=FORM, needs="editor", help=HELP)
def remove_tag(page: Page, tag_id: str) -> ResponseReturnValue:
    tag = get_own_tag(page, tag_id)
    if request.method != "POST":
        count = tags.count_wallets(page).get(tag.id, 0)
        return render_wallets(page, "tag_remove.html", tag=tag, count=count)
    tags.remove_tag(tag.id, current_change())
    return redirect_to(
        "list_tags", gettext("The tag %(name)s has been removed.", name=tag.name), page
    )
