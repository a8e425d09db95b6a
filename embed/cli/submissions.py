"""flask submissions and flask export-receipts"""

import hashlib
from functools import partial

import click

from embed.db.models import STATUSES, Page
from embed.domain import reasons
from embed.pages import MAX_WHOLE_NUMBER
from embed.serializers import (
    RECEIPTS_FORMAT,
    describe_receipt,
    describe_submission_for_owner,
    write_json,
)
from embed.submissions import decisions, proofs, queries
from embed.submissions.queries import MAX_LISTED
from embed.terminal import Command, Group, current_change, print_answer, print_list

group = Group("submissions", help="List submissions and decide on them.")


@group.command("list")
@click.argument("page")
@click.option(
    "--status", type=click.Choice(STATUSES), help="List only submissions with this status."
)
@click.option(
    "--limit",
    type=click.IntRange(1, MAX_WHOLE_NUMBER),
    default=MAX_LISTED,
    show_default=True,
    metavar="COUNT",
    help="List at most this many.",
)
def list_all(page: str, status: str | None, limit: int) -> None:
    """List a page's submissions, newest first."""
    found = queries.list_of_page(page, status=status, limit=limit)
    print_list(
        [describe_submission_for_owner(one) for one in found],
        ("id", "status", "walletAddress", "nickname"),
    )


@group.command("approve")
@click.argument("submission_id")
def approve(submission_id: str) -> None:
    """Approve a pending submission.

    Its wallet is added to the list.
    """
    approve = partial(decisions.approve, change=current_change())
    approved = decisions.decide_one(submission_id, approve)
    print_answer(describe_submission_for_owner(approved))


@group.command("reject")
@click.argument("submission_id")
@click.option(
    "--reason",
    help=f"Shown to the visitor. Either your own words or one of {', '.join(reasons.CODES)}.",
)
def reject(submission_id: str, reason: str | None) -> None:
    """Reject a pending submission.

    The wallet's cooldown starts.
    """
    why = reasons.NO_REASON if reason is None else reasons.parse_reason(reason)
    reject = partial(decisions.reject, change=current_change(), reason=why)
    rejected = decisions.decide_one(submission_id, reject)
    print_answer(describe_submission_for_owner(rejected))


@group.command("receipt")
@click.argument("submission_id")
def show_receipt(submission_id: str) -> None:
    """Show a submission's receipt, whether or not its wallet is on the list."""
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
    """Export all receipts of a page's public list as JSON.

    The SHA-256 of the output goes to standard error. An unchanged list gives the same output. See
    docs/receipts.md.
    """
    # Read completely before a file is opened.
    document = _write_document(proofs.get_public_page(page))
    with click.open_file(output, "wb") as stream:
        stream.write(document)
        stream.flush()
    # The format that `sha256sum --check` reads; a hyphen means standard input.
    click.echo(f"{hashlib.sha256(document).hexdigest()}  {output}", err=True)


def _write_document(page: Page) -> bytes:
    """Return the document, with one receipt per line."""
    head = {
        "format": RECEIPTS_FORMAT,
        "trackingPageId": page.id,
        "tokenMint": page.token_mint,
    }
    receipts = [
        b"\n" + write_json(describe_receipt(one)) for one in proofs.list_public_proofs(page)
    ]
    return write_json(head)[:-1] + b', "receipts": [' + b",".join(receipts) + b"\n]}\n"
