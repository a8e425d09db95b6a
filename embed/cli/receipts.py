"""flask export-receipts"""

import hashlib
from collections.abc import Iterator

import click

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
    document = b"".join(_write_document(get_public_page(page)))  # whole, before a file is opened
    with click.open_file(output, "wb") as stream:
        stream.write(document)
        stream.flush()
    # This is the form that `sha256sum --check` reads, where a hyphen stands for standard input.
    click.echo(f"{hashlib.sha256(document).hexdigest()}  {output}", err=True)


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
