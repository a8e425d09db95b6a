"""flask pages"""

from collections.abc import Callable
from typing import Any

import click

from embed import owners, pages
from embed.db.connection import db
from embed.serializers import describe_page_for_owner
from embed.terminal import (
    Group,
    check_confirmed,
    confirm_option,
    json_option,
    print_list,
    print_record,
    runtime,
)

group = Group("pages", help="Tracking pages and their policy.")

_DETAILS = (
    click.option("--title", "public_title", help="Header that visitors see; empty removes it."),
    click.option("--comments", "public_comments", help="Short text below it; empty removes it."),
    click.option(
        "--auto-approve/--review", default=None, help="Approve everything, or look first."
    ),
    click.option("--min-balance", help="Whole tokens that a wallet must hold; 0: none."),
    click.option("--queue-capacity", type=int, help="Submissions that may wait for review."),
    click.option("--cooldown", "cooldown_s", type=int, help="Seconds a rejected wallet must wait."),
    click.option(
        "--trust-after", type=int, help="Approvals that spare a visitor review; 0: never."
    ),
    click.option("--public/--private", "is_public", default=None, help="Show the page at all."),
    click.option("--embed/--no-embed", "is_embeddable", default=None, help="Let sites embed it."),
)


def detail_options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_DETAILS):
        command = option(command)
    return command


def token_options(*, required: bool) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def add(command: Callable[..., None]) -> Callable[..., None]:
        command = click.option("--token-mint", required=required, help="Base58.")(command)
        command = click.option("--token-symbol", required=required, help="Ticker.")(command)
        return click.option("--token-name", required=required)(command)

    return add


@group.command("create")
@token_options(required=True)
@click.option("--owner", "email", help="Who owns it; else the installation's own owner.")
@detail_options
@json_option
def create(email: str | None, as_json: bool, **fields: Any) -> None:
    """Make a tracking page."""
    now = runtime().clock()
    with db.atomic():  # if creating the page fails, no owner is created either
        owner = owners.get_owner(email) if email else owners.get_installation_owner(now)
        page = pages.create_page(owner, _drop_unset(fields), now)
    print_record(describe_page_for_owner(page), as_json=as_json)


@group.command("list")
@json_option
def list_all(as_json: bool) -> None:
    """Show all pages, the deleted ones too."""
    print_list([describe_page_for_owner(page) for page in pages.list_pages()], as_json=as_json)


@group.command("show")
@click.argument("page")
@json_option
def show(page: str, as_json: bool) -> None:
    """Show one page."""
    print_record(describe_page_for_owner(pages.get_page(page)), as_json=as_json)


@group.command("update")
@click.argument("page")
@token_options(required=False)
@click.option("--owner", "email", help="Hand the page over to this owner.")
@detail_options
@json_option
def update(page: str, email: str | None, as_json: bool, **fields: Any) -> None:
    """Change what is given, and nothing else."""
    changes = _drop_unset(fields)
    if email:
        changes["owner"] = owners.get_owner(email)
    print_record(
        describe_page_for_owner(pages.update_page(page, changes, runtime().clock())),
        as_json=as_json,
    )


@group.command("delete")
@click.argument("page")
@confirm_option
@json_option
def delete(page: str, yes: bool, as_json: bool) -> None:
    """Mark a page deleted: its keys answer 404 from then on."""
    check_confirmed(yes, "takes the page off the web")
    print_record(
        describe_page_for_owner(pages.delete_page(page, runtime().clock())), as_json=as_json
    )


@group.command("purge")
@click.argument("page")
@confirm_option
@json_option
def purge(page: str, yes: bool, as_json: bool) -> None:
    """Remove a page with its keys, wallets and submissions, for good."""
    check_confirmed(yes, "removes the page with all that belongs to it, for good")
    print_record(describe_page_for_owner(pages.purge_page(page)), as_json=as_json)


def _drop_unset(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
