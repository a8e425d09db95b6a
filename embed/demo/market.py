"""The demo's chain: wallets trade a token there, and the service asks it by Solana's JSON-RPC.

It answers what the service asks, in the form of Agave's answers (anza-xyz/agave rpc/src/rpc.rs,
account-decoder/src/parse_token.rs).
"""

import base64
import json
import random
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import base58

from embed.balances.mints import (
    METADATA_PROGRAM,
    TOKEN_PROGRAM,
    derive_metadata_account,
    derive_token_account,
)

DECIMALS = 6
UNITS = 10**DECIMALS
TRADE_PAUSE_S = 5.0
WELCOME = 250 * UNITS  # what a wallet has when the service first asks for it
SLOT_S = 0.4
NOT_NOW = -32005  # what a node answers that has fallen behind
MINT_BYTES, ACCOUNT_BYTES, METADATA_BYTES = 82, 165, 607


class Market:
    """Each wallet gets tokens when it is first asked for, unless it is penniless."""

    def __init__(self, mint: str, name: str, symbol: str, amounts: Mapping[str, int]) -> None:
        """Start with these units by address."""
        # Slots of a later run have to be newer than those that the database knows.
        self.slot = int(time.time() / SLOT_S)
        self.mint = mint
        self.penniless: set[str] = set()
        self._traders = list(amounts)
        self._units: dict[str, int] = {}
        self._accounts: dict[str, Callable[[], dict[str, Any]]] = {
            mint: self._describe_mint,
            derive_metadata_account(mint): lambda: _describe_metadata(mint, name, symbol),
        }
        self._lock = threading.RLock()
        for address, units in amounts.items():
            self._give(address, units)

    def answer(self, request: Any) -> dict[str, Any]:
        """Return the whole answer to a request."""
        with self._lock:
            value = self._find_value(request["method"], request["params"])
            head = {"jsonrpc": "2.0", "id": request["id"]}
            if value is None:
                # Other pages of this database have real tokens, of which nothing is known here.
                message = "Only the demo's token is known here"
                return head | {"error": {"code": NOT_NOW, "message": message}}
            context = {"apiVersion": "3.0.6", "slot": self.slot}
            return head | {"result": {"context": context, "value": value}}

    def trade(self, rng: random.Random) -> None:
        """Move a share of one wallet's tokens to another."""
        with self._lock:
            source, target = rng.sample(self._traders, k=2)
            units = rng.randint(0, self._units[source] // 10)
            self._units[source] -= units
            self._units[target] += units
            self.slot += 1

    def _give(self, address: str, units: int) -> None:
        account = derive_token_account(address, self.mint, TOKEN_PROGRAM)
        self._units[address] = units
        self._accounts[account] = lambda: self._describe_account(address)
        self.slot += 1

    def _find_value(self, method: str, params: list[Any]) -> Any:
        """Return None for what is not known here."""
        if method == "getMultipleAccounts" and self.mint in params[0]:
            found = [self._accounts.get(address) for address in params[0]]
            return [None if describe is None else describe() for describe in found]
        if method == "getTokenAccountsByOwner" and params[1]["mint"] == self.mint:
            return self._list_accounts(params[0])
        if method == "getTokenSupply" and params[0] == self.mint:
            return _describe_amount(sum(self._units.values()))
        return None

    def _list_accounts(self, owner: str) -> list[dict[str, Any]]:
        if owner in self.penniless:
            return []
        if owner not in self._units:
            self._give(owner, WELCOME)
        pubkey = derive_token_account(owner, self.mint, TOKEN_PROGRAM)
        return [{"pubkey": pubkey, "account": self._describe_account(owner)}]

    def _describe_account(self, owner: str) -> dict[str, Any]:
        info = {
            "isNative": False,
            "mint": self.mint,
            "owner": owner,
            "state": "initialized",
            "tokenAmount": _describe_amount(self._units[owner]),
        }
        return _describe_token_data("account", info, ACCOUNT_BYTES)

    def _describe_mint(self) -> dict[str, Any]:
        info = {
            "decimals": DECIMALS,
            "freezeAuthority": None,
            "isInitialized": True,
            "mintAuthority": None,
            "supply": str(sum(self._units.values())),
        }
        return _describe_token_data("mint", info, MINT_BYTES)


def _describe_amount(units: int) -> dict[str, Any]:
    whole, part = divmod(units, UNITS)
    displayed = f"{whole}.{part:0{DECIMALS}}".rstrip("0").rstrip(".")
    return {
        "amount": str(units),
        "decimals": DECIMALS,
        "uiAmount": float(displayed),
        "uiAmountString": displayed,
    }


def _describe_token_data(kind: str, info: dict[str, Any], size: int) -> dict[str, Any]:
    parsed = {"info": info, "type": kind}
    return _describe({"parsed": parsed, "program": "spl-token", "space": size}, size, TOKEN_PROGRAM)


def _describe_metadata(mint: str, name: str, symbol: str) -> dict[str, Any]:
    """Write what Metaplex keeps of a mint: its authority, the mint, and three texts."""
    data = bytes([4]) + bytes(32) + base58.b58decode(mint)
    for text, size in ((name, 32), (symbol, 10), ("", 200)):
        data += struct.pack("<I", size) + text.encode().ljust(size, b"\0")
    encoded = base64.b64encode(data.ljust(METADATA_BYTES, b"\0")).decode()
    return _describe([encoded, "base64"], METADATA_BYTES, METADATA_PROGRAM)


def _describe(data: Any, size: int, program: str) -> dict[str, Any]:
    return {
        "data": data,
        "executable": False,
        "lamports": 10**7,
        "owner": program,
        "rentEpoch": 2**64 - 1,
        "space": size,
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: the service may hang up."""


@contextmanager
def serve_market(market: Market) -> Iterator[str]:
    """Yield the address of its endpoint, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # connections stay open
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(market.answer(request)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Do not log requests to standard error."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@contextmanager
def run_market(market: Market) -> Iterator[str]:
    """Let the wallets trade, and yield the address of the endpoint, until the block ends."""
    has_ended = threading.Event()

    def trade() -> None:
        rng = random.Random()  # noqa: S311 -- which wallet trades is no secret
        while not has_ended.wait(TRADE_PAUSE_S):
            market.trade(rng)

    thread = threading.Thread(target=trade, daemon=True)
    thread.start()
    try:
        with serve_market(market) as url:
            yield url
    finally:
        has_ended.set()
        thread.join()
