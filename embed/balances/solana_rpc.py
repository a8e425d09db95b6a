"""Calls to Solana's JSON-RPC within the operator's rate, retried with the next RPC server."""

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

import msgspec
from limits import RateLimitItem

from embed.balances.rpc_endpoint import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    CallFailed,
    CallTooLarge,
    Endpoint,
    Pace,
    RpcRefused,
    WrongAnswer,
)
from embed.balances.rpc_results import PARSED, Account, Accounts
from embed.domain.concurrency import ConcurrencyLimit
from embed.domain.times import Seconds
from embed.outbound import Client, Reach
from embed.settings import Settings

T = TypeVar("T")
_Ask: TypeAlias = Callable[[Endpoint, Seconds | None], T]

ROUNDS = 6  # how often a patient call asks every RPC server
ATTEMPT_S = 10.0
FIRST_WAIT_S = 0.5  # between two rounds; it doubles
# A slow RPC server must not take up all request threads; gunicorn.conf.py has four.
MAX_WAITING = 2


class RpcUnavailable(Exception):
    """No RPC server gave a usable answer; the text is a sentence without addresses."""


class UnusableAnswer(RpcUnavailable):
    """Every RPC server answered, but not usably; other calls may well succeed."""


class SolanaRpc:
    """The installation's RPC servers, in the order they are asked; threads may share it."""

    def __init__(
        self,
        urls: tuple[str, ...],
        *,
        limit: RateLimitItem,
        reach: Reach,
        monotonic: Callable[[], Seconds] = time.monotonic,
        wait: Callable[[Seconds], object] | None = None,
    ) -> None:
        """`limit` is for calls of one method to one RPC server; `wait` replaces sleeping."""
        self._endpoints = [
            Endpoint(
                url,
                f"RPC server {number} of {len(urls)}",
                pace=Pace(limit),
                client=Client(reach),
                monotonic=monotonic,
            )
            for number, url in enumerate(urls, start=1)
        ]
        self.concurrency_limit = ConcurrencyLimit(
            MAX_WAITING
        )  # for all calls that a request waits for
        self._monotonic = monotonic
        self._stopped = threading.Event()
        self._wait_s = wait or self._stopped.wait

    def stop(self) -> None:
        """Stop waiting calls: they and all later ones raise RpcUnavailable.

        Closes connections, those of running calls once they end.
        """
        self._stopped.set()
        for endpoint in self._endpoints:
            endpoint.client.close()

    def call(
        self,
        method: str,
        params: list[Any],
        *,
        parse: Callable[[msgspec.Raw], T] = msgspec.json.decode,
        timeout_s: Seconds | None = None,
    ) -> T:
        """Return the JSON result as `parse` reads it.

        With `timeout_s`, each RPC server is tried once within that time; without, all are tried
        for some minutes, with growing waits. `parse` raises WrongAnswer or msgspec.DecodeError
        for a result that can't be right, which then counts as a failure of the RPC server. Raises
        RpcUnavailable or its subclass UnusableAnswer, and RpcRefused if an RPC server refused and
        no other answered.
        """

        return self._ask_patiently(partial(self._ask, method, params, parse), timeout_s)

    def read_accounts(
        self,
        addresses: Sequence[str],
        *,
        parse: Callable[[int, list[Account | None]], T],
        timeout_s: Seconds | None = None,
    ) -> T:
        """Return what `parse` makes of accounts and the slot in which the first were read.

        An RPC server that refuses as many addresses in one call is asked for half as many, and
        so from then on. Otherwise like `call`.
        """

        return self._ask_patiently(partial(self._ask_in_parts, addresses, parse), timeout_s)

    def _ask_patiently(self, ask: _Ask[T], timeout_s: Seconds | None) -> T:
        if timeout_s is not None:
            return self._ask_each(ask, self._monotonic() + timeout_s)
        for failures in range(ROUNDS - 1):
            try:
                return self._ask_each(ask, None)
            except RpcUnavailable:
                self._wait(self._choose_wait(failures))
        return self._ask_each(ask, None)

    def _ask_each(self, ask: _Ask[T], deadline: Seconds | None) -> T:
        refusal: RpcRefused | None = None
        reason = ""
        kind: type[RpcUnavailable] = UnusableAnswer
        for endpoint, ends_at in self._plan(deadline):
            try:
                return ask(endpoint, ends_at)
            except RpcRefused as refused:
                refusal = refused
            except CallFailed as failure:
                reason = str(failure)
                if not failure.is_about_call:
                    kind = RpcUnavailable
        if refusal is not None:
            raise refusal
        raise kind(f"No RPC server gave a usable answer: {reason}.")

    def _ask_in_parts(
        self,
        addresses: Sequence[str],
        parse: Callable[[int, list[Account | None]], T],
        endpoint: Endpoint,
        ends_at: Seconds | None,
    ) -> T:
        part: Sequence[str] = ()
        found: list[Account | None] = []
        slots: list[int] = []

        def add(raw: msgspec.Raw) -> T | None:
            answer = msgspec.json.decode(raw, type=Accounts)
            if len(answer.value) != len(part):
                raise WrongAnswer("it has the wrong number of accounts")
            found.extend(answer.value)
            slots.append(answer.context.slot)
            return parse(slots[0], found) if len(found) == len(addresses) else None

        whole = None
        while whole is None:
            part = addresses[len(found) :][: endpoint.most_accounts]
            try:
                whole = self._ask("getMultipleAccounts", [part, PARSED], add, endpoint, ends_at)
            except (CallTooLarge, RpcRefused) as failure:
                code = failure.code if isinstance(failure, RpcRefused) else None
                if len(part) == 1 or code not in (INVALID_PARAMS, INVALID_REQUEST, None):
                    raise
                endpoint.most_accounts = len(part) // 2
        return whole

    def _ask(
        self,
        method: str,
        params: list[Any],
        parse: Callable[[msgspec.Raw], T],
        endpoint: Endpoint,
        ends_at: Seconds | None,
    ) -> T:
        self._wait_for_turn(endpoint, method, ends_at)
        timeout_s = ATTEMPT_S if ends_at is None else ends_at - self._monotonic()
        return endpoint.call(method, params, parse, timeout_s)

    def _plan(self, deadline: Seconds | None) -> Iterator[tuple[Endpoint, Seconds | None]]:
        """Yield each RPC server and its attempt's deadline: an equal share of the time left."""
        now = self._monotonic()
        ordered = sorted(self._endpoints, key=lambda endpoint: endpoint.failed_until > now)
        for index, endpoint in enumerate(ordered):
            if deadline is None:
                yield endpoint, None
            else:
                now = self._monotonic()
                yield endpoint, now + (deadline - now) / (len(ordered) - index)

    def _wait_for_turn(self, endpoint: Endpoint, method: str, ends_at: Seconds | None) -> None:
        """Wait until the RPC server may be asked. Raises CallFailed if that is after `ends_at`."""
        while True:
            self._check_running()
            now = self._monotonic()
            wait_s = endpoint.paused_until - now
            if wait_s > 0 and ends_at is None:
                raise CallFailed("it asked for a pause")
            if wait_s <= 0:
                wait_s = endpoint.pace.start(method, now, is_urgent=ends_at is not None)
                if wait_s == 0:
                    return
            if ends_at is not None and now + wait_s >= ends_at:
                raise CallFailed("its rate is used up")
            self._wait(wait_s)

    def _choose_wait(self, failures: int) -> Seconds:
        """Return a growing, jittered wait that ends after an RPC server's Retry-After."""
        growing_s = FIRST_WAIT_S * (1 << failures) * random.uniform(0.5, 1)  # noqa: S311  # no secret
        pause_s = min(each.paused_until for each in self._endpoints) - self._monotonic()
        return max(growing_s, pause_s)

    def _wait(self, seconds: Seconds) -> None:
        self._wait_s(seconds)
        self._check_running()

    def _check_running(self) -> None:
        if self._stopped.is_set():
            raise RpcUnavailable("The service is stopping.")


def choose_chain(settings: Settings, given: SolanaRpc | None) -> SolanaRpc | None:
    """Return `given`, or else a client for the RPC servers that SOLANA_RPC_URL names.

    None if it names no RPC server.
    """
    if not settings.uses_chain:
        return None
    # A node on the same machine is the operator's own choice; visitors choose no address here.
    reach = Reach.ANY if settings.allow_private_targets else Reach.PUBLIC_OR_LOOPBACK
    return given or SolanaRpc(settings.solana_rpc_url, limit=settings.limit_rpc, reach=reach)
