"""The balance that counts: the chain's if an RPC server is set, else what the owner entered.

With an RPC server, an entered balance counts until the address is first read from the chain.
Without one, earlier observations of the chain no longer count, as nothing renews them. Callers pass
Settings.uses_chain as `uses_chain`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, Protocol, TypeAlias

from peewee import JOIN, ModelSelect

from embed.db.models import Balance, ChainBalance, Page, Wallet

Addresses: TypeAlias = "Collection[str] | ModelSelect[Wallet]"  # a query may select them


class BalanceSource(Protocol):
    """Reads the balances that are compared with a page's minimum."""

    def get_balance(self, page: Page, address: str) -> Decimal:
        """Return whole tokens of the page's mint; never called inside a transaction.

        Raises ApiError `balance_unavailable`.
        """


class EnteredBalances:
    """The balances that the page's owner entered; 0 if there is none."""

    def get_balance(self, page: Page, address: str) -> Decimal:
        """Return whole tokens."""
        return read_balances(page, [address], uses_chain=False).get(address, Decimal(0))


@dataclass(frozen=True, slots=True)
class KnownBalance:
    """The newest observation of an address."""

    amount: Decimal  # whole tokens
    observed_at: datetime
    slot: int | None = None  # None: the owner entered it
    all_observed_at: datetime | None = None  # when all token accounts were read

    @property
    def source(self) -> Literal["chain", "entered"]:
        return "entered" if self.slot is None else "chain"

    @classmethod
    def of(cls, row: ChainBalance | Balance) -> "KnownBalance":
        if isinstance(row, ChainBalance):
            return cls(row.amount, row.observed_at, row.slot, row.all_observed_at)
        return cls(row.amount, row.observed_at)


def join_balances(query: Any, page: Page | type[Page], *, uses_chain: bool) -> Any:
    """Join the page's wallets with their newest observations, if any.

    Pass `Page` itself for each wallet's own page, if the query joins it. Without an RPC server, the
    chain's observations aren't joined, so they never count.
    """
    is_entered = (
        (Balance.address == Wallet.address)
        & (Balance.mint == page.token_mint)
        & (Balance.owner == page.owner_id)
    )
    query = query.join_from(Wallet, Balance, JOIN.LEFT_OUTER, on=is_entered)
    if not uses_chain:
        return query
    is_observed = (ChainBalance.address == Wallet.address) & (ChainBalance.mint == page.token_mint)
    return query.join_from(Wallet, ChainBalance, JOIN.LEFT_OUTER, on=is_observed)


def list_amounts(*, uses_chain: bool) -> tuple[Any, ...]:
    """Return the columns of join_balances; the first that is not null counts."""
    return (ChainBalance.amount, Balance.amount) if uses_chain else (Balance.amount,)


def read_balances(page: Page, addresses: Addresses, *, uses_chain: bool) -> dict[str, Decimal]:
    """Return the known balances of these addresses, in whole tokens."""
    known = read_observations(page, addresses, uses_chain=uses_chain)
    return {address: one.amount for address, one in known.items()}


def read_observations(
    page: Page, addresses: Addresses, *, uses_chain: bool
) -> dict[str, KnownBalance]:
    """Return the observations of these addresses that count, in one or two statements."""
    entered = Balance.select().where(
        Balance.owner == page.owner_id,
        Balance.mint == page.token_mint,
        Balance.address.in_(addresses),
    )
    known = {one.address: KnownBalance.of(one) for one in entered}
    if uses_chain:
        observed = ChainBalance.select().where(
            ChainBalance.mint == page.token_mint, ChainBalance.address.in_(addresses)
        )
        known |= {one.address: KnownBalance.of(one) for one in observed}
    return known


def find_chain_balance(mint: str, address: str) -> ChainBalance | None:
    """Return the newest observation of an address on the chain."""
    return ChainBalance.get_or_none(ChainBalance.mint == mint, ChainBalance.address == address)
