"""flask submissions"""

from functools import partial

import click

from embed.db.models import STATUSES
from embed.domain import reasons
from embed.pages import MAX_WHOLE_NUMBER
from embed.serializers import describe_receipt, describe_submission
from embed.submissions import decisions, proofs, queries
from embed.submissions.queries import MAX_LISTED
from embed.terminal import Group, print_answer, print_list, runtime

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
