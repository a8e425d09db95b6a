"""How the balances of the listed wallets have changed, with their lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from embed.balances.history import read_balance_changes
from embed.db.models import Page, TrackedWallet
from embed.web.current import runtime
from embed.web.sparkline import Sparkline, draw_sparklines


@dataclass(frozen=True, slots=True)
class ListedChange:
    """The changes of a wallet in whole tokens, None where unknown."""

    day: Decimal | None
    week: Decimal | None
    line: Sparkline


def read_listed_changes(page: Page, wallets: Sequence[TrackedWallet]) -> dict[str, ListedChange]:
    """Return the changes by address; without an endpoint there are none."""
    if not runtime().settings.uses_chain:
        return {}
    now = runtime().clock()
    changes = read_balance_changes(page.token_mint, [wallet.address for wallet in wallets], now)
    lines = draw_sparklines(changes, now)
    return {
        address: ListedChange(change.day, change.week, lines[address])
        for address, change in changes.items()
    }
