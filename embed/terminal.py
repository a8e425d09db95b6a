"""Shared by all commands: ``--json``, tables, and error messages of one line."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, cast

import click
from click.exceptions import NoArgsIsHelpError
from flask import current_app
from flask.cli import AppGroup
from peewee import DatabaseError, InterfaceError, OperationalError

from embed.db.schema_version import NewerDatabase, check_not_newer, list_missing_migrations
from embed.domain.amounts import format_amount
from embed.errors import InvalidInput, NotFound
from embed.runtime import EXTENSION, Runtime
from embed.serializers import write_json

JsonObject = dict[str, Any]


def runtime() -> Runtime:
    return cast(Runtime, current_app.extensions[EXTENSION])


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
confirm_option = click.option("--yes", is_flag=True, help="Confirm that this is meant.")


class Command(click.Command):
    """A command whose errors are one line on standard error."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with shorten_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with shorten_errors():
            return super().invoke(ctx)


class Group(Command, AppGroup):
    """A group of such commands."""


@contextmanager
def shorten_errors() -> Iterator[None]:
    try:
        yield
    except NoArgsIsHelpError:
        raise
    except click.UsageError as mistake:
        raise Misuse(_join_lines(mistake.format_message())) from None
    except UnicodeEncodeError:
        raise click.ClickException("The command line contains bytes that are not UTF-8.") from None
    except (InvalidInput, NotFound) as mistake:
        raise click.ClickException(_join_lines(mistake)) from None
    except (DatabaseError, InterfaceError) as failure:
        raise click.ClickException(_join_lines(_explain(failure))) from None
    except BrokenPipeError:  # click ends quietly: whoever read the output has had enough
        raise
    except OSError as failure:
        _drop_unwritten_output()
        raise click.ClickException(_join_lines(failure)) from None


def _drop_unwritten_output() -> None:
    """Discard output that cannot be written."""
    # Python would try to write it again when it ends, and exit with status 120.
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Misuse(click.ClickException):
    """An invalid command line, reported in one line where click would print four."""

    exit_code = 2


def _join_lines(text: object) -> str:
    return " ".join(str(text).split())


def _explain(failure: Exception) -> str:
    try:
        check_not_newer()
        is_behind = bool(list_missing_migrations())
    except NewerDatabase as newer:
        return str(newer)
    except (DatabaseError, InterfaceError):
        is_behind = False
    if is_behind:
        return "The database has not been upgraded to this version: run flask db upgrade"
    if isinstance(failure, (OperationalError, InterfaceError)):
        return f"The database does not answer: {failure}"
    return f"The database refused this: {failure}"


def check_confirmed(yes: bool, what: str) -> None:
    """Raises click.UsageError unless ``--yes`` was given."""
    if not yes:
        raise click.UsageError(f"This {what}; add --yes to confirm.")


def print_object(fields: JsonObject, *, as_json: bool) -> None:
    """Print a JSON object, or one line per field."""
    if as_json:
        click.echo(write_json(fields))
        return
    width = max(len(name) for name in fields)
    for name, value in fields.items():
        click.echo(f"{name:<{width}}  {_format(value)}")


def print_list(objects: Sequence[JsonObject], *, as_json: bool) -> None:
    """Print a JSON array, or a table."""
    if as_json:
        click.echo(write_json(objects))
        return
    if not objects:
        click.echo("None yet.")
        return
    rows = [list(objects[0])]
    rows += [[_format(value) for value in each.values()] for each in objects]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        line = "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        click.echo(line.rstrip())


def _format(value: Any) -> str:
    if value is None or value == []:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return format_amount(value)
    if isinstance(value, list):
        return ", ".join(one["name"] if isinstance(one, dict) else str(one) for one in value)
    # Control characters in visitors' and owners' text must not reach the terminal.
    return "".join(character if character.isprintable() else " " for character in str(value))
