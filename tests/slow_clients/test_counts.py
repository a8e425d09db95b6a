"""However a connection ends, it leaves its place once."""

import os
import re
import signal
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from random import Random
from urllib.parse import urlsplit

import pytest
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import run_gunicorn
from support.stalled import Stall, list_stalls

pytestmark = pytest.mark.slow

PLACES, CLIENTS, CLIENTS_AT_ONCE = 10, 300, 60
CHECK = Stall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
HONEST = [
    CHECK,
    Stall(b"GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
    Stall(CHECK.sent * 5),
    Stall(b"GET /api/embed/tracking/nobody HTTP/1.1\r\nHost: a\r\n\r\n" * 20),
]
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: what is not sent is forgotten


def use_connection(url: str, stall: Stall, random: Random) -> None:
    """Send what the stall says, in one piece or two or not all, and end in one of many ways."""
    address = urlsplit(url)
    with socket.socket() as client, suppress(ConnectionError, TimeoutError):
        client.settimeout(random.choice([0.05, 1, 5]))
        client.bind((f"127.0.0.{random.randint(1, 4)}", 0))
        client.connect((address.hostname, address.port))
        sent = stall.sent + stall.trickle
        middle = random.randint(0, len(sent))
        client.sendall(sent[:middle])
        if random.random() < 0.8:
            client.sendall(sent[middle:])
        if random.random() < 0.3:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        if random.random() < 0.2:
            with suppress(OSError):  # the server has ended the connection
                client.shutdown(random.choice([socket.SHUT_RD, socket.SHUT_WR, socket.SHUT_RDWR]))
        for _ in range(random.choice([0, 1, 1000])):
            if not client.recv(65536):
                break


def test_all_places_are_free_after_connections_that_ended_in_all_ways(make_sqlite, tmp_path):
    """Some of them while the server is reloaded."""
    environ = make_environ(make_sqlite())
    worker = "--worker-class=tests.support.limited_workers.CountingWorker"
    log = tmp_path / "log"
    options = (worker, f"--worker-connections={PLACES}", f"--error-logfile={log}")
    with run_gunicorn(environ, *options) as server, ThreadPoolExecutor(CLIENTS_AT_ONCE) as pool:
        stalls = list_stalls(RemotePage(server.url, environ))
        kinds = [*stalls.values(), *HONEST * 2]
        used = [
            pool.submit(use_connection, server.url, Random(seed).choice(kinds), Random(seed))
            for seed in range(CLIENTS)
        ]
        for number, one in enumerate(used):
            if number == CLIENTS // 2:
                os.kill(server.pid, signal.SIGHUP)
            one.result()
        with ExitStack() as opened:
            clients = []
            for _ in range(PLACES):
                client = socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S)
                clients.append(opened.enter_context(client))
                client.sendall(CHECK.sent)  # at once, as the worker has little patience
            assert [client.recv(12) for client in clients] == [b"HTTP/1.1 200"] * PLACES

    ended = re.findall(r"Counted: (\d+)\.", log.read_text())
    assert set(ended) == {"0"}
    assert len(ended) > 1
