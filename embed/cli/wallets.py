"""flask wallets"""

from collections.abc import Callable

import click

from embed.serializers import describe_wallet_for_owner
from embed.terminal import Group, JsonObject, json_option, print_list, print_object, runtime
from embed.wallets import tracking
from embed.wallets.tracking import WalletFields

group = Group("wallets", help="Wallets that a page tracks.")


def detail_options(command: Callable[..., None]) -> Callable[..., None]:
    command = click.option(
        "--hidden/--visible", "is_hidden", default=None, help="Hide it from visitors, or show it."
    )(command)
    command = click.option("--balance", help="Balance in whole tokens.")(command)
    command = click.option(
        "--tag", "tag_names", multiple=True, help="Replaces the wallet's tags; repeatable."
    )(command)
    return click.option("--alias", help="Display name; empty removes it.")(command)


@group.command("add")
@click.argument("page")
@click.argument("address")
@detail_options
@json_option
def add(
    page: str,
    address: str,
    alias: str | None,
    tag_names: tuple[str, ...],
    balance: str | None,
    is_hidden: bool | None,
    as_json: bool,
) -> None:
    """Add a wallet to a page."""
    changes = WalletFields(alias=alias, tag_names=tag_names, balance=balance, is_hidden=is_hidden)
    added = tracking.add_wallet(
        page,
        address,
        changes,
        runtime().clock(),
        max_wallets=runtime().settings.max_wallets,
    )
    print_object(_describe(added.id), as_json=as_json)


@group.command("list")
@click.argument("page")
@json_option
def list_all(page: str, as_json: bool) -> None:
    """List a page's wallets, including hidden ones."""
    wallets = tracking.list_all_wallets(page, uses_chain=runtime().settings.uses_chain)
    print_list([describe_wallet_for_owner(one) for one in wallets], as_json=as_json)


@group.command("update")
@click.argument("wallet_id")
@detail_options
@click.option("--no-tags", is_flag=True, help="Remove all of its tags.")
@json_option
def update(
    wallet_id: str,
    alias: str | None,
    tag_names: tuple[str, ...],
    no_tags: bool,
    balance: str | None,
    is_hidden: bool | None,
    as_json: bool,
) -> None:
    """Change only what is given."""
    changes = WalletFields(
        alias=alias,
        tag_names=tag_names if tag_names or no_tags else None,
        balance=balance,
        is_hidden=is_hidden,
    )
    tracking.update_wallet(wallet_id, changes, runtime().clock())
    print_object(_describe(wallet_id), as_json=as_json)


@group.command("remove")
@click.argument("wallet_id")
@json_option
def remove(wallet_id: str, as_json: bool) -> None:
    """Remove a wallet from its page."""
    removed = _describe(wallet_id)
    tracking.remove_wallet(wallet_id, runtime().clock())
    print_object(removed, as_json=as_json)


def _describe(wallet_id: str) -> JsonObject:
    """Raises NotFound."""
    wallet = tracking.get_tracked(wallet_id, uses_chain=runtime().settings.uses_chain)
    return describe_wallet_for_owner(wallet)
