"""flask export-receipts"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from embed.db.models import Page
from embed.domain.identifiers import make_id
from embed.serializers import RECEIPTS_FORMAT, describe_receipt, write_json
from embed.submissions.proofs import get_public_page, list_public_proofs
from embed.terminal import Command


@click.command("export-receipts", cls=Command, speaks_json=False)
@click.argument("page")
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    default="-",
    help="Write to this file instead of standard output.",
)
def export(page: str, output: str) -> None:
    """Print the receipts of all proved wallets on a page's public list, as JSON.

    The same list gives the same bytes. Their SHA-256 goes to standard error.
    """
    pieces = _write_document(get_public_page(page))
    digest = hashlib.sha256()
    with _open_output(output) as stream:
        for piece in pieces:
            digest.update(piece)
            stream.write(piece)
    # Only now is it certain that all was written. This is the form that `sha256sum --check` reads,
    # where a hyphen stands for standard input.
    click.echo(f"{digest.hexdigest()}  {output}", err=True)


def _write_document(page: Page) -> Iterator[bytes]:
    """Yield the document in pieces, with one receipt in each line."""
    head = {
        "format": RECEIPTS_FORMAT,
        "trackingPageId": page.id,
        "tokenMint": page.token_mint,
    }
    yield write_json(head)[:-1] + b', "receipts": ['
    separator = b"\n"
    for proof in list_public_proofs(page):
        yield separator + write_json(describe_receipt(proof))
        separator = b",\n"
    yield b"\n]}\n"


@contextmanager
def _open_output(output: str) -> Iterator[IO[bytes]]:
    """Open a new file, which takes the path's place unless writing it fails.

    Standard output, devices and pipes, whose place no file may take, are written directly.
    """
    path = Path(output).resolve()  # a link stays where it is
    if output == "-" or (path.exists() and not path.is_file()):
        with click.open_file(output, "wb") as stream:
            yield stream
            stream.flush()
        return
    new = path.with_name(f".{make_id()}.part")
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            if path.exists():
                shutil.copymode(path, new)
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
