"""The name and symbol of a mint, which whoever created it chose."""

import base64
import binascii
import struct
from typing import Any

from embed.balances.program_addresses import METADATA_PROGRAM
from embed.balances.rpc_results import Account, Result, read_as

MAX_NAME, MAX_SYMBOL = 100, 20  # characters, as a page's
# Metaplex, in Borsh: its kind, the update authority, the mint; then texts, each after its length.
_METADATA_KIND = 4
_HEAD_BYTES = 1 + 32 + 32

Names = tuple[str | None, str | None]


class _Metadata(Result):
    """Token-2022's extension."""

    mint: str
    name: str
    symbol: str


def find_extension_names(extensions: list[dict[str, Any]], mint: str) -> Names:
    """Return the name and the symbol of a Token-2022 mint that has them itself."""
    for extension in extensions:
        if extension.get("extension") == "tokenMetadata":
            metadata = read_as(_Metadata, extension.get("state"))
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
    """Return a text without its padding; None if it is empty, long or cannot be printed."""
    trimmed = text.strip("\0 \t\r\n")
    return trimmed if 0 < len(trimmed) <= max_length and trimmed.isprintable() else None
