"""flask wallets"""

from typing import Any

import click

from embed.serializers import describe_wallet_for_owner
from embed.terminal import Group, JsonObject, options, print_answer, runtime
from embed.wallets import tracking
from embed.wallets.tracking import WalletFields

group = Group("wallets", help="Wallets that a page tracks.")


detail_options = options(
    click.option("--alias", help="Display name; empty removes it."),
    click.option(
        "--tag", "tag_names", multiple=True, help="Replaces the wallet's tags; repeatable."
    ),
    click.option("--balance", help="Balance in whole tokens."),
    click.option(
        "--hidden/--visible", "is_hidden", default=None, help="Hide it from visitors, or show it."
    ),
)


@group.command("add")
@click.argument("page")
@click.argument("address")
@detail_options
def add(page: str, address: str, **details: Any) -> None:
    """Add a wallet to a page."""
    settings, now = runtime().settings, runtime().clock()
    added = tracking.add_wallet(
        page, address, WalletFields(**details), now, max_wallets=settings.max_wallets
    )
    print_answer(_describe(added.id))


@group.command("list")
@click.argument("page")
def list_all(page: str) -> None:
    """List a page's wallets, including hidden ones."""
    wallets = tracking.list_all_wallets(page, uses_chain=runtime().settings.uses_chain)
    print_answer([describe_wallet_for_owner(one) for one in wallets])


@group.command("update")
@click.argument("wallet_id")
@detail_options
@click.option("--no-tags", is_flag=True, help="Remove all of its tags.")
def update(wallet_id: str, tag_names: tuple[str, ...], no_tags: bool, **details: Any) -> None:
    """Change only what is given."""
    tags = tag_names if tag_names or no_tags else None
    changes = WalletFields(tag_names=tags, **details)
    tracking.update_wallet(wallet_id, changes, runtime().clock())
    print_answer(_describe(wallet_id))


@group.command("remove")
@click.argument("wallet_id")
def remove(wallet_id: str) -> None:
    """Remove a wallet from its page."""
    removed = _describe(wallet_id)
    tracking.remove_wallet(wallet_id, runtime().clock())
    print_answer(removed)


def _describe(wallet_id: str) -> JsonObject:
    """Raises NotFound."""
    wallet = tracking.get_tracked(wallet_id, uses_chain=runtime().settings.uses_chain)
    return describe_wallet_for_owner(wallet)
