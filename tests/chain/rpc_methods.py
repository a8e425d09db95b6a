"""The methods of Solana's JSON-RPC over the ledger, in the form of Agave's answers.

Sources: anza-xyz/agave rpc/src/rpc.rs, account-decoder/src/parse_token.rs.
"""

import base64
import struct
from collections.abc import Callable, Iterator
from typing import Any

import base58
from solders.account import Account

from chain.ledger import SPL_TOKEN, SPL_TOKEN_2022, Ledger
from chain.token_instructions import ACCOUNT_BYTES, EXTENDED_BYTES, MINT_BYTES

INVALID_PARAMS, UNKNOWN_METHOD = -32602, -32601
MAX_ACCOUNTS = 100  # in one call of getMultipleAccounts
MAX_LARGEST = 20
PROGRAM_NAMES = {SPL_TOKEN: "spl-token", SPL_TOKEN_2022: "spl-token-2022"}
TOKEN_METADATA = 19  # the extension's number
EXTENSIONS = {
    7: "immutableOwner",
    18: "metadataPointer",
    TOKEN_METADATA: "tokenMetadata",
    25: "scaledUiAmountConfig",
}


class RpcError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Methods:
    """Answers one call after the other: ``methods.answer("getSlot", [])``."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.most_accounts = MAX_ACCOUNTS
        self._by_name: dict[str, Callable[..., Any]] = {
            "getSlot": lambda *_: ledger.slot,
            "getMultipleAccounts": self._get_accounts,
            "getTokenAccountsByOwner": self._get_accounts_of_owner,
            "getTokenSupply": self._get_supply,
            "getTokenLargestAccounts": self._get_largest,
        }

    def answer(self, name: str, params: list[Any]) -> Any:
        """Return the result. Raises RpcError."""
        if name not in self._by_name:
            raise RpcError(UNKNOWN_METHOD, "Method not found")
        return self._by_name[name](*params)

    def _get_accounts(self, addresses: list[str], options: dict[str, Any]) -> Any:
        if len(addresses) > self.most_accounts:
            raise RpcError(INVALID_PARAMS, f"Too many inputs provided; max {self.most_accounts}")
        for address in addresses:
            _check_address(address)
        found = map(self._ledger.find_account, addresses)
        return self._in_context([self._describe(account, options) for account in found])

    def _get_accounts_of_owner(
        self, owner: str, only: dict[str, str], options: dict[str, Any]
    ) -> Any:
        _check_address(owner)
        _check_address(only["mint"])
        account = self._ledger.find_account(only["mint"])
        if account is None:
            raise RpcError(INVALID_PARAMS, "Invalid param: could not find mint")
        if only["mint"] not in self._ledger.mints:
            raise RpcError(INVALID_PARAMS, "Invalid param: not a Token mint")
        return self._in_context(
            [
                {
                    "pubkey": address,
                    "account": self._describe(self._ledger.find_account(address), options),
                }
                for address in self._ledger.list_accounts(owner, only["mint"])
            ]
        )

    def _get_supply(self, mint: str, _: dict[str, Any] | None = None) -> Any:
        (units,) = struct.unpack_from("<Q", self._find_mint(mint).data, 36)
        return self._in_context(self._describe_amount(mint, units))

    def _get_largest(self, mint: str, _: dict[str, Any] | None = None) -> Any:
        self._find_mint(mint)
        units = self._ledger.list_units(mint)
        largest = sorted(units, key=lambda address: (-units[address], address))[:MAX_LARGEST]
        return self._in_context(
            [{"address": one} | self._describe_amount(mint, units[one]) for one in largest]
        )

    def _find_mint(self, mint: str) -> Account:
        _check_address(mint)
        account = self._ledger.find_account(mint)
        if account is None:
            raise RpcError(INVALID_PARAMS, "Invalid param: could not find account")
        if mint not in self._ledger.mints:
            raise RpcError(INVALID_PARAMS, "Invalid param: not a Token mint")
        return account

    def _in_context(self, value: Any) -> Any:
        return {"context": {"apiVersion": "3.0.6", "slot": self._ledger.slot}, "value": value}

    def _describe(self, account: Account | None, options: dict[str, Any]) -> Any:
        if account is None:
            return None
        return {
            "data": self._describe_data(account, options),
            "executable": account.executable,
            "lamports": account.lamports,
            "owner": str(account.owner),
            "rentEpoch": 2**64 - 1,
            "space": len(account.data),
        }

    def _describe_data(self, account: Account, options: dict[str, Any]) -> Any:
        data, program = account.data, PROGRAM_NAMES.get(str(account.owner))
        if options["encoding"] == "jsonParsed" and program and len(data) >= MINT_BYTES:
            parsed = self._parse_mint(data) if _is_mint(data) else self._parse_account(data)
            return {"parsed": parsed, "program": program, "space": len(data)}
        part = options.get("dataSlice", {"offset": 0, "length": len(data)})
        chosen = data[part["offset"] :][: part["length"]]
        return [base64.b64encode(chosen).decode(), "base64"]

    def _parse_account(self, data: bytes) -> Any:
        mint, owner = _read_address(data, 0), _read_address(data, 32)
        (units,) = struct.unpack_from("<Q", data, 64)
        info = {
            "isNative": False,
            "mint": mint,
            "owner": owner,
            "state": ("uninitialized", "initialized", "frozen")[data[108]],
            "tokenAmount": self._describe_amount(mint, units),
        }
        return {"info": info | _describe_extensions(data), "type": "account"}

    def _parse_mint(self, data: bytes) -> Any:
        (supply,) = struct.unpack_from("<Q", data, 36)
        info = {
            "decimals": data[44],
            "freezeAuthority": None,
            "isInitialized": bool(data[45]),
            "mintAuthority": _read_address(data, 4),
            "supply": str(supply),
        }
        return {"info": info | _describe_extensions(data), "type": "mint"}

    def _describe_amount(self, mint: str, units: int) -> Any:
        displayed = self._ledger.display(mint, units)
        return {
            "amount": str(units),
            "decimals": self._ledger.mints[mint].decimals,
            "uiAmount": None if displayed == "inf" else float(displayed),  # as JSON has it
            "uiAmountString": displayed,
        }


def _is_mint(data: bytes) -> bool:
    return len(data) == MINT_BYTES or (len(data) > ACCOUNT_BYTES and data[ACCOUNT_BYTES] == 1)


def _describe_extensions(data: bytes) -> dict[str, Any]:
    found = list(_read_extensions(data))
    return {"extensions": found} if found else {}


def _read_extensions(data: bytes) -> Iterator[dict[str, Any]]:
    at = EXTENDED_BYTES
    while at + 4 <= len(data):
        kind, size = struct.unpack_from("<HH", data, at)
        if not kind:
            return
        entry = data[at + 4 :][:size]
        state = _read_metadata(entry) if kind == TOKEN_METADATA else {}
        yield {"extension": EXTENSIONS.get(kind, "unparseableExtension"), "state": state}
        at += 4 + size


def _read_metadata(entry: bytes) -> dict[str, Any]:
    texts, at = [], 64
    for _ in range(3):
        (size,) = struct.unpack_from("<I", entry, at)
        texts.append(entry[at + 4 :][:size].decode())
        at += 4 + size
    keys = {"updateAuthority": _read_address(entry, 0), "mint": _read_address(entry, 32)}
    names = dict(zip(("name", "symbol", "uri"), texts, strict=True))
    return keys | names | {"additionalMetadata": []}


def _read_address(data: bytes, at: int) -> str:
    return base58.b58encode(data[at : at + 32]).decode()


def _check_address(address: str) -> None:
    try:
        size = len(base58.b58decode(address))
    except ValueError:
        size = 0
    if size != 32:
        raise RpcError(INVALID_PARAMS, "Invalid param: WrongSize")
