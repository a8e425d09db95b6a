"""The demo's chain: wallets trade a token there, and the service asks it by Solana's JSON-RPC.

It answers what the service asks, with what the service reads of Agave's answers
(anza-xyz/agave rpc/src/rpc.rs, account-decoder/src/parse_token.rs).
"""

import base64
import random
import struct
import threading
import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import base58

from embed.balances.mints import (
    METADATA_PROGRAM,
    TOKEN_PROGRAM,
    derive_metadata_account,
    derive_token_account,
)
from embed.domain.amounts import format_amount

DECIMALS = 6
UNITS = 10**DECIMALS
SUPPLY = 10_000_000  # more than all wallets of the demo hold
TRADE_PAUSE_S = 5.0
WELCOME = 250 * UNITS  # what a wallet has when the service first asks for it
SLOT_S = 0.4
NOT_NOW = -32005  # what a node answers that has fallen behind
MINT_BYTES, ACCOUNT_BYTES = 82, 165
LARGEST = 20  # accounts that a node tells


class Market:
    """Each wallet gets tokens when it is first asked for, unless it is penniless."""

    def __init__(self, mint: str, name: str, symbol: str, amounts: Mapping[str, int]) -> None:
        """Start with these units by address."""
        # Slots of a later run have to be newer than those that the database knows.
        self.slot = int(time.time() / SLOT_S)
        self.mint = mint
        self.penniless: set[str] = set()
        self._accounts = {derive_metadata_account(mint): _describe_metadata(mint, name, symbol)}
        self._traders = list(amounts)
        self._units: dict[str, int] = {}
        self._owners: dict[str, str] = {}  # by token account
        self._lock = threading.Lock()
        for address, units in amounts.items():
            self._give(address, units)

    def keep_trading(self) -> None:
        """Trade every few seconds, and never return."""
        while True:
            time.sleep(TRADE_PAUSE_S)
            self.trade()

    def trade(self) -> None:
        """Move a share of one wallet's tokens to another."""
        with self._lock:
            source, target = random.sample(self._traders, k=2)
            units = self._units[source] // random.randint(10, 100)  # noqa: S311 -- decoration
            self._units[source] -= units
            self._units[target] += units
            self.slot += 1

    def answer(self, request: Any) -> dict[str, Any]:
        """Return the whole answer to a request."""
        with self._lock:
            value = self._find_value(request["method"], request["params"])
            if value is None:
                # Other pages of this database have real tokens, of which nothing is known here.
                message = "Only the demo's token is known here"
                outcome: dict[str, Any] = {"error": {"code": NOT_NOW, "message": message}}
            else:
                outcome = {"result": {"context": {"slot": self.slot}, "value": value}}
        return {"jsonrpc": "2.0", "id": request["id"], **outcome}

    def _give(self, address: str, units: int) -> None:
        self._units[address] = units
        self._owners[derive_token_account(address, self.mint, TOKEN_PROGRAM)] = address
        self.slot += 1

    def _find_value(self, method: str, params: list[Any]) -> Any:
        """Return None for what is not known here."""
        match method, params:
            case "getMultipleAccounts", [addresses, *_] if self.mint in addresses:
                return [self._find_account(address) for address in addresses]
            case "getTokenAccountsByOwner", [owner, {"mint": self.mint}, *_]:
                return self._list_accounts(owner)
            case "getTokenLargestAccounts", [self.mint, *_]:
                return self._list_largest()
        return None

    def _find_account(self, address: str) -> dict[str, Any] | None:
        if address == self.mint:
            info = {"decimals": DECIMALS, "isInitialized": True, "supply": str(SUPPLY * UNITS)}
            return _describe_parsed("mint", info, MINT_BYTES)
        if address in self._owners:
            return self._describe_account(self._owners[address])
        return self._accounts.get(address)

    def _list_accounts(self, owner: str) -> list[dict[str, Any]]:
        if owner in self.penniless:
            return []
        if owner not in self._units:
            self._give(owner, WELCOME)
        pubkey = derive_token_account(owner, self.mint, TOKEN_PROGRAM)
        return [{"pubkey": pubkey, "account": self._describe_account(owner)}]

    def _list_largest(self) -> list[dict[str, Any]]:
        units = {account: self._units[owner] for account, owner in self._owners.items()}
        largest = sorted(units, key=lambda account: -units[account])[:LARGEST]
        return [{"address": one} | _describe_amount(units[one]) for one in largest]

    def _describe_account(self, owner: str) -> dict[str, Any]:
        amount = _describe_amount(self._units[owner])
        info = {"mint": self.mint, "owner": owner, "tokenAmount": amount}
        return _describe_parsed("account", info, ACCOUNT_BYTES)


def _describe_amount(units: int) -> dict[str, Any]:
    displayed = format_amount(Decimal(units) / UNITS)
    return {"amount": str(units), "decimals": DECIMALS, "uiAmountString": displayed}


def _describe_parsed(kind: str, info: dict[str, Any], size: int) -> dict[str, Any]:
    data = {"parsed": {"info": info, "type": kind}, "program": "spl-token", "space": size}
    return {"data": data, "owner": TOKEN_PROGRAM}


def _describe_metadata(mint: str, name: str, symbol: str) -> dict[str, Any]:
    """Write what Metaplex keeps of a mint: its authority, the mint, a name and a symbol."""
    data = bytes([4]) + bytes(32) + base58.b58decode(mint)
    for text in (name.encode(), symbol.encode()):
        data += struct.pack("<I", len(text)) + text
    return _describe_bytes(data, METADATA_PROGRAM)


def _describe_bytes(data: bytes, program: str) -> dict[str, Any]:
    return {"data": [base64.b64encode(data).decode(), "base64"], "owner": program}
