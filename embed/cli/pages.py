"""flask pages"""

from typing import Any

import click

from embed import pages
from embed.balances.observations import has_entered
from embed.balances.tokens import propose_token
from embed.db.connection import db
from embed.db.models import HOLDING_WATCHES, Page
from embed.domain.addresses import WRAPPED_SOL, WRAPPED_SOL_ADVICE
from embed.errors import InvalidInput
from embed.keys import derived
from embed.people import accounts
from embed.serializers import describe_page_for_owner
from embed.terminal import (
    Decorator,
    Group,
    check_confirmed,
    confirm_option,
    current_change,
    options,
    print_answer,
    print_list,
    runtime,
)

group = Group("pages", help="Manage pages and their rules.")

detail_options = options(
    click.option("--title", "public_title", help="Heading above the list. Empty text removes it."),
    click.option(
        "--comments", "public_comments", help="Short text below the heading. Empty text removes it."
    ),
    click.option(
        "--auto-approve/--review",
        default=None,
        help="Approve submissions automatically, or let them wait for review.",
    ),
    click.option(
        "--min-balance",
        metavar="TOKENS",
        help="Minimum balance of a submitted wallet; 0 for none.",
    ),
    click.option(
        "--queue-capacity",
        type=int,
        help="Queue size: how many submissions can wait for review.",
    ),
    click.option(
        "--cooldown",
        "cooldown_s",
        type=int,
        metavar="SECONDS",
        help="How long a rejected wallet can't be submitted again.",
    ),
    click.option(
        "--trust-after",
        type=int,
        help="Approve a visitor automatically after this many approvals; 0 for never.",
    ),
    click.option(
        "--holding-watch",
        type=click.Choice(HOLDING_WATCHES),
        help="What to do when a submitted wallet falls below the minimum balance.",
    ),
    click.option(
        "--public/--private",
        "is_public",
        default=None,
        help="Show the list to everyone, or only in the dashboard.",
    ),
    click.option(
        "--embed/--no-embed",
        "is_embeddable",
        default=None,
        help="Let sites embed the list, or not.",
    ),
)


def token_options(*, is_new: bool) -> Decorator:
    otherwise = " By default it's read from the chain." if is_new else ""
    return options(
        click.option("--token-name", help=f"The token's name.{otherwise}"),
        click.option("--token-symbol", help=f"The token's ticker.{otherwise}"),
        click.option("--token-mint", required=is_new, help="The token's mint address."),
    )


@group.command("create")
@token_options(is_new=True)
@click.option(
    "--owner", "email", metavar="EMAIL", help="The page's owner. The default is owner@localhost."
)
@detail_options
def create(email: str | None, **fields: Any) -> None:
    """Create a page.

    With SOLANA_RPC_URL, --token-mint is enough. Without other options, the page is public and can
    be embedded, submissions wait for review in a queue of 100, there's no minimum balance, and the
    cooldown is a day.
    """
    change, given = current_change(), _look_up_names(_drop_unset(fields))
    with db.atomic():  # don't create the owner if creating the page fails
        owner = accounts.get_person(email) if email else accounts.get_installation_owner(change.now)
        page = pages.create_page(owner, given, change)
    _print_page(page)


@group.command("list")
def list_all() -> None:
    """List all pages, including deleted ones."""
    print_list(
        [describe_page_for_owner(page) for page in pages.list_pages()],
        ("id", "tokenSymbol", "publicTitle", "owner", "deletedAtIso"),
    )


@group.command("show")
@click.argument("page")
def show(page: str) -> None:
    """Show a page and its rules."""
    described = describe_page_for_owner(pages.get_page(page))
    print_answer(described | {"shared": derived.is_shared(page)})


@group.command("update")
@click.argument("page")
@token_options(is_new=False)
@click.option(
    "--owner",
    "email",
    metavar="EMAIL",
    help="Transfer the page to this owner, without the balances that the former owner entered.",
)
@detail_options
def update(page: str, email: str | None, **fields: Any) -> None:
    """Change a page; options that you leave out keep their values."""
    changes = _drop_unset(fields)
    former = pages.get_page(page).owner
    if email:
        changes["owner"] = accounts.get_person(email)
    updated = pages.update_page(page, changes, current_change())
    _print_page(updated)
    if updated.owner != former and has_entered(former, updated.token_mint):
        click.echo(
            f"Balances that {former.email} entered stay with them. The page now shows those that"
            f" {updated.owner.email} entered for this token.",
            err=True,
        )


@group.command("look")
@click.argument("page")
@click.argument("fields", nargs=-1, metavar="[FIELD=VALUE]...")
def look(page: str, fields: tuple[str, ...]) -> None:
    """Show or change how a page's list looks.

    Without FIELD=VALUE, it shows all fields. For example, accent=7c4ddb radius=3 changes these two.
    docs/embedding.md lists the fields.
    """
    texts = dict(_split_field(field) for field in fields)
    changed = pages.change_look(page, texts, current_change())
    print_answer(changed.look.write_texts())


@group.command("share")
@click.argument("page")
@click.option("--off", is_flag=True, help="Turn the share link off, also on sites that embed it.")
def share(page: str, off: bool) -> None:
    """Turn on a page's share link.

    Anyone with the link can open the list and embed it on any site.
    """
    (derived.stop_sharing if off else derived.share_page)(page, current_change())
    address = f"{runtime().settings.public_url or ''}/embed/page/{page}"
    print_answer({"id": page, "shared": not off, "address": None if off else address})


def _split_field(field: str) -> tuple[str, str]:
    name, sign, text = field.partition("=")
    if not sign:
        raise InvalidInput(f"{field!r} is not of the form FIELD=VALUE, such as accent=7c4ddb.")
    return name, text


@group.command("delete")
@click.argument("page")
@confirm_option
def delete(page: str, yes: bool) -> None:
    """Take a page offline.

    Its keys answer 404. Its owner can restore it in the dashboard for 30 days, and its data stays
    until you run flask pages purge.
    """
    check_confirmed(yes, "takes the page off the web")
    print_answer(describe_page_for_owner(pages.delete_page(page, current_change())))


@group.command("purge")
@click.argument("page")
@confirm_option
def purge(page: str, yes: bool) -> None:
    """Delete a page with its keys, wallets and submissions.

    This can't be undone.
    """
    check_confirmed(yes, "permanently removes the page and everything that belongs to it")
    print_answer(describe_page_for_owner(pages.purge_page(page)))


def _print_page(page: Page) -> None:
    print_answer(describe_page_for_owner(page))
    if page.token_mint in WRAPPED_SOL:
        click.echo(WRAPPED_SOL_ADVICE, err=True)


def _drop_unset(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _look_up_names(fields: dict[str, Any]) -> dict[str, Any]:
    """Add the name and symbol from the chain if they aren't given. Raises InvalidInput."""
    needed = {"token_name": "--token-name", "token_symbol": "--token-symbol"}
    absent = [option for name, option in needed.items() if name not in fields]
    if not absent:
        return fields
    ending = f"Give {' and '.join(absent)}."
    try:
        info = propose_token(runtime().chain, fields["token_mint"])
    except InvalidInput as mistake:
        raise InvalidInput(str(mistake) if mistake.field else f"{mistake} {ending}") from None
    found = {"token_name": info.name, "token_symbol": info.symbol} | fields
    if None in (found["token_name"], found["token_symbol"]):
        raise InvalidInput(
            f"The chain doesn't hold both a name and a symbol that a page can show. {ending}"
        )
    return found
