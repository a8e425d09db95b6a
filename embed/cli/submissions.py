"""flask submissions"""

from functools import partial

import click

from embed.db.models import STATUSES
from embed.pages import MAX_WHOLE_NUMBER
from embed.serializers import as_dict, describe_receipt, describe_submission
from embed.submissions import decisions, proofs, queries
from embed.submissions.queries import MAX_LISTED
from embed.terminal import Group, json_option, print_list, print_object, runtime

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
@json_option
def list_all(page: str, status: str | None, limit: int, as_json: bool) -> None:
    """List a page's submissions, newest first."""
    found = queries.list_of_page(page, status=status, limit=limit)
    print_list([as_dict(describe_submission(one)) for one in found], as_json=as_json)


@group.command("approve")
@click.argument("submission_id")
@json_option
def approve(submission_id: str, as_json: bool) -> None:
    """Approve a pending submission and add its wallet to the page."""
    now, max_wallets = runtime().clock(), runtime().settings.max_wallets
    change = partial(decisions.approve, now=now, max_wallets=max_wallets)
    approved = decisions.decide_one(submission_id, change)
    print_object(as_dict(describe_submission(approved)), as_json=as_json)


@group.command("reject")
@click.argument("submission_id")
@json_option
def reject(submission_id: str, as_json: bool) -> None:
    """Reject a pending submission; the wallet's cooldown starts."""
    change = partial(decisions.reject, now=runtime().clock())
    rejected = decisions.decide_one(submission_id, change)
    print_object(as_dict(describe_submission(rejected)), as_json=as_json)


@group.command("receipt")
@click.argument("submission_id")
@json_option
def show_receipt(submission_id: str, as_json: bool) -> None:
    """Show what the wallet's holder signed, whatever the submission's status."""
    print_object(describe_receipt(proofs.get_proof(submission_id)), as_json=as_json)
