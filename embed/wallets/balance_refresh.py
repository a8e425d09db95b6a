"""Reading wallets' balances: those that are due, all on a page, or a single one right away.

The page owner's servers ask for a single one through the API.
"""

from collections.abc import Callable
from datetime import timedelta

from msgspec import Struct

from embed.balances import due
from embed.balances.known import find_chain_balance
from embed.balances.mints import NoSuchMint
from embed.balances.observations import ChainObservation, store_chain_of_mints
from embed.balances.refresh import Result, observe_completely, read_completely, sweep
from embed.balances.rpc_results import UnusableAmount
from embed.balances.solana_rpc import RpcUnavailable, SolanaRpc, UnusableAnswer
from embed.balances.tokens import clear_refusal, find_problem, store_refusal
from embed.db.models import Page, Wallet
from embed.domain.addresses import parse_address
from embed.domain.concurrency import Busy
from embed.domain.times import format_instant
from embed.errors import ApiError, InvalidInput
from embed.keys.access import Access
from embed.pages import find_page, get_page
from embed.runtime import Runtime
from embed.schemas import RefreshedBalance, RefreshRequest
from embed.serializers import write_amount
from embed.wallets.holding_watch import ACTOR, list_needed, watch_holdings

OnProgress = Callable[[int, int], None]  # reads done, reads in all; called after each call

# For a single one:
READ_WITHIN_S = 3.0
COME_BACK_AFTER = timedelta(seconds=5)
PART_OF_RATE = 4  # visitors and background work keep the rest


class RefreshSummary(Struct, frozen=True, kw_only=True, rename="camel"):
    """What a run did; `failure` says why it didn't read everything. What it read is stored."""

    observed: int  # wallets
    observed_completely: int  # wallets, with all their token accounts
    flagged: int
    unflagged: int
    problem: str | None = None  # why the page's mint can't be read
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

    A mint that the chain refused is tried again only when one of its pages is read.

    Raises NotFound, InvalidInput.
    """
    chain, clock, every = runtime.chain, runtime.clock, runtime.settings.balance_refresh
    if chain is None:
        raise InvalidInput("SOLANA_RPC_URL is not set, so there is nowhere to read balances from.")
    page = None if page_id is None else get_page(page_id)
    if page is not None and page.deleted_at is not None:
        raise InvalidInput(f"The page {page.id} has been deleted.")
    if page is not None:
        clear_refusal(page.token_mint)
    to_sweep = due.list_due(every, clock()) if page is None else due.list_of_page(page)
    swept = sweep(chain, clock, to_sweep, lambda done: on_progress(done, len(to_sweep)))
    completely = Result(0, None)
    if swept.failure is None or isinstance(swept.failure, UnusableAnswer):
        now = clock()
        most = max(1, runtime.settings.limit_rpc.amount // 2)
        # First wallets that may be below the minimum, then those not read for the longest time.
        chosen = due.list_for_rotation(
            every, now, most, first=list_needed(now - every, page), page=page
        )
        completely = read_completely(
            chain,
            clock,
            chosen,
            lambda done: on_progress(len(to_sweep) + done, len(to_sweep) + len(chosen)),
        )
    watched = watch_holdings(runtime.change(ACTOR))
    failure = swept.failure or completely.failure
    return RefreshSummary(
        observed=swept.observed,
        observed_completely=completely.observed,
        flagged=watched["flag wallet"],
        unflagged=watched["unflag wallet"],
        problem=None if page is None else find_problem(page.token_mint),
        failure=None if failure is None else str(failure),
    )


class RefreshFailed(Exception):
    """A run didn't read everything; the text is a sentence without RPC servers' addresses."""


def choose_interval(balance_refresh: timedelta) -> timedelta:
    """Return how often the job runs.

    Each run skips what isn't due yet. If it ran only every `balance_refresh`, it would skip
    whatever the last run read in its final seconds.
    """
    return min(balance_refresh, timedelta(minutes=1))


def run_job(runtime: Runtime, check_stop: Callable[[], None]) -> str:
    """Refresh what is due and return a summary; `check_stop` may raise to stop the run.

    Raises RefreshFailed.
    """
    if runtime.chain is None:
        return "No RPC server is set."
    summary = refresh_balances(runtime, on_progress=lambda done, total: check_stop())
    if summary.failure:
        check_stop()  # a stopping process makes calls fail: end without a report
        was_read = summary.observed or summary.observed_completely
        raise RefreshFailed(str(summary) if was_read else summary.failure)
    return str(summary)


def refresh_balance(
    request: RefreshRequest, *, runtime: Runtime, access: Access
) -> RefreshedBalance:
    """Read all token accounts of a wallet, hidden or not; return its newest observation.

    If the RPC server lags behind, that's an earlier reading. It is stored for all pages.
    Raises ApiError `page_not_found`, `invalid_wallet_address`, `wallet_not_found`,
    `chain_disabled`, `balance_unavailable`, in this order.
    """
    page = None if access.is_page_deleted else find_page(access.page_id)
    if page is None:
        raise ApiError("page_not_found")
    address = parse_address(request.wallet_address)
    if not Wallet.select().where(Wallet.page == page, Wallet.address == address).exists():
        raise ApiError("wallet_not_found")
    if runtime.chain is None:
        raise ApiError("chain_disabled")
    observed = _read(page, address, runtime, runtime.chain)
    # A wallet erased during the call to the chain must not come back.
    store_chain_of_mints({page.token_mint: [observed]}, only_tracked=True)
    newest = find_chain_balance(page.token_mint, address)
    if newest is None:
        raise ApiError("wallet_not_found")
    return RefreshedBalance(
        wallet_address=address,
        token_mint=page.token_mint,
        token_balance=write_amount(newest.amount),
        observed_at_iso=format_instant(newest.observed_at),
        slot=newest.slot,
    )


def _read(page: Page, address: str, runtime: Runtime, chain: SolanaRpc) -> ChainObservation:
    """Raises ApiError `balance_unavailable`."""
    refusal = ApiError("balance_unavailable", retry_after=COME_BACK_AFTER)
    if find_problem(page.token_mint) is not None:
        raise refusal
    limit = runtime.settings.limit_rpc
    part = type(limit)(max(1, limit.amount // PART_OF_RATE), limit.multiples)
    runtime.rate_limits.check_limit("balance_unavailable", part, "refreshes")
    try:
        with chain.concurrency_limit:
            return observe_completely(
                chain, runtime.clock, page.token_mint, address, timeout_s=READ_WITHIN_S
            )
    except NoSuchMint as mistake:
        store_refusal(page.token_mint, str(mistake))
        raise refusal from None
    except (RpcUnavailable, UnusableAmount, Busy):
        raise refusal from None
