"""Write docs/commands.md from the commands' --help: ``python -m docs.write_commands``."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from embed.commands import COMMANDS

FILE = Path(__file__).with_name("commands.md")
HEAD = """\
# Commands

What each command does, from its `--help`. On [a server](operating.md), write `embed-flask` instead
of `flask`: it runs in any folder, as the service's user and with its settings. In an installed
package, the program is called `tracking-embed`.

Almost all commands take `--json`, which prints all fields, named as in the API. Without it, lists
show the main fields, cut to 100 columns. If a command fails, it prints one line on standard error,
and its exit status isn't 0.

"""
FEW = 2  # repeated options that are described again
_RANGE = re.compile(r"; 1<=x<=\d+|  \[(?:1<=)?x[<>]=\d+\]")  # of numbers


def write_document() -> str:
    index = [f"[{one.name}](#flask-{one.name})" for one in COMMANDS]
    parts = [part for one in COMMANDS for part in _describe(one, f"flask {one.name}", "##", set())]
    return HEAD + " · ".join(index) + "\n\n" + "\n\n".join(parts) + "\n"


def _describe(command: click.Command, path: str, mark: str, seen: set[str]) -> Iterator[str]:
    """Describe a command and those in it; `seen` are the options above, in the same group."""
    usage = list(filter(None, command.collect_usage_pieces(click.Context(command))))
    lines = dict(_list_options(command))
    again = [f"`{name}`" for name, line in lines.items() if line in seen]
    if len(again) > FEW:
        lines = {name: line for name, line in lines.items() if line not in seen}
        lines[""] = f"- {', '.join(again)}: see above."
    seen |= set(lines.values())
    options = "\n".join(lines.values())
    if not options and usage[0] == "[OPTIONS]":  # only --json and --help
        del usage[0]
    yield f"{mark} {path}"
    if usage and not isinstance(command, click.Group):
        yield f"`{' '.join([path, *usage])}`"
    yield " ".join(_read(command))
    if options:
        yield options
    for name, part in getattr(command, "commands", {}).items():
        if not part.hidden:
            yield from _describe(part, f"{path} {name}", f"{mark}#", seen)


def _list_options(command: click.Command) -> Iterator[tuple[str, str]]:
    for option in command.params:
        if isinstance(option, click.Option) and option.name != "json":
            names, text = option.get_help_record(click.Context(command)) or ("", "")
            yield option.opts[0], f"- `{names}`: {_mark_up(_RANGE.sub('', text))}"


def _read(command: click.Command) -> list[str]:
    """Return the paragraphs of a command's help."""
    return [" ".join(_mark_up(one).split()) for one in (command.help or "").split("\n\n")]


def _mark_up(text: str) -> str:
    text = re.sub(r"docs/(\w+\.md)", r"[docs/\1](\1)", text)
    return re.sub(r"(?<!\w)(--[a-z-]+(?:=\S*\w)?|[A-Z]+_[A-Z_]+)", r"`\1`", text)


if __name__ == "__main__":
    FILE.write_text(write_document(), encoding="utf-8")
