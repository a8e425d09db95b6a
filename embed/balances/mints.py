"""What the chain says about a mint: its program, names and supply."""

import base64
import binascii
import struct
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal

import base58
import msgspec

from embed.balances.rpc_endpoint import INVALID_PARAMS, RpcRefused, WrongAnswer
from embed.balances.rpc_results import (
    COMMITMENT,
    MAX_UNITS,
    Account,
    Extension,
    Mint,
    ParsedData,
    Result,
    TokenSupply,
    UnusableAmount,
    read_amount,
)
from embed.balances.solana_rpc import SolanaRpc, UnusableAnswer
from embed.domain.addresses import METADATA_PROGRAM, derive_metadata_account
from embed.domain.amounts import MAX_DECIMALS, apply_decimals
from embed.domain.texts import parse_optional_text
from embed.domain.times import Seconds
from embed.errors import InvalidInput

TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"  # noqa: S105 -- an address
TOKEN_2022_PROGRAM = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"  # noqa: S105 -- an address
TOKEN_PROGRAMS = (TOKEN_PROGRAM, TOKEN_2022_PROGRAM)
SYSTEM_PROGRAM = "1" * 32

MAX_NAME, MAX_SYMBOL = 100, 20  # characters, as on a page
# Metaplex, in Borsh: kind, update authority and mint; then texts, each preceded by its length.
_METADATA_KIND = 4
_HEAD_BYTES = 1 + 32 + 32
# Token-2022 extensions that make wallets show other amounts than accounts hold.
_SCALING = {"interestBearingConfig", "scaledUiAmountConfig"}

Names = tuple[str | None, str | None]


class NoSuchMint(Exception):
    """The address isn't a mint whose balances can be read; the text is a sentence."""

    def __init__(self, mint: str, reason: str = "is not the mint of a token") -> None:
        super().__init__(f"{mint} {reason}.")


@dataclass(frozen=True, slots=True)
class TokenInfo:
    mint: str
    program: str
    decimals: int
    name: str | None
    symbol: str | None


def read_token(rpc: SolanaRpc, mint: str, *, timeout_s: Seconds | None = None) -> TokenInfo:
    """Read a mint. Raises NoSuchMint, RpcUnavailable."""
    accounts = [mint, derive_metadata_account(mint)]

    def parse(_: int, read: list[Account | None]) -> TokenInfo:
        return _read_mint(mint, *read)

    with explaining_refusals(mint):
        return rpc.read_accounts(accounts, parse=parse, timeout_s=timeout_s)


@contextmanager
def explaining_refusals(mint: str) -> Iterator[None]:
    """Tell why a call that needs a mint was refused. Raises NoSuchMint, UnusableAnswer."""
    try:
        yield
    except RpcRefused as refused:
        if refused.code == INVALID_PARAMS:
            raise NoSuchMint(mint) from None
        raise UnusableAnswer(str(refused)) from None


def _read_mint(mint: str, account: Account | None, metadata: Account | None) -> TokenInfo:
    if account is None or account.owner not in TOKEN_PROGRAMS:
        raise NoSuchMint(mint)
    if not isinstance(account.data, ParsedData):
        raise WrongAnswer("it has a malformed account")
    if account.data.parsed.type != "mint":
        raise NoSuchMint(mint)
    facts = msgspec.json.decode(account.data.parsed.info, type=Mint)
    if not facts.is_initialized:
        raise NoSuchMint(mint)
    if facts.decimals > MAX_DECIMALS:
        raise NoSuchMint(mint, f"has {facts.decimals} decimals; at most {MAX_DECIMALS} work")
    name, symbol = find_extension_names(facts.extensions, mint)
    if name is None and symbol is None:
        name, symbol = find_metaplex_names(metadata, base58.b58decode(mint))
    return TokenInfo(mint, account.owner, facts.decimals, name, symbol)


def parse_supply(mint: Account) -> Decimal | None:
    """Return the supply in a mint's account, in whole tokens; None if wallets scale it.

    Raises WrongAnswer.
    """
    if mint.owner not in TOKEN_PROGRAMS or not isinstance(mint.data, ParsedData):
        raise WrongAnswer("it has a malformed mint")
    if mint.data.parsed.type != "mint":
        raise WrongAnswer("it has an account instead of the mint")
    facts = msgspec.json.decode(mint.data.parsed.info, type=Mint)
    if int(facts.supply) > MAX_UNITS or facts.decimals > MAX_DECIMALS:
        raise WrongAnswer("it has a supply that no mint can have")
    if any(extension.extension in _SCALING for extension in facts.extensions):
        return None
    return apply_decimals(int(facts.supply), facts.decimals)


def read_scaled_supply(rpc: SolanaRpc, mint: str) -> Decimal | None:
    """Read a supply as wallets show it; None if it's too large or too precise to store.

    Raises NoSuchMint, RpcUnavailable, UnusableAnswer.
    """

    def parse(raw: msgspec.Raw) -> Decimal | None:
        try:
            return read_amount(msgspec.json.decode(raw, type=TokenSupply).value)
        except UnusableAmount:
            return None

    with explaining_refusals(mint):
        return rpc.call("getTokenSupply", [mint, COMMITMENT], parse=parse)


class _Metadata(Result):
    """Token-2022's extension."""

    mint: str
    name: str
    symbol: str


def find_extension_names(extensions: list[Extension], mint: str) -> Names:
    """Return the name and the symbol that a Token-2022 mint itself has."""
    for extension in extensions:
        if extension.extension == "tokenMetadata":
            metadata = msgspec.json.decode(extension.state, type=_Metadata)
            if metadata.mint == mint:
                return _check(metadata.name, MAX_NAME), _check(metadata.symbol, MAX_SYMBOL)
    return None, None


def find_metaplex_names(account: Account | None, mint: bytes) -> Names:
    """Return the name and the symbol in a mint's metadata account, if it is one."""
    if account is None or account.owner != METADATA_PROGRAM or not isinstance(account.data, tuple):
        return None, None
    try:
        raw = base64.b64decode(account.data[0], validate=True)
        if raw[0] != _METADATA_KIND or raw[33:_HEAD_BYTES] != mint:
            return None, None
        name, end = _read_text(raw, _HEAD_BYTES)
        symbol, _ = _read_text(raw, end)
    except (binascii.Error, IndexError, struct.error, UnicodeDecodeError):
        return None, None
    return _check(name, MAX_NAME), _check(symbol, MAX_SYMBOL)


def _read_text(raw: bytes, start: int) -> tuple[str, int]:
    """Return a text and where it ends. Raises struct.error, UnicodeDecodeError."""
    (size,) = struct.unpack_from("<I", raw, start)
    end = start + 4 + size
    return raw[start + 4 : end].decode(), end


def _check(text: str, max_length: int) -> str | None:
    """Return a text without its padding; None if an owner couldn't write it or it shows nothing."""
    trimmed = text.strip("\0 \t\r\n")
    if all(unicodedata.category(character) == "Cf" for character in trimmed):
        return None
    try:
        return parse_optional_text(trimmed, "name", field="", max_length=max_length)
    except InvalidInput:
        return None
