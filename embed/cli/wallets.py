"""flask wallets"""

from typing import IO, Any

import click

from embed.pages import get_page
from embed.serializers import describe_wallet_for_owner
from embed.terminal import (
    Group,
    JsonObject,
    current_change,
    format_table,
    options,
    print_answer,
    runtime,
)
from embed.wallets import imports, tracking
from embed.wallets.csv_lines import parse_table
from embed.wallets.csv_reader import Table, decode_csv, read_table
from embed.wallets.suggestions import suggest_wallets
from embed.wallets.tracking import WalletFields

_MAX_SHOWN = 20  # mistakes per file

group = Group("wallets", help="Manage the wallets on a page.")


detail_options = options(
    click.option("--alias", help="The wallet's name. Empty text removes it."),
    click.option("--tag", "tag_names", multiple=True, help="Set the wallet's tags. Repeatable."),
    click.option(
        "--balance", metavar="TOKENS", help="The balance, used until it's read from the chain."
    ),
    click.option(
        "--hidden/--visible",
        "is_hidden",
        default=None,
        help="Hide the wallet from visitors, or show it.",
    ),
)


@group.command("add")
@click.argument("page")
@click.argument("address")
@detail_options
def add(page: str, address: str, **details: Any) -> None:
    """Add a wallet to a page."""
    added = tracking.add_wallet(page, address, WalletFields(**details), current_change())
    print_answer(_describe(added.id))


@group.command("list")
@click.argument("page")
def list_all(page: str) -> None:
    """List a page's wallets, hidden ones included."""
    wallets = tracking.list_wallets(get_page(page), runtime().balances)
    described = [describe_wallet_for_owner(one) for one in wallets]
    shown = [one if one["balanceKnown"] else one | {"tokenBalance": None} for one in described]
    table = format_table(shown, ("id", "address", "tokenBalance", "publicAlias"))
    print_answer(described, table)


@group.command("suggest")
@click.argument("page")
def suggest(page: str) -> None:
    """List the largest holders of a page's token.

    They're read from the chain; none is added to the page.
    """
    described = [
        {
            "address": one.address,
            "tokenBalance": one.balance,
            "share": one.share,
            "tracked": one.is_tracked,
            "ofProgram": one.is_of_program,
        }
        for one in suggest_wallets(get_page(page), runtime())
    ]
    print_answer(
        described,
        format_table(described, ("address", "tokenBalance", "share", "tracked", "ofProgram"))
        if described
        else "Nobody holds this token yet.",
    )


@group.command("update")
@click.argument("wallet_id")
@detail_options
@click.option("--no-tags", is_flag=True, help="Take all tags off the wallet.")
def update(wallet_id: str, tag_names: tuple[str, ...], no_tags: bool, **details: Any) -> None:
    """Change a wallet; options that you leave out keep their values."""
    tags = tag_names if tag_names or no_tags else None
    changes = WalletFields(tag_names=tags, **details)
    tracking.update_wallet(wallet_id, changes, current_change())
    print_answer(_describe(wallet_id))


@group.command("remove")
@click.argument("wallet_id")
def remove(wallet_id: str) -> None:
    """Remove a wallet from its page."""
    removed = _describe(wallet_id)
    tracking.remove_wallet(wallet_id, current_change())
    print_answer(removed)


@group.command("import")
@click.argument("page")
@click.argument("file", type=click.File("rb"))
@click.option("--create-tags", is_flag=True, help="Create tags that the page doesn't have yet.")
@click.option("--skip-invalid", is_flag=True, help="Skip lines with mistakes.")
@click.option("--dry-run", is_flag=True, help="Only show the columns and what would change.")
def import_csv(
    page: str, file: IO[bytes], create_tags: bool, skip_invalid: bool, dry_run: bool
) -> None:
    """Import wallets from a CSV file.

    It adds new wallets and changes existing ones. If a line has a mistake, nothing is imported,
    unless you add --skip-invalid. Use - as FILE for standard input. See docs/owners.md.
    """
    settings = runtime().settings
    table = read_table(decode_csv(file.read()), max_wallets=settings.max_wallets)
    parsed = parse_table(table)
    if dry_run:
        plan = imports.plan_import(
            get_page(page),
            parsed,
            makes_tags=create_tags,
            balances=runtime().balances,
            settings=settings,
        )
        click.echo(_describe_columns(table), err=True)
    else:
        plan = imports.apply_import(
            page,
            parsed,
            current_change(),
            balances=runtime().balances,
            makes_tags=create_tags,
            skips_mistakes=skip_invalid,
        )
    for mistake in plan.mistakes[:_MAX_SHOWN]:
        click.echo(f"Line {mistake.number}: {mistake.cause}", err=True)
    if len(plan.mistakes) > _MAX_SHOWN:
        click.echo(f"… and {len(plan.mistakes) - _MAX_SHOWN:,} more", err=True)
    if plan.is_too_long or (plan.mistakes and not skip_invalid):
        _refuse(plan)
    counts = {
        "added": plan.added,
        "changed": plan.changed,
        "unchanged": plan.unchanged,
        "skipped": plan.wrong_lines,
    }
    done = "Nothing has changed yet. The import would make it" if dry_run else "Imported"
    sentence = (
        f"{done}: {plan.added:,} added, {plan.changed:,} changed, {plan.unchanged:,} as before,"
        f" {plan.wrong_lines:,} skipped."
    )
    made = plan.new_tags if create_tags else []
    print_answer(counts | {"tagsCreated": made}, sentence)


def _describe_columns(table: Table) -> str:
    names = [
        table.headings[place] if table.headings else f"column {place + 1}"
        for place in range(len(table.columns))
    ]
    read = [
        f"{name!r} is {role or 'left out'}" for name, role in zip(names, table.columns, strict=True)
    ]
    return f"Columns: {', '.join(read)}."


def _refuse(plan: imports.ImportPlan) -> None:
    """Raises click.ClickException."""
    lines = "1 line needs" if plan.wrong_lines == 1 else f"{plan.wrong_lines:,} lines need"
    advice = " --create-tags creates the tags." if plan.lacks_only_tags else ""
    raise click.ClickException(f"Nothing has changed: {lines} your attention.{advice}")


def _describe(wallet_id: str) -> JsonObject:
    """Raises NotFound."""
    wallet = tracking.get_tracked(wallet_id, runtime().balances)
    return describe_wallet_for_owner(wallet)
