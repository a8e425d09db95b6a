"""A wallet's balance, read from the chain while a visitor waits for the minimum balance check."""

import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal

from embed.balances.known import BalanceSource, find_chain_balance
from embed.balances.mints import NoSuchMint
from embed.balances.observations import store_chain
from embed.balances.refresh import observe_completely
from embed.balances.rpc_results import UnusableAmount
from embed.balances.solana_rpc import MAX_WAITING, RpcUnavailable, SolanaRpc, UnusableAnswer
from embed.balances.tokens import find_problem, store_refusal
from embed.db.connection import db
from embed.db.models import Page
from embed.domain.concurrency import Busy
from embed.domain.times import Clock
from embed.errors import ApiError

BUDGET = timedelta(seconds=3)
SAME_WITHIN = timedelta(seconds=30)  # an answer this recent is used again
PAUSE = timedelta(seconds=5)  # after a failure, until the chain is asked again


class LiveBalances(BalanceSource):
    """Asks the chain; threads may share it.

    If it doesn't answer in time, a recent enough observation stands in.
    """

    def __init__(self, chain: SolanaRpc, clock: Clock, max_age: timedelta) -> None:
        """`max_age` is how old an observation may be to stand in."""
        super().__init__(uses_chain=True)
        self._chain = chain
        self._clock = clock
        self._max_age = max_age
        self._pool = ThreadPoolExecutor(MAX_WAITING, thread_name_prefix="gate")
        self._lock = threading.RLock()
        self._reads: dict[tuple[str, str], Future[Decimal]] = {}
        self._paused_at: datetime | None = None

    def get_balance(self, page: Page, address: str) -> Decimal:
        """Return whole tokens in all accounts; raises ApiError `balance_unavailable`."""
        amount = self._find_recent(page.token_mint, address)
        if amount is None and find_problem(page.token_mint) is None:
            amount = self._ask(page.token_mint, address)
        return self._find_stand_in(page, address) if amount is None else amount

    def _find_recent(self, mint: str, address: str) -> Decimal | None:
        """Return what the chain answered within SAME_WITHIN, to any process."""
        known = find_chain_balance(mint, address)
        if known and known.all_observed_at and self._is_within(known.all_observed_at, SAME_WITHIN):
            return Decimal(known.amount)
        return None

    def _ask(self, mint: str, address: str) -> Decimal | None:
        """Ask the chain; None if enough threads are asking already, or no answer came."""
        with suppress(Busy), self._chain.concurrency_limit:
            return self._await_read(mint, address)
        return None

    def _await_read(self, mint: str, address: str) -> Decimal | None:
        """Read a balance, or wait for the thread that is reading it already."""
        with self._lock:
            if self._paused_at is not None and self._is_within(self._paused_at, PAUSE):
                return None
            read = self._reads.get((mint, address))
            if read is None:
                recent = self._find_recent(mint, address)  # it may have been read meanwhile
                if recent is not None:
                    return recent
                read = self._start((mint, address))
        try:
            return read.result(BUDGET.total_seconds())
        except UnusableAnswer:  # about this wallet or mint only, so others need no pause
            pass
        except (TimeoutError, RpcUnavailable):
            read.cancel()  # if no thread has begun it
            with self._lock:
                self._paused_at = self._clock()
        except (CancelledError, NoSuchMint, UnusableAmount):
            pass
        return None

    def _start(self, key: tuple[str, str]) -> "Future[Decimal]":
        """Read in a pool thread, so the visitor waits at most BUDGET even if the read hangs."""
        read = self._reads[key] = self._pool.submit(self._read, *key)
        read.add_done_callback(lambda _: self._forget(key))  # also when it is cancelled
        return read

    def _forget(self, key: tuple[str, str]) -> None:
        with self._lock:
            self._reads.pop(key, None)

    def _read(self, mint: str, address: str) -> Decimal:
        """Read and store, even if nobody's waiting anymore: the next visit is then quick."""
        try:
            observed = observe_completely(
                self._chain, self._clock, mint, address, timeout_s=BUDGET.total_seconds()
            )
            if not store_chain(mint, [observed]):  # from an RPC server that lags behind
                newer = find_chain_balance(mint, address)
                return observed.amount if newer is None else Decimal(newer.amount)
        except NoSuchMint as refusal:
            store_refusal(mint, str(refusal))
            raise
        else:
            return observed.amount
        finally:
            db.close()  # this thread may stay idle for long

    def _find_stand_in(self, page: Page, address: str) -> Decimal:
        """Return a recent observation. Raises ApiError `balance_unavailable`."""
        known = self.read(page, [address]).get(address)
        if known is None or not self._is_within(known.observed_at, self._max_age):
            raise ApiError("balance_unavailable", retry_after=PAUSE)
        # A sweep reads only one account per wallet; the missing tokens may be in others.
        is_partial = known.source == "chain" and known.all_observed_at is None
        if is_partial and known.amount < page.min_balance:
            raise ApiError("balance_unavailable", retry_after=PAUSE)
        return known.amount

    def _is_within(self, observed_at: datetime, span: timedelta) -> bool:
        return abs(self._clock() - observed_at) <= span
