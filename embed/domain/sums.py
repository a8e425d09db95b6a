"""What the wallets of a list hold together."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from embed.domain.amounts import add, find_share, subtract


@dataclass(frozen=True, slots=True)
class Holding:
    """What one wallet holds."""

    balance: Decimal | None  # whole tokens; None: nobody knows
    is_counted: bool  # by all of its tags


@dataclass(frozen=True, slots=True)
class Sums:
    """Exact sums, in whole tokens, of the wallets whose balances are known."""

    balance: Decimal
    wallet_count: int
    # Of those that are counted:
    counted_balance: Decimal
    counted_wallet_count: int
    counted_share: Decimal | None  # of the supply; None: nobody knows


def add_up(holdings: Iterable[Holding], supply: Decimal | None) -> Sums | None:
    """Return None if no balance is known: that is no sum of 0."""
    known = [(one.balance, one.is_counted) for one in holdings if one.balance is not None]
    if not known:
        return None
    left_out = [balance for balance, is_counted in known if not is_counted]
    balance = add(*(balance for balance, _ in known))
    counted_balance = subtract(balance, add(*left_out))
    return Sums(
        balance=balance,
        wallet_count=len(known),
        counted_balance=counted_balance,
        counted_wallet_count=len(known) - len(left_out),
        counted_share=find_share(counted_balance, supply),
    )
