"""Exporting wallets as CSV, and importing them with a dry run."""

import re

from flask import Response, request
from flask.typing import ResponseReturnValue
from flask_wtf.file import FileField
from wtforms import BooleanField

from embed.db.models import Page
from embed.domain.turns import Turns
from embed.errors import InvalidInput
from embed.wallets import imports
from embed.wallets.csv_format import COLUMNS, decode_sheet, parse_sheet
from embed.wallets.csv_mistakes import group_mistakes
from embed.web.current import runtime
from embed.web.dashboard.access import current_person, open_page
from embed.web.dashboard.blueprint import blueprint
from embed.web.dashboard.responses import Form, redirect_to, render, write_mistake
from embed.web.languages import format_number, gettext, lazy_gettext

# A text is sent back in fields of this length, none of which ends inside a line end.
_PIECE = re.compile(r".{1,32768}\n?", re.DOTALL)

# 50,000 wallets take some 100 MiB and seconds, so tables are read and written one at a time.
_one_at_a_time = Turns(1)


class ImportForm(Form):
    file = FileField(
        lazy_gettext("CSV file"),
        description=lazy_gettext("UTF-8, with commas between the columns."),
    )
    makes_tags = BooleanField(lazy_gettext("Create tags that the page does not have yet"))


@blueprint.get("/pages/<page_id>/wallets.csv")
def export_wallets(page_id: str) -> ResponseReturnValue:
    page = open_page(page_id)
    with _one_at_a_time:
        sheet = imports.export_sheet(page, uses_chain=runtime().settings.uses_chain)
    body = "\ufeff" + sheet  # without a byte order mark, Excel does not read it as UTF-8
    response = Response(body, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="wallets-{page.id}.csv"'
    return response


@blueprint.route("/pages/<page_id>/wallets/import", methods=["GET", "POST"])
def import_wallets(page_id: str) -> ResponseReturnValue:
    """Show what a file would change, without changing anything."""
    page = open_page(page_id)
    form = ImportForm()
    if not form.validate_on_submit():
        return _show_form(page, form)
    makes_tags = bool(form.makes_tags.data)
    with _one_at_a_time:
        try:
            text = _read_file()
        except InvalidInput as mistake:
            form.file.errors = [write_mistake(mistake)]
            return _show_form(page, form, status=422)
        settings = runtime().settings
        sheet = parse_sheet(text, max_wallets=settings.max_wallets)
        plan = imports.plan_import(page, sheet, makes_tags=makes_tags, settings=settings)
        return _show_plan(page, form, plan, text)


@blueprint.post("/pages/<page_id>/wallets/import/apply")
def apply_import(page_id: str) -> ResponseReturnValue:
    """Apply the checked text, which the fields "text" bring back, after another check."""
    page = open_page(page_id)
    with _one_at_a_time:
        text = "".join(request.form.getlist("text"))
        settings = runtime().settings
        plan = imports.apply_import(
            page.id,
            parse_sheet(text, max_wallets=settings.max_wallets),
            makes_tags="makes_tags" in request.form,
            settings=settings,
            now=runtime().clock(),
            actor=current_person().email,
        )
        if plan.mistakes:  # the page has changed since the dry run
            return _show_plan(page, ImportForm(), plan, text)
    return redirect_to(
        "list_wallets",
        gettext(
            "%(added)s added, %(changed)s changed.",
            added=format_number(plan.added),
            changed=format_number(plan.changed),
        ),
        page,
    )


def _show_form(page: Page, form: ImportForm, status: int = 200) -> ResponseReturnValue:
    return render(
        "wallets_import.html",
        page=page,
        form=form,
        columns=COLUMNS,
        max_wallets=runtime().settings.max_wallets,
        status=status,
    )


def _read_file() -> str:
    """Raises InvalidInput."""
    file = request.files.get("file")
    if file is None or not file.filename:
        raise InvalidInput("Choose a file.")
    return decode_sheet(file.read())


def _show_plan(page: Page, form: ImportForm, plan: imports.Plan, text: str) -> ResponseReturnValue:
    return render(
        "wallets_plan.html",
        page=page,
        form=form,
        plan=plan,
        groups=group_mistakes(plan.mistakes),
        write_mistake=write_mistake,
        pieces=_PIECE.findall(text),
        columns=COLUMNS,
        status=422 if plan.mistakes else 200,
    )
