"""flask submissions and flask export-receipts"""

import hashlib
from collections.abc import Iterator
from functools import partial

import click

from embed.db.models import STATUSES, Page
from embed.domain import reasons
from embed.pages import MAX_WHOLE_NUMBER
from embed.serializers import RECEIPTS_FORMAT, describe_receipt, describe_submission, write_json
from embed.submissions import decisions, proofs, queries
from embed.submissions.queries import MAX_LISTED
from embed.terminal import Command, Group, print_answer, print_list, runtime

group = Group("submissions", help="What visitors sent, and the owner's decisions.")


@group.command("list")
@click.argument("page")
@click.option("--status", type=click.Choice(STATUSES), help="Only submissions with this status.")
@click.option(
    "--limit",
    type=click.IntRange(1, MAX_WHOLE_NUMBER),
    default=MAX_LISTED,
    show_default=True,
    help="How many to list at most.",
)
def list_all(page: str, status: str | None, limit: int) -> None:
    """List a page's submissions, newest first."""
    found = queries.list_of_page(page, status=status, limit=limit)
    print_list(
        [describe_submission(one) for one in found], ("id", "status", "walletAddress", "nickname")
    )


@group.command("approve")
@click.argument("submission_id")
def approve(submission_id: str) -> None:
    """Approve a pending submission and add its wallet to the page."""
    now, max_wallets = runtime().clock(), runtime().settings.max_wallets
    change = partial(decisions.approve, now=now, max_wallets=max_wallets)
    approved = decisions.decide_one(submission_id, change)
    print_answer(describe_submission(approved))


@group.command("reject")
@click.argument("submission_id")
@click.option(
    "--reason",
    help=f"What the visitor is told: {', '.join(reasons.CODES)}; or your own words.",
)
def reject(submission_id: str, reason: str | None) -> None:
    """Reject a pending submission; the wallet's cooldown starts."""
    why = reasons.NO_REASON if reason is None else reasons.parse_reason(reason)
    change = partial(decisions.reject, now=runtime().clock(), reason=why)
    rejected = decisions.decide_one(submission_id, change)
    print_answer(describe_submission(rejected))


@group.command("receipt")
@click.argument("submission_id")
def show_receipt(submission_id: str) -> None:
    """Show what the wallet's holder signed, also of a submission that is not on the list."""
    print_answer(describe_receipt(proofs.get_proof(submission_id)))


@click.command("export-receipts", cls=Command, speaks_json=False)
@click.argument("page")
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    default="-",
    help="Write to this file instead of standard output.",
)
def export_receipts(page: str, output: str) -> None:
    """Print the receipts of all proved wallets on a page's public list, as JSON.

    The same list gives the same bytes. Their SHA-256 goes to standard error.
    """
    # Whole, before a file is opened.
    document = b"".join(_write_document(proofs.get_public_page(page)))
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
    for proof in proofs.list_public_proofs(page):
        yield separator + write_json(describe_receipt(proof))
        separator = b",\n"
    yield b"\n]}\n"
