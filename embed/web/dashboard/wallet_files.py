"""Exporting wallets as CSV, and importing them once the owner has seen how a file is read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from flask_wtf.file import FileField
from werkzeug.exceptions import RequestEntityTooLarge

from embed.db.models import Page
from embed.domain.addresses import shorten_address
from embed.domain.concurrency import ConcurrencyLimit
from embed.errors import InvalidInput
from embed.wallets import imports
from embed.wallets.csv_format import COLUMNS, Line
from embed.wallets.csv_lines import ParsedTable, group_mistakes, parse_table
from embed.wallets.csv_reader import (
    Table,
    decode_csv,
    read_table,
)
from embed.web.current import runtime
from embed.web.dashboard.access import current_change
from embed.web.dashboard.responses import Form, redirect_to, render, write_mistake
from embed.web.dashboard.routes import FORM, page_route
from embed.web.figures import format_in_full
from embed.web.languages import format_number, gettext, lazy_gettext

HELP = "owners#import-and-export"
MAX_FILE_BYTES = 16 * 1024 * 1024  # a CSV of 50,000 wallets with long names and several tags
MAX_UPLOAD_BYTES = MAX_FILE_BYTES + 1024 * 1024  # also of text in fields, with longer line endings
# A text is sent back in fields of this length, which never split a line ending.
_PIECE = re.compile(r".{1,32768}\n?", re.DOTALL)
_SHOWN_ROWS = 5

# 50,000 wallets take some 100 MiB and seconds, so tables are read and written one at a time.
_one_at_a_time = ConcurrencyLimit(1)


class ImportForm(Form):
    file = FileField(lazy_gettext("CSV file"))


@dataclass(frozen=True, slots=True)
class Choice:
    """What an owner decides about a table."""

    columns: Sequence[str]  # one for each of the table's
    makes_tags: bool
    changes_listed: bool


@page_route("/wallets.csv", needs="viewer", confirms=True, downloaded_from="list_wallets")
def export_wallets(page: Page) -> ResponseReturnValue:
    with _one_at_a_time:
        text = imports.export_csv(page, runtime().balances)
    body = "\ufeff" + text  # without a byte order mark, Excel does not read it as UTF-8
    response = Response(body, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="wallets-{page.id}.csv"'
    return response


@page_route(
    "/wallets/import", methods=FORM, needs="editor", help=HELP, max_upload_bytes=MAX_UPLOAD_BYTES
)
def import_wallets(page: Page) -> ResponseReturnValue:
    """Show what a file would change, or its text with the owner's choice."""
    if not ImportForm().validate_on_submit():
        return _show_form(page)
    with _one_at_a_time:
        try:
            text = _read_text() or _read_file()
            table = read_table(text, max_wallets=runtime().settings.max_wallets)
        except InvalidInput as mistake:
            return _show_form(page, mistake)
        return _show_plan(page, text, table)


@page_route(
    "/wallets/import/apply",
    methods=["POST"],
    needs="editor",
    help=HELP,
    max_upload_bytes=MAX_UPLOAD_BYTES,
)
def apply_import(page: Page) -> ResponseReturnValue:
    """Import the text that the "text" fields send back, by the columns that the owner has seen.

    Without scripts, columns can be changed and sent at once; the new plan is then shown first.
    """
    with _one_at_a_time:
        text = _read_text()
        try:
            table = read_table(text, max_wallets=runtime().settings.max_wallets)
            choice = _read_choice(table)
            columns = ",".join(choice.columns)
            if request.form.get("checked", columns) != columns:
                return _show_plan(page, text, table)
            parsed = parse_table(table, choice.columns)
        except InvalidInput as mistake:
            return _show_form(page, mistake)
        plan = imports.apply_import(
            page.id,
            parsed,
            current_change(),
            balances=runtime().balances,
            makes_tags=choice.makes_tags,
            changes_listed=choice.changes_listed,
            skips_mistakes=True,
        )
        if plan.is_too_long or not plan.changes:  # the page has changed since it was shown
            return _show_plan(page, text, table)
    skipped = plan.wrong_lines + plan.unchanged
    return redirect_to(
        "list_wallets",
        gettext(
            "%(added)s added, %(changed)s changed, %(skipped)s skipped.",
            added=format_number(plan.added),
            changed=format_number(plan.changed),
            skipped=format_number(skipped),
        ),
        page,
    )


def _show_form(page: Page, mistake: InvalidInput | None = None) -> ResponseReturnValue:
    form = ImportForm()
    if mistake:
        form.file.errors = [write_mistake(mistake)]
    return render(
        "wallets_import.html",
        page=page,
        form=form,
        columns=COLUMNS,
        max_wallets=runtime().settings.max_wallets,
    )


def _read_text() -> str:
    return "".join(request.form.getlist("text"))


def _read_file() -> str:
    """Raises InvalidInput, RequestEntityTooLarge."""
    file = request.files.get("file")
    if file is None or not file.filename:
        raise InvalidInput("Choose a file.")
    text = decode_csv(file.read())
    if len(text.encode()) > MAX_FILE_BYTES:  # as it is sent back
        raise RequestEntityTooLarge
    return text


def _read_choice(table: Table) -> Choice:
    chosen = request.form.getlist("column")
    is_whole = len(chosen) == len(table.columns) and {*COLUMNS, ""}.issuperset(chosen)
    return Choice(
        chosen if is_whole else table.columns,
        makes_tags="makes_tags" in request.form or "file" in request.files,
        changes_listed="changes_listed" in request.form,
    )


def _show_plan(page: Page, text: str, table: Table) -> ResponseReturnValue:
    choice = _read_choice(table)
    parsed, plan, problem = ParsedTable([], []), None, None
    try:
        parsed = parse_table(table, choice.columns)
        plan = imports.plan_import(
            page,
            parsed,
            makes_tags=choice.makes_tags,
            changes_listed=choice.changes_listed,
            balances=runtime().balances,
            settings=runtime().settings,
        )
    except InvalidInput as mistake:
        problem = write_mistake(mistake)
    file = request.files.get("file")
    return render(
        "wallets_plan.html",
        page=page,
        name=(file.filename if file else request.form.get("name")) or "",
        table=table,
        choice=choice,
        rows=_show_rows(table, choice, parsed, plan),
        plan=plan,
        problem=problem,
        groups=group_mistakes(plan.mistakes) if plan else (),
        write_mistake=write_mistake,
        pieces=_PIECE.findall(text),
        status=200 if plan and (plan.changes or not plan.mistakes) else 422,
    )


def _show_rows(
    table: Table, choice: Choice, parsed: ParsedTable, plan: imports.ImportPlan | None
) -> list[dict[str, Any]]:
    """Return the first rows as they are read.

    The outcome is new, changed, same, or the mistake's name; empty if not known yet.
    """
    lines = {line.number: line for line in parsed.lines}
    outcomes = dict.fromkeys(lines, "same") if plan else {}
    for change in plan.changes if plan else ():
        outcomes[change.line.number] = "changed" if change.before else "new"
    for mistake in reversed(plan.mistakes if plan else ()):
        outcomes[mistake.number] = mistake.kind.name
    return [
        {
            "cells": [
                _write_cell(role, "".join(cells[place : place + 1]), lines.get(number))
                for place, role in enumerate(choice.columns)
            ],
            "outcome": outcomes.get(number, ""),
        }
        for number, cells in table.rows[:_SHOWN_ROWS]
    ]


def _write_cell(role: str, cell: str, line: Line | None) -> str:
    if role == "address" and (line or len(cell) > 12):
        return shorten_address(line.address if line else cell)
    if role == "alias" and line:
        return line.alias or ""
    if role == "tags" and line:
        return ", ".join(line.tag_names or ())
    if role == "balance" and line:
        return "" if line.balance is None else format_in_full(line.balance)
    return cell if len(cell) <= 60 else f"{cell[:59]}…"
