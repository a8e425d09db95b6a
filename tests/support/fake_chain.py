"""The service's access to the chain without HTTP: the test ledger, asked in this process."""

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
from chain.ledger import Ledger
from chain.rpc_methods import Methods, RpcError
from support.world import USDC

from embed.balances.rpc_endpoint import RpcRefused
from embed.balances.rpc_results import PARSED, Account, Accounts
from embed.balances.solana_rpc import MAX_WAITING, RpcUnavailable
from embed.domain.concurrency import ConcurrencyLimit

SWEEP, COMPLETE = "getMultipleAccounts", "getTokenAccountsByOwner"


class FakeChain:
    """Has the interface of SolanaRpc; amounts of its ledger are given in whole tokens of USDC."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self.ledger.create_mint(6, address=USDC, name="USD Coin", symbol="USDC")
        self.calls: Counter[str] = Counter()
        self.swept: list[list[str]] = []  # the accounts of each call of the sweep
        self.is_down = False
        self.concurrency_limit = ConcurrencyLimit(MAX_WAITING)
        self.before_answer: Callable[[str], object] = lambda method: None
        self._methods = Methods(self.ledger)
        self._lock = threading.Lock()

    def call(
        self,
        method: str,
        params: list[Any],
        *,
        parse: Callable[[Any], Any] = msgspec.json.decode,
        timeout_s: float | None = None,
    ) -> Any:
        with self._lock:
            self.calls[method] += 1
            if method == SWEEP and params[0][0] not in self.ledger.mints:
                self.swept.append(params[0][:-1])  # the last is the mint
        self.before_answer(method)
        if self.is_down:
            raise RpcUnavailable("No RPC server gave a usable answer: timed out.")
        try:
            return parse(msgspec.json.encode(self._methods.answer(method, params)))
        except RpcError as error:
            raise RpcRefused(error.code) from None

    def read_accounts(
        self,
        addresses: list[str],
        *,
        parse: Callable[[int, list[Account | None]], Any],
        timeout_s: float | None = None,
    ) -> Any:
        def parse_whole(raw: Any) -> Any:
            answer = msgspec.json.decode(raw, type=Accounts)
            return parse(answer.context.slot, answer.value)

        return self.call(SWEEP, [addresses, PARSED], parse=parse_whole, timeout_s=timeout_s)

    def hold(self, address: str, amount: int, *, auxiliary: int = 0, mint: str = USDC) -> None:
        """Make an address hold so many whole tokens more, at a later slot."""
        self.ledger.advance()
        if amount:
            self.ledger.mint_to(address, mint, amount * 10**6)
        if auxiliary:
            self.ledger.open_auxiliary_account(address, mint, auxiliary * 10**6)

    def spend(self, address: str, amount: int, *, mint: str = USDC) -> None:
        self.ledger.advance()
        self.ledger.transfer(address, mint, mint, amount * 10**6)
