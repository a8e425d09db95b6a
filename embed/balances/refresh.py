"""Reading many balances from the chain: one account of each wallet, or all of some wallets."""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from embed.balances.due import DueWallet, make_batches
from embed.balances.mints import NoSuchMint, read_scaled_supply
from embed.balances.observations import ChainObservation, store_chain_of_mints
from embed.balances.rpc_results import UnusableAmount
from embed.balances.solana_rpc import RpcUnavailable, SolanaRpc, UnusableAnswer
from embed.balances.token_accounts import read_all_accounts, read_associated
from embed.balances.tokens import Supply, get_program, store_refusal
from embed.domain.addresses import derive_token_account
from embed.domain.amounts import subtract
from embed.domain.times import Clock, Seconds

# Each write gives pages with changed amounts a new version, whose payload is then rebuilt. So
# writes are few, but frequent enough that a killed process loses little.
WRITE_AFTER = timedelta(seconds=5)
WRITE_ROWS = 2_000
MOST_UNUSABLE = 3  # answers about a mint, after which its other wallets are left out

OnRead = Callable[[int], None]  # called after each call, with the number of wallets done so far

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reading:
    rows: list[ChainObservation]
    supply: Supply | None = None  # None: it was not read


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of many calls; what they returned is stored."""

    observed: int  # wallets
    failure: RpcUnavailable | None  # the first


def sweep(chain: SolanaRpc, clock: Clock, due: Iterable[DueWallet], on_read: OnRead) -> Result:
    """Read the associated accounts of these wallets, 99 a call.

    A call without a usable answer doesn't stop the others; if no RPC server answers, no more are
    made. What was read is stored even if `on_read` raises.
    """
    return _read_and_store(chain, clock, make_batches(due), _read_batch, MOST_UNUSABLE, on_read)


def read_completely(
    chain: SolanaRpc, clock: Clock, wanted: Iterable[DueWallet], on_read: OnRead
) -> Result:
    """Read all token accounts of these wallets, one per call; otherwise like `sweep`."""
    batches = [[one] for one in wanted]
    return _read_and_store(chain, clock, batches, _read_single, len(batches), on_read)


def _read_and_store(
    chain: SolanaRpc,
    clock: Clock,
    batches: Iterable[Sequence[DueWallet]],
    read: Callable[[SolanaRpc, Clock, Sequence[DueWallet]], Reading],
    most_unusable: int,
    on_read: OnRead,
) -> Result:
    refused: set[str] = set()
    unusable: Counter[str] = Counter()
    first_failure: RpcUnavailable | None = None
    done = observed = 0
    with closing(_Writer(clock)) as writer:
        for batch in batches:
            mint, reading = batch[0].mint, Reading([])
            if mint not in refused and unusable[mint] < most_unusable:
                try:
                    reading = read(chain, clock, batch)
                except NoSuchMint as refusal:
                    refused.add(mint)
                    store_refusal(mint, str(refusal))
                except UnusableAnswer as failure:
                    unusable[mint] += 1
                    first_failure = first_failure or failure
                    _log_left_out(mint, [one.address for one in batch], failure)
                except RpcUnavailable as failure:
                    return Result(observed, first_failure or failure)
            writer.add(mint, reading)
            done += len(batch)
            observed += len(reading.rows)
            on_read(done)
    return Result(observed, first_failure)


def _log_left_out(mint: str, addresses: Sequence[str], problem: Exception) -> None:
    others = f" and {len(addresses) - 1} others" if len(addresses) > 1 else ""
    _log.warning("Not read for the mint %s: %s%s. %s", mint, addresses[0], others, problem)


def observe_completely(
    chain: SolanaRpc, clock: Clock, mint: str, address: str, *, timeout_s: Seconds | None = None
) -> ChainObservation:
    """Read all token accounts of a wallet. Raises NoSuchMint, UnusableAmount, RpcUnavailable."""
    program = get_program(chain, mint, clock(), timeout_s=timeout_s)
    found = read_all_accounts(chain, mint, program, address, timeout_s=timeout_s)
    return ChainObservation(
        address,
        derive_token_account(address, mint, program),
        subtract(found.amount, found.other_amount),
        found.slot,
        clock(),
        found.other_amount,
    )


def _read_single(chain: SolanaRpc, clock: Clock, batch: Sequence[DueWallet]) -> Reading:
    return Reading(_observe_usable(chain, clock, batch[0].mint, [one.address for one in batch]))


def _observe_usable(
    chain: SolanaRpc,
    clock: Clock,
    mint: str,
    addresses: Iterable[str],
    *ignored: type[Exception],
) -> list[ChainObservation]:
    """Observe wallets, leaving out unusable amounts and those that raise one of `ignored`."""
    left_out: tuple[type[Exception], ...] = (UnusableAmount, *ignored)
    rows = []
    for address in addresses:
        try:
            rows.append(observe_completely(chain, clock, mint, address))
        except left_out as problem:
            _log_left_out(mint, [address], problem)
    return rows


def _read_batch(chain: SolanaRpc, clock: Clock, batch: Sequence[DueWallet]) -> Reading:
    mint = batch[0].mint
    program = get_program(chain, mint, clock())
    accounts = {
        one.address: one.token_account or derive_token_account(one.address, mint, program)
        for one in batch
    }
    found = read_associated(chain, mint, accounts)
    now = clock()
    rows = [
        ChainObservation(address, accounts[address], amount, found.slot, now)
        for address, amount in found.amounts.items()
    ]
    # A wallet that gave its associated account away may have others.
    rows += _observe_usable(chain, clock, mint, found.given_away, UnusableAnswer)
    supply = found.supply if found.supply is not None else _read_scaled_supply(chain, mint)
    return Reading(rows, None if supply is None else Supply(supply, now))


def _read_scaled_supply(chain: SolanaRpc, mint: str) -> Decimal | None:
    """Return None if no RPC server has it, so that the balances are stored anyway."""
    try:
        return read_scaled_supply(chain, mint)
    except (NoSuchMint, UnusableAnswer) as problem:
        _log.warning("The supply of the mint %s was not read. %s", mint, problem)
        return None


class _Writer:
    """Collects observations, and stores many in one transaction."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._rows_by_mint: defaultdict[str, list[ChainObservation]] = defaultdict(list)
        self._supplies: dict[str, Supply] = {}
        self._count = 0
        self._first_at: datetime | None = None

    def add(self, mint: str, reading: Reading) -> None:
        rows = reading.rows
        if rows:
            self._rows_by_mint[mint] += rows
            self._count += len(rows)
            self._first_at = self._first_at or rows[0].observed_at
        if reading.supply is not None:
            self._supplies[mint] = reading.supply
        is_late = self._first_at is not None and self._clock() >= self._first_at + WRITE_AFTER
        if self._count >= WRITE_ROWS or is_late:
            self.close()

    def close(self) -> None:
        """Store what was collected."""
        rows, self._rows_by_mint = self._rows_by_mint, defaultdict(list)
        supplies, self._supplies = self._supplies, {}
        self._count, self._first_at = 0, None
        if rows or supplies:
            # A wallet erased during the calls to the chain must not come back.
            store_chain_of_mints(rows, supplies=supplies, only_tracked=True)
