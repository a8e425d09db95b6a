"""flask export-receipts"""

import hashlib
from collections.abc import Iterator

import click

from embed.cli.output import open_output
from embed.db.models import Page
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
    with open_output(output) as stream:
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
