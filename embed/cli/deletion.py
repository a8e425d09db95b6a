"""flask prune and flask erase"""

import click
from flask.cli import with_appcontext
from peewee import OperationalError

from embed.maintenance import pruning, wallet_erasure
from embed.maintenance.wallet_erasure import Kept, clear_deleted_content
from embed.serializers import write_json
from embed.terminal import Command, JsonObject, confirm_option, json_option, print_list, runtime


@click.command("prune", cls=Command)
@json_option
@with_appcontext
def prune(as_json: bool) -> None:
    """Delete what is old, as the background work does every hour."""
    pruned = pruning.prune(runtime().clock(), runtime().settings.balance_history)
    if as_json:
        rows = [{"kind": kind, "deleted": count} for kind, count in pruned.items()]
        click.echo(write_json(rows))
    else:
        click.echo(pruning.summarize(pruned))


@click.command("erase", cls=Command)
@click.argument("address")
@confirm_option
@json_option
@with_appcontext
def erase(address: str, yes: bool, as_json: bool) -> None:
    """Show what is kept of a wallet on all pages; with --yes, erase it.

    Owners' own entries of the address go as well. Backups and what has left the service stay.
    """
    wallet = wallet_erasure.check_address(address)
    if yes:
        now, lifetime = runtime().clock(), runtime().settings.nonce_lifetime
        kept = wallet_erasure.erase_wallet(wallet, now, lifetime)
        _clear_files()
        if wallet_erasure.find_kept(wallet):
            raise click.ClickException(
                "Something about the wallet was written at the same moment. Repeat the command."
            )
    else:
        kept = wallet_erasure.find_kept(wallet)
    mentions = wallet_erasure.find_mentions(wallet) if yes else []
    if as_json:
        click.echo(write_json(_describe(wallet, kept, mentions, is_erased=yes)))
    else:
        _print(kept, mentions, is_erased=yes)


def _clear_files() -> None:
    try:
        is_cleared, reason = clear_deleted_content(), "somebody was reading it"
    except OperationalError as failure:
        is_cleared, reason = False, str(failure)
    if not is_cleared:
        raise click.ClickException(
            "Everything is erased, but the database's files still hold old bytes of it"
            f" ({reason}). Repeat the command."
        )


def _describe(
    address: str, kept: list[Kept], mentions: list[tuple[str, int]], *, is_erased: bool
) -> JsonObject:
    return {
        "walletAddress": address,
        "erased": is_erased,
        "kept": [_describe_kept(one) for one in kept],
        "mentions": [{"column": column, "count": count} for column, count in mentions],
    }


def _describe_kept(one: Kept) -> JsonObject:
    return {"what": one.what, "trackingPageId": one.page_id, "count": one.count}


def _print(kept: list[Kept], mentions: list[tuple[str, int]], *, is_erased: bool) -> None:
    if not kept:
        click.echo("Nothing is kept of this wallet.")
    else:
        print_list([_describe_kept(one) for one in kept], as_json=False)
        done = "Erased." if is_erased else "Nothing is erased yet: add --yes to erase all of this."
        click.echo(f"\n{done}")
    for column, count in mentions:
        click.echo(f"Still mentioned, in words that people wrote: {column} ({count})")
