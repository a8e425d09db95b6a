"""Shared by all commands: ``--json``, tables, and one-line error messages."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, cast

import click
import msgspec
from click.exceptions import NoArgsIsHelpError
from flask import current_app
from flask.cli import AppGroup, with_appcontext
from peewee import DatabaseError, InterfaceError, OperationalError

from embed.db.connection import find_missing_file
from embed.db.failures import explain, find_remedy
from embed.db.schema_version import (
    OtherVersion,
    check_version,
    is_schema_missing,
    list_missing_migrations,
)
from embed.domain.amounts import format_amount
from embed.errors import InvalidInput, NotFound
from embed.events.editing import COMMAND_LINE, Change
from embed.runtime import EXTENSION, Runtime
from embed.serializers import as_dict, write_json
from embed.settings import SettingsError

JsonObject = dict[str, Any]
_TABLE_WIDTH = 100  # columns of a terminal
_GAP = "  "
_UNCUT = re.compile(r"^id$|[aA]ddress$|Balance$|Iso$")  # useless without their end
_SHORTEST = 8  # least characters of a shortened cell
_WANTS_JSON = "embed.wants_json"  # in click's Context.meta


def runtime() -> Runtime:
    """Raises SettingsError if a setting isn't valid."""
    found = current_app.extensions[EXTENSION]
    if isinstance(found, SettingsError):
        raise found
    return cast(Runtime, found)


def current_change() -> Change:
    return runtime().change(COMMAND_LINE)


Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def options(*decorators: Decorator) -> Decorator:
    """Return a decorator that adds several options, to use for more than one command."""

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return add


confirm_option = click.option("--yes", is_flag=True, help="Confirm the command.")


def check_confirmed(yes: bool, what: str) -> None:
    """Raises click.UsageError unless ``--yes`` was given."""
    if not yes:
        raise click.UsageError(f"This {what}; add --yes to confirm.")


def _keep_choice(context: click.Context, _: click.Parameter, is_wanted: bool) -> None:
    context.meta[_WANTS_JSON] = is_wanted


_JSON_OPTION = click.Option(
    ["--json"],
    is_flag=True,
    expose_value=False,
    callback=_keep_choice,
    help="Print JSON with all fields.",
)


def wants_json() -> bool:
    return bool(click.get_current_context().meta[_WANTS_JSON])


class _ShortErrors(click.Command):
    """A command whose errors are one line on standard error."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with shorten_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with shorten_errors():
            return super().invoke(ctx)


class Command(_ShortErrors):
    """A command with short errors and ``--json``, run in the app's context."""

    def __init__(
        self,
        name: str,
        callback: Callable[..., None],
        *,
        needs_settings: bool = True,
        speaks_json: bool = True,
        **others: Any,
    ) -> None:
        def run(*args: Any, **kwargs: Any) -> None:
            if needs_settings:
                runtime()
            callback(*args, **kwargs)

        super().__init__(name, callback=with_appcontext(run), **others)
        if speaks_json:
            self.params.append(_JSON_OPTION)


class Group(_ShortErrors, AppGroup):
    command_class = Command


@contextmanager
def shorten_errors() -> Iterator[None]:
    try:
        yield
    except NoArgsIsHelpError:
        raise
    except click.UsageError as mistake:
        text = _join_lines(mistake.format_message())
        raise click.UsageError(text) from None  # without a context it prints no usage
    except UnicodeEncodeError:
        raise click.ClickException("The command line contains bytes that are not UTF-8.") from None
    except (InvalidInput, NotFound, SettingsError) as mistake:
        raise click.ClickException(_join_lines(mistake)) from None
    except (DatabaseError, InterfaceError) as failure:
        raise click.ClickException(_join_lines(_explain(failure))) from None
    except BrokenPipeError:  # the reader has closed the output; click ends quietly
        raise
    except OSError as failure:
        raise click.ClickException(_join_lines(failure)) from None


def _join_lines(text: object) -> str:
    return " ".join(str(text).split())


def _explain(failure: Exception) -> str:
    missing = find_missing_file()
    if missing is not None:
        return (
            f"There is no database at {missing} (DATABASE_URL). Use the service's settings;"
            " only if it has no database yet, create one with flask db upgrade."
        )
    try:
        check_version()
        is_behind = bool(list_missing_migrations())
    except OtherVersion as other:
        return str(other)
    except (DatabaseError, InterfaceError):
        is_behind = False
    if is_behind and is_schema_missing(failure):
        return "The database has not been upgraded to this version: run flask db upgrade"
    is_away = isinstance(failure, (OperationalError, InterfaceError)) and not find_remedy(failure)
    return f"The database {'does not answer' if is_away else 'refused this'}: {explain(failure)}"


def print_answer(answer: Any, text: str | None = None) -> None:
    """Print the answer as JSON with ``--json``; else `text`, or a line for each field."""
    if wants_json():
        click.echo(write_json(answer))
    else:
        click.echo(format_answer(answer) if text is None else text)


def print_list(answers: Sequence[JsonObject | msgspec.Struct], columns: Sequence[str]) -> None:
    """Print all fields as JSON with ``--json``; else a table of some of them."""
    print_answer(answers, format_table(answers, columns))


def format_answer(answer: JsonObject | msgspec.Struct) -> str:
    fields = as_dict(answer)
    width = max(map(len, fields))
    return "\n".join(f"{name:<{width}}  {_format(value)}" for name, value in fields.items())


def format_table(answers: Sequence[JsonObject | msgspec.Struct], columns: Sequence[str]) -> str:
    """Return lines that fit a terminal; people's texts are shortened if necessary."""
    if not answers:
        return "None yet."
    rows = [list(columns)]
    rows += [[_format(fields[name]) for name in columns] for fields in map(as_dict, answers)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cuttable = [number for number, name in enumerate(columns) if not _UNCUT.search(name)]
    while sum(widths) + len(_GAP) * (len(widths) - 1) > _TABLE_WIDTH:
        widest = max(cuttable, key=widths.__getitem__)
        if widths[widest] <= _SHORTEST:
            break
        widths[widest] -= 1
    return "\n".join(_GAP.join(map(_cut, row, widths)).rstrip() for row in rows)


def _cut(cell: str, width: int) -> str:
    return f"{cell:<{width}}" if len(cell) <= width else f"{cell[: width - 1]}…"


def _format(value: Any) -> str:
    if value is None or value in ([], {}):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Decimal):
        return format_amount(value)
    if isinstance(value, list):
        return ", ".join(one["name"] if isinstance(one, dict) else str(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    # Control characters in visitors' and owners' text must not reach the terminal.
    return "".join(character if character.isprintable() else " " for character in str(value))
