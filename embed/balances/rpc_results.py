"""The results' fields that are read; anything else in an answer is ignored and takes no memory.

Source: anza-xyz/agave account-decoder-client-types, rpc-client-types. Amounts are texts, as JSON
numbers lose digits.
"""

from decimal import Decimal
from typing import Annotated

import msgspec

from embed.balances.rpc_endpoint import WrongAnswer
from embed.domain.amounts import parse_amount
from embed.errors import InvalidInput

Address = Annotated[str, msgspec.Meta(min_length=32, max_length=44)]
Slot = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Units = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,20}\Z")]  # a u64
# Token-2022 multiplies by a double, which has up to 309 digits or is infinite.
Displayed = Annotated[str, msgspec.Meta(pattern=r"^([0-9]{1,400}(\.[0-9]{1,255})?|inf)\Z")]
Decimals = Annotated[int, msgspec.Meta(ge=0, le=255)]

COMMITMENT = {"commitment": "confirmed"}  # by most validators; a few seconds before it is final
PARSED = {"encoding": "jsonParsed", **COMMITMENT}
MAX_UNITS = 2**64 - 1


class UnusableAmount(Exception):
    """An amount that is never stored, though it may be right: mints can scale what wallets show."""

    def __init__(self) -> None:
        super().__init__("Its amount is too large or has too many decimals.")


class Result(msgspec.Struct, rename="camel"):
    """The base of all results: ``token_amount`` is ``tokenAmount`` in JSON."""


class Amount(Result):
    amount: Units
    decimals: Decimals
    ui_amount_string: Displayed


class Parsed(Result):
    type: str
    info: msgspec.Raw  # in a different form for each type


class ParsedData(Result):
    parsed: Parsed
    space: int


class Account(Result):
    owner: Address  # the program
    # Parsed if it belongs to a token program, else base64 and the word "base64".
    data: ParsedData | tuple[str, str]


class OwnedAccount(Result):
    pubkey: Address
    account: Account


class Holding(Result):
    """A token account."""

    mint: str
    owner: str
    token_amount: Amount


class Extension(Result):
    extension: str  # its name
    state: msgspec.Raw = msgspec.Raw(b"null")


class Mint(Result):
    decimals: Decimals
    is_initialized: bool
    supply: Units
    extensions: list[Extension] = []


class Context(Result):
    slot: Slot


class Accounts(Result):
    context: Context
    value: list[Account | None]


class OwnedAccounts(Result):
    context: Context
    value: list[OwnedAccount]


class LargestAccount(Result):
    address: Address  # of the token account; its owner isn't included


class LargestAccounts(Result):
    value: list[LargestAccount]


class TokenSupply(Result):
    context: Context
    value: Amount


def read_amount(raw: Amount) -> Decimal:
    """Return exact whole tokens as wallets show them, including Token-2022's scaled amounts.

    Raises WrongAnswer, UnusableAmount.
    """
    if int(raw.amount) > MAX_UNITS:
        raise WrongAnswer("it has an amount that no account can hold")
    try:
        return parse_amount(raw.ui_amount_string)
    except InvalidInput:
        raise UnusableAmount from None
