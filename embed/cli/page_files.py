"""flask export and flask import"""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

import click

from embed.cli.output import open_output
from embed.maintenance.page_file.exporting import export_page
from embed.maintenance.page_file.importing import import_page
from embed.terminal import Command, print_answer, runtime

_FILE = click.Path(dir_okay=False, allow_dash=True)


@click.command("export", cls=Command)
@click.argument("page")
@click.argument("file", type=_FILE)
def export_file(page: str, file: str) -> None:
    """Write a page with all that belongs to it into a new FILE; - is standard output.

    The file holds secrets: those of webhooks, and the addresses of channels.
    """
    with open_output(file, is_private=True) as stream:
        exported = export_page(page, stream)
    summary = {
        "id": page,
        "file": file,
        "sha256": exported.sha256,
        "records": exported.counts,
        "waitingMessages": exported.waiting,
    }
    text = f"Exported {page}: {_count(exported.counts)}."
    if exported.waiting:
        text += (
            f"\nNot in the file: messages that still wait for a webhook or channel"
            f" ({exported.waiting}). This installation sends them."
        )
    # Standard output may be the file itself.
    print_answer(summary, text, err=file == "-")


@click.command("import", cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, exists=True, allow_dash=True))
@click.option("--owner", "email", help="The page's owner; by default the one in the file.")
def import_file(file: str, email: str | None) -> None:
    """Add the page of a FILE that flask export wrote; - is standard input."""
    limits = runtime().settings
    with _open_input(file) as stream:
        done = import_page(
            stream, runtime().clock(), max_wallets=limits.max_wallets, owner_email=email
        )
    owner = done.page.owner.email
    summary = {
        "id": done.page.id,
        "owner": owner,
        "ownerCreated": done.is_owner_new,
        "records": dict(done.counts),
    }
    text = f"Imported {done.page.id} for {owner}: {_count(done.counts)}."
    if done.is_owner_new:
        text += f"\n{owner} is new here: flask owners reset {owner} prints a link to sign in."
    print_answer(summary, text)


@contextmanager
def _open_input(file: str) -> Iterator[IO[bytes]]:
    """Open a file to read it twice; what can be read only once is copied first."""
    with click.open_file(file, "rb") as stream:
        if stream.seekable():
            yield stream
            return
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(stream, copy)
            copy.seek(0)
            yield copy


def _count(counts: Mapping[str, int]) -> str:
    """Say how many records of each type there are, beside the owner and the page."""
    others = {name: count for name, count in counts.items() if name not in ("owner", "page")}
    return ", ".join(f"{name} {count}" for name, count in others.items()) or "nothing else"
