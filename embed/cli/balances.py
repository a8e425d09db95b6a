"""flask balances"""

import sys

import click

from embed.db.models import Wallet
from embed.domain.times import format_instant
from embed.pages import get_page
from embed.terminal import Group, print_answer, print_list, runtime, wants_json
from embed.wallets.balance_refresh import refresh_balances
from embed.wallets.tracking import list_wallets

group = Group("balances", help="Read balances from the chain, or show them.")


@group.command("refresh")
@click.argument("page", required=False)
def refresh(page: str | None) -> None:
    """Read balances from the chain now.

    Without PAGE, it reads the balances that are due on all pages; with PAGE, all of that page's.
    Needs SOLANA_RPC_URL.
    """
    is_hidden = wants_json() or not sys.stdout.isatty()
    with click.progressbar(length=1, show_pos=True, hidden=is_hidden) as bar:

        def show(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        summary = refresh_balances(runtime(), page_id=page, on_progress=show)
    print_answer(summary, str(summary))
    if summary.problem or summary.failure:
        raise click.exceptions.Exit(1)


@group.command("show")
@click.argument("page")
def show(page: str) -> None:
    """Show the balances of a page's wallets, with their time and source.

    Hidden wallets are included.
    """
    shown, balances = get_page(page), runtime().balances
    addresses = Wallet.select(Wallet.address).where(Wallet.page == shown)
    known = balances.read(shown, addresses)
    print_list(
        [
            {
                "address": wallet.address,
                "publicAlias": wallet.public_alias,
                "tokenBalance": balance and balance.amount,
                "observedAtIso": balance and format_instant(balance.observed_at),
                "slot": balance and balance.slot,
                "source": balance and balance.source,
            }
            for wallet in list_wallets(shown, balances)
            for balance in (known.get(wallet.address),)
        ],
        ("address", "tokenBalance", "observedAtIso", "source"),
    )
