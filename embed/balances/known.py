"""The balance that counts: the chain's if an RPC server is set, else what the owner entered."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from peewee import JOIN, ModelSelect

from embed.balances.tokens import Supply
from embed.db.models import Balance, ChainBalance, Page, Token, Wallet
from embed.db.statements import Parameter, Statement
from embed.domain.times import from_ms

Addresses: TypeAlias = "Collection[str] | ModelSelect[Wallet]"  # a query may select them


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


class BalanceSource:
    """Reads the balances that count from the database.

    With an RPC server, an entered balance counts until the address is first read from the chain.
    Without one, earlier observations of the chain no longer count, as nothing renews them.
    """

    def __init__(self, *, uses_chain: bool) -> None:
        self.uses_chain = uses_chain
        entered, observed = Balance.amount, ChainBalance.amount
        # Columns of queries with `join`; the first that is not null counts.
        self.amounts: tuple[Any, ...] = (observed, entered) if uses_chain else (entered,)

    def get_balance(self, page: Page, address: str) -> Decimal:
        """Return what counts for the page's minimum, in whole tokens; 0 if nothing is known.

        Never called inside a transaction. Raises ApiError `balance_unavailable`.
        """
        known = self.read(page, [address]).get(address)
        return Decimal(0) if known is None else known.amount

    def read(self, page: Page, addresses: Addresses) -> dict[str, KnownBalance]:
        """Return the observations of these addresses that count, in one or two statements."""
        entered = Balance.select().where(
            Balance.owner == page.owner_id,
            Balance.mint == page.token_mint,
            Balance.address.in_(addresses),
        )
        known = {one.address: KnownBalance.of(one) for one in entered}
        if self.uses_chain:
            observed = ChainBalance.select().where(
                ChainBalance.mint == page.token_mint, ChainBalance.address.in_(addresses)
            )
            known |= {one.address: KnownBalance.of(one) for one in observed}
        return known

    def join(self, query: Any, page: Page | type[Page]) -> Any:
        """Join the page's wallets with their newest observations, if any.

        Pass `Page` itself for each wallet's own page, if the query joins it.
        """
        is_entered = (
            (Balance.address == Wallet.address)
            & (Balance.mint == page.token_mint)
            & (Balance.owner == page.owner_id)
        )
        query = query.join_from(Wallet, Balance, JOIN.LEFT_OUTER, on=is_entered)
        if not self.uses_chain:
            return query
        mint = page.token_mint
        is_observed = (ChainBalance.address == Wallet.address) & (ChainBalance.mint == mint)
        return query.join_from(Wallet, ChainBalance, JOIN.LEFT_OUTER, on=is_observed)

    def find_supply(self, mint: str) -> Supply | None:
        """Return a mint's supply as last read, if an RPC server is set."""
        found = _FIND_SUPPLY.execute(mint=mint).fetchone() if self.uses_chain else None
        return Supply(Decimal(found[0]), from_ms(found[1])) if found else None


_FIND_SUPPLY = Statement(
    Token.select(Token.supply, Token.supply_observed_at).where(
        Token.mint == Parameter("mint"), Token.supply_observed_at.is_null(False)
    )
)


def find_chain_balance(mint: str, address: str) -> ChainBalance | None:
    """Return the newest observation of an address on the chain."""
    return ChainBalance.get_or_none(ChainBalance.mint == mint, ChainBalance.address == address)
