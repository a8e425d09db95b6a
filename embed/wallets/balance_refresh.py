"""One run of the work on balances: reading what is due, and comparing it with minimums."""

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta

from msgspec import Struct

from embed.balances import due, refresh
from embed.balances.solana_rpc import RpcUnavailable, SolanaRpc, UnusableAnswer
from embed.balances.tokens import clear_refusal, find_problem
from embed.db.models import Page
from embed.errors import InvalidInput
from embed.pages import get_page
from embed.runtime import Runtime
from embed.wallets.holding_watch import list_needed, watch_holdings

OnProgress = Callable[[int, int], None]  # reads done, reads in all; called after each call


class RefreshSummary(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a run did; `failure` says why it did not read all; what it read is stored."""

    observed: int  # wallets
    observed_completely: int  # wallets in all their token accounts
    flagged: int
    unflagged: int
    problem: str | None = None  # why the chain tells nothing of the page's mint
    failure: str | None = None

    def __str__(self) -> str:
        summary = f"{self.observed:,} {'balance' if self.observed == 1 else 'balances'} read"
        if self.flagged or self.unflagged:
            summary += f", {self.flagged:,} flagged, {self.unflagged:,} back at the minimum"
        return " ".join(filter(None, (f"{summary}.", self.problem, self.failure)))


def refresh_balances(
    runtime: Runtime, *, page_id: str | None = None, on_progress: OnProgress
) -> RefreshSummary:
    """Read all balances that are due, or all of one page whether due or not.

    A mint that the chain refused is asked for again only by its page.

    Raises NotFound, InvalidInput.
    """
    if runtime.chain is None:
        raise InvalidInput("SOLANA_RPC_URL is not set, so there is nowhere to read balances from.")
    page = None if page_id is None else get_page(page_id)
    if page is not None and page.deleted_at is not None:
        raise InvalidInput(f"The page {page.id} has been deleted.")
    return _Run(runtime, runtime.chain, on_progress).refresh(page)


class _Run:
    def __init__(self, runtime: Runtime, chain: SolanaRpc, on_progress: OnProgress) -> None:
        self._chain = chain
        self._clock = runtime.clock
        self._every = runtime.settings.balance_refresh
        self._most = max(1, runtime.settings.limit_rpc.amount // 2)  # complete ones in a run
        self._on_progress = on_progress
        self._done = self._total = 0
        self._observed = self._observed_completely = 0

    def refresh(self, page: Page | None) -> RefreshSummary:
        if page is not None:
            clear_refusal(page.token_mint)
        failures = []
        for read in (self._sweep, self._rotate):
            try:
                read(page)
            except UnusableAnswer as failure:  # about some wallets; the others were read
                failures.append(str(failure))
            except RpcUnavailable as failure:
                failures.append(str(failure))
                break
        result = watch_holdings(self._clock(), self._every)
        return RefreshSummary(
            observed=self._observed,
            observed_completely=self._observed_completely,
            flagged=result.flagged,
            unflagged=result.unflagged,
            problem=None if page is None else find_problem(page.token_mint),
            failure=failures[0] if failures else None,
        )

    def _sweep(self, page: Page | None) -> None:
        now = self._clock()
        wanted = due.list_due(now - self._every) if page is None else due.list_of_page(page)
        self._total = len(wanted)
        with closing(refresh.sweep(self._chain, self._clock, wanted)) as steps:
            for step in steps:
                self._observed += step.observed
                self._advance(step.tried)

    def _rotate(self, page: Page | None) -> None:
        """Read some wallets completely: those that may be too low, and who waits longest."""
        before = self._clock() - self._every
        wanted = due.list_for_rotation(
            before, self._most, first=list_needed(before, page), page=page
        )
        self._total += len(wanted)
        with closing(refresh.read_completely(self._chain, self._clock, wanted)) as steps:
            for step in steps:
                self._observed_completely += step.observed
                self._advance(step.tried)

    def _advance(self, count: int) -> None:
        self._done += count
        self._on_progress(self._done, self._total)


class RefreshFailed(Exception):
    """A run did not read all; the text is a sentence without addresses of endpoints."""


def choose_interval(balance_refresh: timedelta) -> timedelta:
    """Return how often the job is to run.

    Each run leaves out what is not due yet. Were a run made only every `balance_refresh`, whatever
    the last one read in its later seconds would be left out once more.
    """
    return min(balance_refresh, timedelta(minutes=1))


def run_job(runtime: Runtime, check_stop: Callable[[], None]) -> str:
    """Refresh what is due, and return what was done; `check_stop` may raise, to end it.

    Raises RefreshFailed.
    """
    if runtime.chain is None:
        return "No endpoint is set."
    summary = refresh_balances(runtime, on_progress=lambda done, total: check_stop())
    if summary.failure:
        check_stop()  # ends it without a report if the process stops, which ends calls, too
        was_read = summary.observed or summary.observed_completely
        raise RefreshFailed(str(summary) if was_read else summary.failure)
    return str(summary)
