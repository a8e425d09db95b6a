"""Write docs/commands.md from the commands' --help: ``python -m docs.write_commands``."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from embed.commands import COMMANDS

FILE = Path(__file__).with_name("commands.md")
HEAD = """\
# Commands

What each command does. `--help` after a command also explains its options. On [a
server](operating.md), write `embed-flask` instead of `flask`: it runs in any folder, as the
service's user and with its settings. In an installed package, the program is `tracking-embed`.

Almost all commands take `--json`, which prints all fields, named as in the API. Without it, lists
show the main fields, cut to 100 columns. A command that fails prints one line on standard error,
and its exit status isn't 0.

"""


def write_document() -> str:
    index = [f"[{one.name}](#flask-{one.name})" for one in COMMANDS]
    parts = [part for one in COMMANDS for part in _describe(one)]
    return HEAD + ", ".join(index) + "\n\n" + "\n\n".join(parts) + "\n"


def _describe(command: click.Command) -> Iterator[str]:
    path, text = f"flask {command.name}", _read(command)
    yield f"## {path}"
    if not isinstance(command, click.Group):
        yield f"`{_write_usage(command, path)}`"
        yield text
        return
    yield text
    parts = [part for part in command.commands.values() if not part.hidden]
    yield "\n".join(
        f"- `{_write_usage(one, f'{path} {one.name}', parts[0])}`: {_read(one)}" for one in parts
    )


def _write_usage(command: click.Command, path: str, first: click.Command | None = None) -> str:
    """Return a command's usage; it names the options of its group's first command only once."""
    parts = list(_list_parts(command))
    known = [] if first in (None, command) else list(_list_parts(first))
    if len(set(parts) & set(known)) > 3:
        others = [part for part in parts if part not in known]
        parts = [f"[OPTIONS OF {first.name.upper()}]", *others]
    return " ".join([path, *parts]).strip()


def _list_parts(command: click.Command) -> Iterator[str]:
    """Return the options and arguments that can follow a command."""
    context = click.Context(command)
    for option in command.params:
        if isinstance(option, click.Option) and option.name != "json":
            names, _ = option.get_help_record(context) or ("", "")
            names = names.replace(" / ", "|")
            yield names if option.required else f"[{names}]"
    yield from (one for one in command.collect_usage_pieces(context) if one != "[OPTIONS]")


def _read(command: click.Command) -> str:
    """Return a command's help as one paragraph."""
    return " ".join(_mark_up(command.help or "").split())


def _mark_up(text: str) -> str:
    text = re.sub(r"docs/(\w+\.md)", r"[docs/\1](\1)", text)
    return re.sub(r"(?<!\w)(--[a-z-]+(?:=\S*\w)?|[A-Z]+_[A-Z_]+)", r"`\1`", text)


if __name__ == "__main__":
    FILE.write_text(write_document(), encoding="utf-8")
