"""Calls to endpoints that are slow, limited, wrong or dead."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from limits import parse
from support import rpc_faults
from support.rpc_access import PatientClock, connect
from support.rpc_faults import answer_error, answer_status, change, redirect

from embed.balances import solana_rpc
from embed.balances.rpc_endpoint import RpcRefused
from embed.balances.solana_rpc import ROUNDS, RpcUnavailable, SolanaRpc, UnusableAnswer
from embed.factory import create_app
from embed.outbound import Reach
from embed.runtime import EXTENSION
from embed.settings import Settings

pytestmark = pytest.mark.slow

SECRET = "a-secret"  # in the address of every endpoint

# What may be over soon, or elsewhere.
FAILURES = {
    "HTTP 429": answer_status(429),
    "HTTP 503": answer_status(503),
    "error 429": answer_error(429),
    "node unhealthy": answer_error(-32005),
    "internal error": answer_error(-32603),
    "connection cut": rpc_faults.cut,
    "body cut": rpc_faults.cut_body,
}
WRONG_ANSWERS = {
    "HTML": rpc_faults.HTML,
    "not JSON": rpc_faults.NOT_JSON,
    "nested deeply": rpc_faults.DEEP,
    "50 MB": rpc_faults.HUGE,
    "wrong id": rpc_faults.WRONG_ID,
    "other protocol": change(lambda answer: answer.update(jsonrpc="1.0")),
    "no result": change(lambda answer: answer.pop("result")),
    "redirect": redirect("http://127.0.0.1:1/?api-key=a-secret"),
}


def by_name(cases):
    return pytest.mark.parametrize("fault", cases.values(), ids=cases.keys())


@by_name(FAILURES | WRONG_ANSWERS)
def test_failed_call_is_tried_again_after_growing_waits(ledger, endpoint, fault):
    clock = PatientClock()
    endpoint.fail(fault, times=3)

    assert connect(endpoint, clock=clock).call("getSlot", []) == ledger.slot

    assert endpoint.calls["getSlot"] == 4
    first, second, third = clock.waits
    assert 0.25 <= first <= 0.5 <= second <= 1 <= third <= 2


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (rpc_faults.WRONG_ID, UnusableAnswer),
        (answer_error(-32603), UnusableAnswer),
        (answer_error(-32005), RpcUnavailable),
        (answer_status(503), RpcUnavailable),
        (rpc_faults.cut, RpcUnavailable),
    ],
)
def test_failure_tells_whether_every_endpoint_answered(endpoint, second, fault, kind):
    endpoint.fail(answer_error(-32603), times=1)
    second.fail(fault, times=1)

    with pytest.raises(RpcUnavailable) as failure:
        connect(endpoint, second).call("getSlot", [], timeout_s=5)

    assert failure.type is kind


def test_call_that_hangs_times_out_and_is_tried_again(ledger, endpoint, monkeypatch):
    monkeypatch.setattr(solana_rpc, "ATTEMPT_S", 1)
    endpoint.fail(rpc_faults.hang, times=1)

    assert connect(endpoint, clock=PatientClock()).call("getSlot", []) == ledger.slot
    assert endpoint.calls["getSlot"] == 2


@pytest.mark.parametrize(
    ("raw", "least", "most"),
    [
        ("7", 6.5, 7),
        ("86400", 59, 60),
        ("soon", 0.25, 0.5),
        ("9" * 500, 0.25, 60),
    ],
)
def test_retry_after_is_respected_within_bounds(endpoint, raw, least, most):
    clock = PatientClock()
    endpoint.fail(answer_status(429, Retry_After=raw), times=1)

    connect(endpoint, clock=clock).call("getSlot", [])

    assert least <= sum(clock.waits) <= most


def test_dead_endpoint_is_given_up_after_a_while(endpoint):
    clock = PatientClock()
    endpoint.stop()

    with pytest.raises(RpcUnavailable, match=r"the connection was refused\.$"):
        connect(endpoint, clock=clock).call("getSlot", [])

    assert len(clock.waits) == ROUNDS - 1
    assert 7 < sum(clock.waits) < 16


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("code", [-32602, -32010])
def test_refusal_is_not_tried_again(endpoint, code, status):
    def refuse(handler, right):
        handler.send_json(
            {"jsonrpc": "2.0", "error": {"code": code, "message": "no"}, "id": right["id"]}, status
        )

    endpoint.fail(refuse)

    with pytest.raises(RpcRefused) as refused:
        connect(endpoint, clock=PatientClock()).call("getSlot", [])

    assert refused.value.code == code
    assert endpoint.calls["getSlot"] == 1


def test_another_endpoint_may_do_what_one_refuses(ledger, endpoint, second):
    endpoint.fail(answer_error(-32010))

    assert connect(endpoint, second).call("getSlot", []) == ledger.slot


@by_name(FAILURES | WRONG_ANSWERS)
def test_next_endpoint_takes_over_at_once(ledger, endpoint, second, fault):
    clock = PatientClock()
    endpoint.fail(fault)

    assert connect(endpoint, second, clock=clock).call("getSlot", []) == ledger.slot
    assert clock.waits == []


def test_endpoint_that_failed_is_asked_last_for_a_while(endpoint, second):
    clock = PatientClock()
    rpc = connect(endpoint, second, clock=clock)
    endpoint.fail(answer_status(503), times=1)

    for _ in range(3):
        rpc.call("getSlot", [])
    assert (endpoint.calls["getSlot"], second.calls["getSlot"]) == (1, 3)

    clock.wait(61)
    rpc.call("getSlot", [])
    assert (endpoint.calls["getSlot"], second.calls["getSlot"]) == (2, 3)


@pytest.mark.parametrize("both_hang", [False, True])
def test_urgent_call_ends_in_time_though_endpoints_hang(ledger, endpoint, second, both_hang):
    endpoint.fail(rpc_faults.hang)
    rpc, started_at = connect(endpoint, second), time.monotonic()

    if both_hang:
        second.fail(rpc_faults.hang)
        with pytest.raises(RpcUnavailable, match="timed out"):
            rpc.call("getSlot", [], timeout_s=0.6)
    else:
        assert rpc.call("getSlot", [], timeout_s=3) == ledger.slot

    assert time.monotonic() - started_at < rpc_faults.HUNG_S


def test_urgent_call_waits_for_a_short_retry_after_only(ledger, endpoint):
    clock = PatientClock()
    rpc = connect(endpoint, clock=clock)
    for seconds in ("2", "20"):
        endpoint.fail(answer_status(429, Retry_After=seconds), times=1)
        with pytest.raises(RpcUnavailable, match="too many requests"):
            rpc.call("getSlot", [], timeout_s=10)
        if seconds == "2":
            assert rpc.call("getSlot", [], timeout_s=10) == ledger.slot
        else:
            with pytest.raises(RpcUnavailable, match="its rate is used up"):
                rpc.call("getSlot", [], timeout_s=10)


def test_stopping_ends_calls_that_wait(endpoint):
    endpoint.stop()
    rpc = connect(endpoint)
    failures = []

    def call() -> None:
        with pytest.raises(RpcUnavailable) as failure:
            rpc.call("getSlot", [])
        failures.append(str(failure.value))

    thread = threading.Thread(target=call)
    thread.start()
    rpc.stop()
    thread.join(timeout=5)

    assert failures == ["The service is stopping."]
    with pytest.raises(RpcUnavailable, match="stopping"):
        rpc.call("getSlot", [], timeout_s=3)


@by_name(FAILURES | WRONG_ANSWERS | {"refusal": answer_error(-32602)})
def test_failures_are_told_and_logged_without_the_address(endpoint, caplog, fault):
    rpc = connect(endpoint)
    endpoint.fail(fault)

    with pytest.raises((RpcUnavailable, RpcRefused)) as failure:
        rpc.call("getSlot", [], timeout_s=3)

    told = f"{failure.value!r} {failure.value} {rpc!r} {vars(rpc)!r} {caplog.text}"
    assert SECRET not in told
    assert "127.0.0.1" not in told
    chain = failure.value.__context__
    assert chain is None or SECRET not in repr(chain)
    if failure.type is not RpcRefused:
        (record,) = caplog.records
        assert record.levelname == "WARNING"
        assert record.getMessage().startswith("Solana RPC, RPC server 1 of 1, getSlot: ")


def test_endpoint_inside_the_network_is_refused(endpoint):
    rpc = SolanaRpc((endpoint.url,), limit=parse("9/second"), reach=Reach.PUBLIC)

    with pytest.raises(
        RpcUnavailable, match="operator's network, which needs ALLOW_PRIVATE_TARGETS=1"
    ):
        rpc.call("getSlot", [], timeout_s=3)

    assert endpoint.calls.total() == 0


def test_service_asks_the_endpoints_of_its_settings(environ, ledger, endpoint):
    environ |= {"SOLANA_RPC_URL": f"http://127.0.0.1:1, {endpoint.url}"}
    chain = create_app(Settings.from_environ(environ)).extensions[EXTENSION].chain

    assert chain.call("getSlot", []) == ledger.slot


# The rate at which endpoints are asked


def test_rate_is_never_exceeded_however_many_threads_ask(ledger, endpoint):
    rpc = connect(endpoint, limit="10/second")
    started_at = time.monotonic()

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda _: rpc.call("getSlot", []), range(25)))

    assert results == [ledger.slot] * 25
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
