"""The demo's chain: a ledger in this process on which the demo's wallets trade."""

import random
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from embed.demo.ledger.ledger import Ledger
from embed.demo.ledger.rpc_server import RpcServer

DECIMALS = 6
UNITS = 10**DECIMALS
TRADE_PAUSE_S = 5.0
WELCOME = 250 * UNITS  # what a wallet has when the service first asks for it
SLOT_S = 0.4
NOT_NOW = -32005  # what a node answers that has fallen behind


class Market(RpcServer):
    """The demo's endpoint. Each wallet gets tokens when it is first asked for, unless penniless."""

    def __init__(self, mint: str, name: str, symbol: str, amounts: Mapping[str, int]) -> None:
        """Start with these units by address."""
        ledger = Ledger()
        # Slots of a later run have to be newer than those that the database knows.
        ledger.advance(int(time.time() / SLOT_S))
        ledger.create_mint(DECIMALS, name=name, symbol=symbol, address=mint)
        self.mint = mint
        self.penniless: set[str] = set()
        self._traders = list(amounts)
        self._known = set(amounts)
        for address, units in amounts.items():
            ledger.mint_to(address, mint, units)
        super().__init__(ledger)

    def answer(self, request: Any) -> dict[str, Any]:
        if request["method"] == "getTokenAccountsByOwner":
            self._welcome(request["params"][0])
        answer = super().answer(request)
        if "error" in answer:
            # Other pages of this database have real tokens, of which nothing is known here.
            answer["error"] = {"code": NOT_NOW, "message": "Only the demo's token is known here"}
        return answer

    def trade(self, rng: random.Random) -> None:
        """Move a share of one wallet's tokens to another."""
        source, target = rng.sample(self._traders, k=2)
        units = self._count_units(source)
        self.ledger.transfer(source, target, self.mint, rng.randint(0, units // 10))

    def _count_units(self, address: str) -> int:
        (account,) = self.ledger.list_accounts(address, self.mint)
        return self.ledger.count_units(account)

    def _welcome(self, address: str) -> None:
        if address not in self._known | self.penniless:
            self._known.add(address)
            self.ledger.mint_to(address, self.mint, WELCOME)


@contextmanager
def run_market(market: Market) -> Iterator[None]:
    """Let the wallets trade until the block ends."""
    has_ended = threading.Event()

    def trade() -> None:
        rng = random.Random()  # noqa: S311 -- which wallet trades is no secret
        while not has_ended.wait(TRADE_PAUSE_S):
            market.trade(rng)

    thread = threading.Thread(target=trade, daemon=True)
    thread.start()
    try:
        yield
    finally:
        has_ended.set()
        thread.join()
        market.stop()
