"""flask prune and flask erase"""

import click
from peewee import OperationalError

from embed.domain.addresses import parse_pasted_address
from embed.maintenance import pruning, wallet_erasure
from embed.maintenance.wallet_erasure import clear_deleted_content
from embed.terminal import (
    Command,
    JsonObject,
    confirm_option,
    current_change,
    format_table,
    print_answer,
    runtime,
)

_HOW_TO_ERASE = "Nothing is erased yet: add --yes to erase all of this."


@click.command("prune", cls=Command)
def prune() -> None:
    """Delete old data now.

    The background work does this every hour. docs/privacy.md lists how long everything is kept.
    """
    pruned = pruning.prune(runtime().clock(), runtime().settings)
    rows = [{"kind": kind, "deleted": count} for kind, count in pruned.items()]
    print_answer(rows, pruning.summarize(pruned))


@click.command("erase", cls=Command)
@click.argument("address")
@confirm_option
def erase(address: str, yes: bool) -> None:
    """Delete everything stored about a wallet, on all pages.

    Without --yes, it only shows what would be deleted. Entries that owners added themselves are
    deleted too. Backups and messages that have been sent aren't changed. See docs/privacy.md.
    """
    address = parse_pasted_address(address)
    if yes:
        stored = wallet_erasure.erase_wallet(address, current_change())
        _clear_files()
        if wallet_erasure.find_stored(address):
            raise click.ClickException(
                "Something about the wallet was written at the same moment. Repeat the command."
            )
    else:
        stored = wallet_erasure.find_stored(address)
    mentions = wallet_erasure.find_mentions(address) if yes else []
    described = {
        "walletAddress": address,
        "erased": yes,
        "kept": [
            {"what": one.what, "trackingPageId": one.page_id, "count": one.count} for one in stored
        ],
        "mentions": [{"column": column, "count": count} for column, count in mentions],
    }
    print_answer(described, _explain(described))


def _clear_files() -> None:
    try:
        is_cleared, reason = clear_deleted_content(), "someone was reading it"
    except OperationalError as failure:
        is_cleared, reason = False, str(failure)
    if not is_cleared:
        raise click.ClickException(
            "Everything is erased, but the database's files still hold old bytes of it"
            f" ({reason}). Repeat the command."
        )


def _explain(erasure: JsonObject) -> str:
    text = "Nothing is kept of this wallet."
    if erasure["kept"]:
        text = format_table(erasure["kept"], ("what", "trackingPageId", "count")) + "\n\n"
        text += "Erased." if erasure["erased"] else _HOW_TO_ERASE
    for mention in erasure["mentions"]:
        where = f"{mention['column']} ({mention['count']})"
        text += f"\nStill mentioned, in words that people wrote: {where}"
    return text
