"""Reading what one of a page's wallets holds, when a server of the page's owner asks."""

from datetime import timedelta
from threading import Semaphore

from limits import RateLimitItem

from embed.balances.known import find_chain_balance
from embed.balances.mints import NoSuchMint
from embed.balances.observations import ChainObservation, store_chain_of_mints
from embed.balances.refresh import observe_completely
from embed.balances.rpc_results import UnusableAmount
from embed.balances.solana_rpc import RpcUnavailable, SolanaRpc
from embed.balances.tokens import find_problem, store_refusal
from embed.db.models import Page, Wallet
from embed.domain.addresses import parse_address
from embed.domain.times import format_instant
from embed.errors import ApiError
from embed.keys.access import Access
from embed.pages import find_page
from embed.runtime import Runtime
from embed.schemas import RefreshedBalance, RefreshRequest
from embed.serializers import write_amount

READ_WITHIN_S = 3.0
COME_BACK_AFTER = timedelta(seconds=5)
# A slow endpoint must not take all request threads, of which gunicorn.conf.py has four. Others are
# refused at once: in a queue, however short, they would take threads as well.
AT_ONCE = 2
PART_OF_RATE = 4  # visitors and background work keep the rest

_turns = Semaphore(AT_ONCE)


def refresh_balance(
    request: RefreshRequest, *, runtime: Runtime, access: Access
) -> RefreshedBalance:
    """Read all token accounts of a wallet, hidden or not; return its newest observation.

    That is another one if an endpoint that lags behind was asked. It is stored for all pages.
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
    # What was erased while the chain was asked must not come back.
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
    limit = _take_part(runtime.settings.limit_rpc)
    runtime.limiter.hit(runtime.limiter.make_counter("balance_unavailable", limit, "refreshes"))
    if not _turns.acquire(blocking=False):
        raise refusal
    try:
        return observe_completely(
            chain, runtime.clock, page.token_mint, address, timeout_s=READ_WITHIN_S
        )
    except NoSuchMint as mistake:
        store_refusal(page.token_mint, str(mistake))
        raise refusal from None
    except (RpcUnavailable, UnusableAmount):
        raise refusal from None
    finally:
        _turns.release()


def _take_part(limit: RateLimitItem) -> RateLimitItem:
    return type(limit)(max(1, limit.amount // PART_OF_RATE), limit.multiples)
