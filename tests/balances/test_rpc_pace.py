"""The rate at which endpoints are asked."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from chain.rpc_server import run_rpc
from support.rpc_access import PatientClock, connect

pytestmark = pytest.mark.slow


@pytest.fixture
def second(ledger):
    with run_rpc(ledger) as server:
        yield server


def test_rate_is_never_exceeded_however_many_threads_ask(ledger, endpoint):
    endpoint.limit = (10, 1.0)
    rpc = connect(endpoint, limit="10/second")
    started_at = time.monotonic()

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda _: rpc.call("getSlot", []), range(25)))

    assert results == [ledger.slot] * 25
    assert endpoint.refused == 0
    assert time.monotonic() - started_at > 2


def test_rate_is_counted_by_method_and_endpoint(endpoint, second):
    clock = PatientClock()
    rpc = connect(endpoint, second, limit="2/minute", clock=clock)
    for _ in range(2):
        rpc.call("getSlot", [])
        rpc.call("getMultipleAccounts", [[], {"encoding": "base64"}])
    assert clock.waits == []

    assert rpc.call("getSlot", [], timeout_s=3)
    assert (endpoint.calls["getSlot"], second.calls["getSlot"]) == (2, 1)


def test_background_work_leaves_half_of_the_rate_to_those_who_wait(ledger, endpoint):
    clock = PatientClock()
    rpc = connect(endpoint, limit="4/minute", clock=clock)
    mint = ledger.create_mint()
    params = [mint, {"mint": mint}, {"encoding": "jsonParsed"}]

    for _ in range(3):
        rpc.call("getTokenAccountsByOwner", params)
    assert len(clock.waits) == 1  # for the third

    for _ in range(2):
        rpc.call("getTokenAccountsByOwner", params, timeout_s=3)
    assert len(clock.waits) == 1


def test_public_rate_reads_10_000_wallets_in_30_seconds(endpoint):
    endpoint.latency_s = 0.02
    clock = PatientClock()
    rpc = connect(endpoint, limit="40/10 seconds", clock=clock)
    started_at = clock()

    for _ in range(100):
        rpc.call("getMultipleAccounts", [[], {"encoding": "base64"}])

    assert 20 < clock() - started_at < 30
