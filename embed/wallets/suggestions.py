"""A draft of a page's list: the largest holders of its token, for the owner to choose from."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from embed.balances.known import BalanceSource
from embed.balances.token_accounts import look_up_largest_holders
from embed.db.models import Page, Wallet
from embed.domain.addresses import is_on_curve, parse_pasted_address
from embed.domain.amounts import find_share
from embed.events.editing import Change
from embed.runtime import Runtime
from embed.wallets.csv_format import Line
from embed.wallets.csv_lines import ParsedTable
from embed.wallets.imports import apply_import


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One of the largest holders."""

    address: str
    balance: Decimal  # whole tokens, in its accounts that are among the largest
    share: Decimal | None  # of the supply; None: unknown
    is_tracked: bool  # by the page, even if hidden
    is_of_program: bool  # such as a pool: its address has no private key, so it cannot sign


def suggest_wallets(page: Page, runtime: Runtime) -> list[Suggestion]:
    """Ask the chain for the largest holders, most first. Raises InvalidInput."""
    found = look_up_largest_holders(runtime.chain, page.token_mint)
    known = runtime.balances.find_supply(page.token_mint)
    supply = known.amount if found.supply is None and known is not None else found.supply
    rows: Any = Wallet.select(Wallet.address).where(
        Wallet.page == page, Wallet.address.in_(list(found.amounts))
    )
    tracked = {address for (address,) in rows.tuples()}
    return [
        Suggestion(
            address,
            amount,
            find_share(amount, supply),
            is_tracked=address in tracked,
            is_of_program=not is_on_curve(address),
        )
        for address, amount in found.amounts.items()
    ]


def add_suggested(page_id: str, addresses: Collection[str], change: Change) -> int:
    """Track addresses as the owner's own, and return how many are new; all or none are added.

    Wallets that the page already tracks stay as they are. Raises NotFound, InvalidInput.
    """
    lines = [Line(address) for address in dict.fromkeys(map(parse_pasted_address, addresses))]
    parsed = ParsedTable(lines, mistakes=[])
    # No balances are compared, since the lines have none.
    balances = BalanceSource(uses_chain=False)
    plan = apply_import(page_id, parsed, change, balances=balances, makes_tags=False)
    if plan.mistakes:
        raise plan.mistakes[0].cause  # the page is full
    return plan.added
