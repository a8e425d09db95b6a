"""flask export and flask import"""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO

import click
from flask.cli import with_appcontext

from embed.cli.output import open_output
from embed.maintenance.page_file.exporting import Exported, export_page
from embed.maintenance.page_file.importing import import_page
from embed.serializers import write_json
from embed.terminal import Command, json_option, runtime

_FILE = click.Path(dir_okay=False, allow_dash=True)


@click.command("export", cls=Command)
@click.argument("page")
@click.argument("file", type=_FILE)
@json_option
@with_appcontext
def export_file(page: str, file: str, as_json: bool) -> None:
    """Write a page with all that belongs to it into a new FILE; - is standard output.

    The file holds secrets: those of webhooks, and the addresses of channels.
    """
    with open_output(file, is_private=True) as stream:
        exported = export_page(page, stream)
    # Standard output may be the file itself.
    click.echo(_describe_export(page, file, exported, as_json=as_json), err=file == "-")


def _describe_export(page: str, file: str, exported: Exported, *, as_json: bool) -> str:
    if as_json:
        summary = {
            "id": page,
            "file": file,
            "sha256": exported.sha256,
            "records": exported.counts,
            "waitingMessages": exported.waiting,
        }
        return write_json(summary).decode()
    text = f"Exported {page}: {_count(exported.counts)}."
    if exported.waiting:
        text += (
            f"\nNot in the file: messages that still wait for a webhook or channel"
            f" ({exported.waiting}). This installation sends them."
        )
    return text


@click.command("import", cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, exists=True, allow_dash=True))
@click.option("--owner", "email", help="The page's owner; by default the one in the file.")
@json_option
@with_appcontext
def import_file(file: str, email: str | None, as_json: bool) -> None:
    """Add the page of a FILE that flask export wrote; - is standard input."""
    limits = runtime().settings
    with _open_input(file) as stream:
        done = import_page(
            stream, runtime().clock(), max_wallets=limits.max_wallets, owner_email=email
        )
    owner = done.page.owner.email
    if as_json:
        summary = {
            "id": done.page.id,
            "owner": owner,
            "ownerCreated": done.is_owner_new,
            "records": dict(done.counts),
        }
        click.echo(write_json(summary))
        return
    click.echo(f"Imported {done.page.id} for {owner}: {_count(done.counts)}.")
    if done.is_owner_new:
        click.echo(f"{owner} is new here: flask owners reset {owner} prints a link to sign in.")


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
