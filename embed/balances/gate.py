"""A wallet's balance, read from the chain while a visitor waits for the minimum balance check."""

from datetime import datetime, timedelta
from decimal import Decimal

from embed.balances.known import BalanceSource, find_chain_balance
from embed.balances.mints import NoSuchMint
from embed.balances.observations import store_chain
from embed.balances.refresh import observe_completely
from embed.balances.rpc_results import UnusableAmount
from embed.balances.solana_rpc import RpcUnavailable, SolanaRpc, UnusableAnswer
from embed.balances.tokens import find_problem, store_refusal
from embed.db.models import Page
from embed.domain.concurrency import Busy
from embed.domain.times import Clock
from embed.errors import ApiError

CALL_WITHIN_S = 3.0
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
        """Ask the chain; None if enough threads are asking already, or no usable answer came."""
        if self._paused_at is not None and abs(self._clock() - self._paused_at) < PAUSE:
            return None
        try:
            with self._chain.concurrency_limit:
                return self._read(mint, address)
        except NoSuchMint as refusal:
            store_refusal(mint, str(refusal))
        except (Busy, UnusableAmount, UnusableAnswer):  # others need no pause
            pass
        except RpcUnavailable:
            self._paused_at = self._clock()
        return None

    def _read(self, mint: str, address: str) -> Decimal:
        observed = observe_completely(
            self._chain, self._clock, mint, address, timeout_s=CALL_WITHIN_S
        )
        if store_chain(mint, [observed]):
            return observed.amount
        newer = find_chain_balance(mint, address)  # the RPC server lags behind
        return observed.amount if newer is None else Decimal(newer.amount)

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
