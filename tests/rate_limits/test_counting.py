"""Several limits that are counted at once, in each kind of storage."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial

import pytest
import redis
from limits import parse
from limits.errors import StorageError
from support.remote import at_once
from support.servers import Valkey, find_free_port, open_valkey, provide
from support.waiting import wait_for

from embed.rate_limits.counting import Counter, choose_count
from embed.rate_limits.storages import open_storage


def make_counter(limit: str) -> Counter:
    return Counter("any", parse(limit), secrets.token_hex())  # the servers are not cleared


@pytest.fixture(scope="module")
def valkey() -> Iterator[Valkey]:
    yield from provide(open_valkey)


@pytest.fixture(scope="module")
def cluster_port() -> Iterator[int]:
    yield from provide(_run_cluster)


@contextmanager
def _run_cluster() -> Iterator[int]:
    """Yield the port of a cluster of one server: it takes no command with keys of two slots."""
    port, bus_port = str(find_free_port()), str(find_free_port())
    options = ("--port", port, "--cluster-enabled", "yes", "--cluster-port", bus_port)
    with open_valkey(*options), redis.Redis(port=int(port)) as client:
        client.execute_command("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        wait_for(lambda: client.cluster("info")["cluster_state"] == "ok")
        yield int(port)


@pytest.fixture(scope="module")
def sentinel_port(tmp_path_factory) -> Iterator[int]:
    yield from provide(partial(_run_sentinel, tmp_path_factory.mktemp("sentinel") / "conf"))


@contextmanager
def _run_sentinel(file) -> Iterator[int]:
    port, sentinel_port = find_free_port(), find_free_port()
    file.write_text(f"port {sentinel_port}\nsentinel monitor limits 127.0.0.1 {port} 1\n")
    with open_valkey("--port", str(port)), open_valkey(str(file), "--sentinel"):
        yield sentinel_port


KINDS = ("memory", "redis", "valkey", "sentinel", "cluster", "cluster at one address")


@pytest.fixture(params=KINDS)
def count(request):
    find = request.getfixturevalue
    match request.param:
        case "memory":
            uri = "memory://"
        case "sentinel":
            uri = f"redis+sentinel://127.0.0.1:{find('sentinel_port')}/limits"
        case "cluster":
            uri = f"redis+cluster://127.0.0.1:{find('cluster_port')}"
        case "cluster at one address":
            uri = f"redis://127.0.0.1:{find('cluster_port')}"
        case scheme:
            uri = f"{scheme}+unix://{find('valkey').path}"
    return choose_count(open_storage(uri))


def test_first_limit_that_is_exceeded_answers_and_the_next_is_not_counted(count):
    narrow, wide = make_counter("2/hour"), make_counter("3/minute")

    assert [count([narrow, wide]) for _ in range(2)] == [None, None]
    for _ in range(3):
        exceeded = count([narrow, wide])
        assert exceeded.counter is narrow
        assert timedelta(minutes=59) < exceeded.wait <= timedelta(hours=1)

    assert count([wide]) is None
    exceeded = count([wide])
    assert exceeded.counter is wide
    assert timedelta(seconds=50) < exceeded.wait <= timedelta(minutes=1)


def test_threads_that_count_at_once_get_past_both_limits_just_so_often(count):
    client, key = make_counter("40/hour"), make_counter("25/minute")

    def count_often():
        return [count([client, key]) for _ in range(10)]

    found = [each for some in at_once([count_often] * 8) for each in some]

    # 80 requests, of which 40 are the client's at most, and 25 the key's.
    assert found.count(None) == 25
    by_counter = [each.counter for each in found if each]
    assert [by_counter.count(key), by_counter.count(client)] == [15, 40]


def open_count(valkey: Valkey):
    return choose_count(open_storage(f"redis+unix://{valkey.path}"))


def test_redis_is_asked_once_for_several_limits(valkey):
    count, client, key = open_count(valkey), make_counter("40/hour"), make_counter("25/minute")
    count([client, key])

    with redis.Redis(unix_socket_path=str(valkey.path)) as operator:
        before = operator.info("stats")["total_reads_processed"]
        count([client, key])
        asked = operator.info("stats")["total_reads_processed"] - before - 1

    assert asked == 1


@pytest.mark.parametrize("is_restarted", [False, True])
def test_redis_that_forgot_the_script_learns_it_again(is_restarted):
    for valkey in provide(open_valkey):
        count = open_count(valkey)
        often, once = make_counter("9/hour"), make_counter("1/hour")
        assert [count([often, once]), count([often, once]).counter] == [None, once]
        if is_restarted:
            valkey.stop()
            valkey.start()
            assert count([often, once]) is None
        else:
            with redis.Redis(unix_socket_path=str(valkey.path)) as operator:
                operator.script_flush()

        assert count([often, once]).counter is once


def test_redis_that_refuses_the_script_is_a_failed_storage(valkey):
    count, counter = open_count(valkey), make_counter("1/hour")
    with redis.Redis(unix_socket_path=str(valkey.path)) as operator:
        operator.rpush(f"LIMITS:{counter.key}", "no count")

    with pytest.raises(StorageError):
        count([counter])
