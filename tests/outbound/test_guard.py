import gzip
import smtplib
import socket
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
import requests
from support.raw_server import send, serve_raw, wait
from support.servers import PROJECT_DIR

from embed.outbound.guard import Reach, TargetRefused, guarded, is_allowed

LIMIT_S = 5
LIMITS = {"timeout_s": LIMIT_S, "max_bytes": 250_000}

PRIVATE = [
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",  # where clouds answer with credentials
    "100.64.0.1",
    "0.0.0.0",  # noqa: S104 -- a target here
    "224.0.0.1",
    "239.255.255.250",
    "255.255.255.255",
    "192.0.2.1",
    "240.0.0.1",
    "::",
    "fc00::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "2001:db8::1",
    "::ffff:10.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::10.0.0.1",
    "2002:a00:1::1",
    "2001:0:a00:1::1",
]
LOOPBACK = ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"]
PUBLIC = ["1.1.1.1", "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]


@pytest.mark.parametrize("host", PRIVATE)
def test_addresses_inside_a_network_are_only_reached_where_any_is(host):
    address = (host, 80)

    assert not is_allowed(address, Reach.PUBLIC)
    assert not is_allowed(address, Reach.PUBLIC_OR_LOOPBACK)
    assert is_allowed(address, Reach.ANY)


@pytest.mark.parametrize("host", LOOPBACK)
def test_loopback_is_reached_where_it_is_named(host):
    assert not is_allowed((host, 80), Reach.PUBLIC)
    assert is_allowed((host, 80), Reach.PUBLIC_OR_LOOPBACK)


@pytest.mark.parametrize("host", PUBLIC)
def test_public_addresses_are_always_reached(host):
    assert all(is_allowed((host, 443), reach) for reach in Reach)


@pytest.mark.parametrize(
    "address", ["/run/docker.sock", b"\0abstract", ("localhost", 80), ("", 80)]
)
def test_socket_files_and_unresolved_names_are_not_reached(address):
    assert not is_allowed(address, Reach.PUBLIC_OR_LOOPBACK)


def connect_by_socket(port: int) -> None:
    socket.create_connection(("localhost", port), timeout=LIMIT_S).close()


def connect_by_name(port: int) -> None:
    with socket.socket() as plain:
        plain.connect(("localhost", port))


def connect_by_connect_ex(port: int) -> None:
    with socket.socket() as plain:
        plain.connect_ex(("127.0.0.1", port))


def connect_by_requests(port: int) -> None:
    requests.get(f"http://localhost:{port}", timeout=LIMIT_S)


def connect_by_smtp(port: int) -> None:
    smtplib.SMTP("localhost", port, timeout=LIMIT_S)


def send_a_datagram(port: int) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as plain:
        plain.sendto(b"x", ("127.0.0.1", port))


WAYS = [
    connect_by_socket,
    connect_by_name,
    connect_by_connect_ex,
    connect_by_requests,
    connect_by_smtp,
    send_a_datagram,
]


@pytest.mark.parametrize("way", WAYS)
def test_no_library_connects_to_what_may_not_be_reached(way):
    met = []
    with (
        serve_raw(lambda _: met.append(way)) as port,
        guarded(reach=Reach.PUBLIC, **LIMITS),
        pytest.raises(OSError) as refusal,  # noqa: PT011 -- each library has its own
    ):
        way(port)

    assert "TargetRefused" in repr(list_causes(refusal.value))
    assert met == []


def list_causes(error: BaseException | None) -> list[BaseException]:
    causes = []
    while error is not None:
        causes += [error, *(each for each in error.args if isinstance(each, BaseException))]
        error = error.__cause__ or error.__context__
    return causes


def test_connections_outside_the_block_and_in_other_threads_are_as_ever():
    connected = threading.Event()

    def connect(port: int) -> None:
        connect_by_socket(port)
        connected.set()

    with serve_raw(lambda _: None) as port:
        with guarded(reach=Reach.PUBLIC, **LIMITS):
            threading.Thread(target=connect, args=(port,), daemon=True).start()
            assert connected.wait(LIMIT_S)
        connect_by_socket(port)


def test_inner_block_decides_until_it_ends():
    with serve_raw(lambda _: None) as port, guarded(reach=Reach.PUBLIC, **LIMITS):
        with guarded(reach=Reach.ANY, **LIMITS):
            connect_by_socket(port)
        with pytest.raises(TargetRefused):
            connect_by_socket(port)


def test_connection_that_waits_ends_when_the_time_is_up():
    with (
        serve_raw(wait) as port,
        guarded(reach=Reach.ANY, timeout_s=1, max_bytes=0) as guard,
        socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S) as waiting,
    ):
        waiting.sendall(b"hello")
        assert waiting.recv(1) == b""  # not the socket's own time-out
        assert guard.is_expired
        with pytest.raises(TimeoutError):
            connect_by_socket(port)


def fetch(port: int) -> bytes:
    return requests.get(f"http://127.0.0.1:{port}/", timeout=LIMIT_S).content


def answer(body: bytes, *headers: bytes) -> Callable[[socket.socket], None]:
    return send(b"\r\n".join([b"HTTP/1.1 200 OK", *headers, b"", b""]), body)


def test_answers_are_bounded_inside_the_block_alone():
    with serve_raw(answer(bytes(100_000))) as port:
        with guarded(reach=Reach.ANY, **LIMITS):
            assert fetch(port) == bytes(100_000)
        with (
            guarded(reach=Reach.ANY, timeout_s=LIMIT_S, max_bytes=50_000),
            pytest.raises(requests.RequestException),
        ):
            fetch(port)
        assert fetch(port) == bytes(100_000)


@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_bounded_answer_arrives_whole_however_it_is_framed(framing):
    if framing == "length":
        raw = answer(b"hello", b"Content-Length: 5")
    else:
        raw = answer(b"3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", b"Transfer-Encoding: chunked")
    with (
        serve_raw(raw) as port,
        guarded(reach=Reach.ANY, timeout_s=LIMIT_S, max_bytes=1000),
    ):
        assert fetch(port) == b"hello"


def test_bounded_answer_may_be_compressed_and_counts_unpacked_too():
    small, large = gzip.compress(b"hello"), gzip.compress(bytes(100_000))
    limits = {"reach": Reach.ANY, "timeout_s": LIMIT_S, "max_bytes": 50_000}
    with serve_raw(answer(small, b"Content-Encoding: gzip")) as port, guarded(**limits):
        assert fetch(port) == b"hello"
    with (
        serve_raw(answer(large, b"Content-Encoding: gzip")) as port,
        guarded(**limits),
        pytest.raises(requests.RequestException, match="too large"),
    ):
        fetch(port)


def test_no_connection_opens_after_too_large_an_answer():
    with (
        serve_raw(answer(bytes(1000))) as port,
        guarded(reach=Reach.ANY, timeout_s=LIMIT_S, max_bytes=500),
    ):
        for _ in range(2):
            with pytest.raises(requests.RequestException, match="too large"):
                fetch(port)
        with pytest.raises(OSError, match="too large"):
            connect_by_socket(port)


def test_block_leaves_no_thread_and_no_open_file():
    # In a process of its own, since other tests' servers open and close files meanwhile.
    code = f"""
import os, socket, threading
from embed.outbound.guard import Reach, guarded
server = socket.create_server(("127.0.0.1", 0))
def count():
    return len(os.listdir("/proc/self/fd"))
before = count()
for _ in range(20):
    with guarded(reach=Reach.ANY, timeout_s={LIMIT_S}, max_bytes=0):
        socket.create_connection(server.getsockname(), timeout={LIMIT_S}).close()
for each in threading.enumerate():
    if isinstance(each, threading.Timer):
        each.join({LIMIT_S})
print(count() - before, threading.active_count())
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT_DIR, capture_output=True, text=True, check=True
    )

    assert ended.stdout.split() == ["0", "1"]
