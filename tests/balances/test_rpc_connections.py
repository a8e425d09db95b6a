"""Connections to endpoints, which stay open between calls."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

import pytest
from support import rpc_faults
from support.rpc_access import LIMIT_S, connect, hang_up, wait_until_open

from embed import outbound
from embed.balances.solana_rpc import RpcUnavailable, SolanaRpc
from embed.outbound import MOST_IDLE

pytestmark = pytest.mark.slow


def ask(rpc: SolanaRpc) -> int:
    return rpc.call("getSlot", [], timeout_s=LIMIT_S)


def drip(handler, _) -> None:
    """Send a byte of the answer now and then, for ever."""
    handler.close_connection = True
    handler.send(b"", headers={"Content-Length": "1000"})
    with suppress(OSError):
        while not handler.rpc.closing.wait(0.05):
            handler.wfile.write(b" ")


def test_hundred_calls_one_after_the_other_take_one_connection(endpoint):
    rpc = connect(endpoint)
    for _ in range(100):
        rpc.call("getMultipleAccounts", [[], {"encoding": "base64"}])

    assert (endpoint.calls.total(), endpoint.connections) == (100, 1)


def test_only_a_few_connections_stay_open_and_stopping_closes_them(endpoint):
    rpc = connect(endpoint)
    all_are_open = Barrier(MOST_IDLE + 2)

    def wait_for_all(handler, right) -> None:
        all_are_open.wait(60)
        handler.send_json(right)

    endpoint.fail(wait_for_all)
    with ThreadPoolExecutor(MOST_IDLE + 2) as threads:
        list(threads.map(lambda _: ask(rpc), range(MOST_IDLE + 2)))
    assert endpoint.connections == MOST_IDLE + 2
    wait_until_open(endpoint, MOST_IDLE)

    rpc.stop()

    wait_until_open(endpoint, 0)


def test_connection_that_was_idle_for_long_is_not_used_again(endpoint, monkeypatch):
    monkeypatch.setattr(outbound, "LONGEST_IDLE_S", 0.01)
    rpc = connect(endpoint)
    ask(rpc)
    time.sleep(0.02)  # the client's own clock

    ask(rpc)

    assert endpoint.connections == 2
    wait_until_open(endpoint, 1)


# Connections that the server ends


def test_connection_that_the_server_closed_while_idle_is_replaced(ledger, endpoint, caplog):
    rpc = connect(endpoint)
    ask(rpc)
    hang_up(endpoint)

    assert ask(rpc) == ledger.slot

    assert (endpoint.calls.total(), endpoint.connections) == (2, 2)
    assert caplog.records == []


def test_connection_that_the_server_closes_at_that_moment_is_replaced_once(
    ledger, endpoint, caplog
):
    rpc = connect(endpoint)
    ask(rpc)
    endpoint.fail(rpc_faults.cut, times=1)
    assert ask(rpc) == ledger.slot
    assert (endpoint.calls.total(), endpoint.connections) == (3, 2)
    assert caplog.records == []

    endpoint.fail(rpc_faults.cut, times=2)
    with pytest.raises(RpcUnavailable, match="the connection failed"):
        ask(rpc)
    assert (endpoint.calls.total(), endpoint.connections) == (5, 3)


@pytest.mark.parametrize(
    ("fault", "is_new"), [(rpc_faults.cut, True), (rpc_faults.cut_body, False)]
)
def test_call_on_a_new_connection_or_answered_in_part_is_not_sent_again(
    ledger, endpoint, fault, is_new
):
    rpc = connect(endpoint)
    if not is_new:
        ask(rpc)
    before = endpoint.calls.total()
    endpoint.fail(fault, times=1)

    with pytest.raises(RpcUnavailable, match="the connection failed"):
        ask(rpc)

    assert endpoint.calls.total() == before + 1
    assert ask(rpc) == ledger.slot
    assert endpoint.connections == 2


# What holds for each call holds on an open connection, too


@pytest.mark.parametrize("fault", [rpc_faults.hang, drip])
def test_call_ends_in_time_and_its_connection_with_it(ledger, endpoint, fault):
    rpc = connect(endpoint)
    ask(rpc)
    endpoint.fail(fault, times=1)
    started_at = time.monotonic()

    with pytest.raises(RpcUnavailable, match="timed out"):
        rpc.call("getSlot", [], timeout_s=0.5)

    assert time.monotonic() - started_at < rpc_faults.HUNG_S
    assert ask(rpc) == ledger.slot
    assert (endpoint.calls.total(), endpoint.connections) == (3, 2)
