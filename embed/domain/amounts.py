"""Token balances: whole tokens, decimals applied."""

from embed.errors import InvalidInput

# The most that a mint can issue is 2**64 - 1 units; with no decimals that is 1.8e19 tokens.
MAX_AMOUNT = 1e20


def parse_amount(raw: float, name: str = "A balance", *, field: str = "balance") -> float:
    """Return `raw` if it can be a balance. Raises InvalidInput about `field`."""
    if not 0 <= raw <= MAX_AMOUNT:  # NaN is not, either
        raise InvalidInput(f"{name} is a number of whole tokens, 0 or more.", field=field)
    return float(raw)


def simplify_amount(amount: float) -> float:
    """Return a whole amount as int, so that JSON says 1500 and not 1500.0."""
    return int(amount) if amount.is_integer() else amount
