"""What clients get from an app that fails, from faulty hooks, and when they are too many."""

import asyncio
import os
import random
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.workers.base import Worker
from support.waiting import wait_for

from embed.server.worker import MAX_LARGE_BODIES, BufferingWorker
from embed.settings import PROJECT_DIR

CONFIGURATION = PROJECT_DIR / "gunicorn.conf.py"
LIMIT_S = 20
ANSWER = ("200 OK", [("Content-Length", "4")])
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
CLOSE = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
CHECK = CLOSE.replace(b"/ ", b"/healthz ", 1)
LARGE = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: what is not sent is forgotten
# The start of a request of each kind, which has threads of its own.
KINDS = {
    "read": b"GET /",
    "change": b"POST /",
    "dashboard": b"GET /dashboard/",
    "readiness": b"GET /readyz",
    "health": b"GET /healthz",
}


def answer(_environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    start_response(*ANSWER)
    return [b"done"]


class Log:
    """Keeps what failed."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def exception(self, text: str, *_arguments: object) -> None:
        self.failures.append(text)

    def access(self, *_arguments: object) -> None: ...

    info = debug = warning = access


class Serving:
    """A worker that serves in a thread of this process, and clients of it."""

    def __init__(self, opened: ExitStack) -> None:
        self._opened = opened
        self.config, self.log = Config(), Log()
        self.app: Callable[..., Any] = answer
        self._listener = socket.create_server(("127.0.0.1", 0))

    def start(self) -> BufferingWorker:
        arguments = [self._listener], None, 30, self.config, self.log
        self.worker = BufferingWorker(0, os.getppid(), *arguments)
        self.worker.wsgi = lambda *arguments: self.app(*arguments)
        thread = threading.Thread(target=self.worker.init_process)
        thread.start()
        self._opened.callback(self.worker.tmp.close)
        self._opened.callback(thread.join)
        self._opened.callback(lambda: self.worker.handle_exit(0, None))
        return self.worker

    def connect(self, sent: bytes) -> socket.socket:
        client = socket.create_connection(self._listener.getsockname(), LIMIT_S)
        self._opened.callback(client.close)
        client.sendall(sent)
        return client

    def ask(self, sent: bytes = CLOSE) -> bytes:
        """Return all that a client gets until the server closes the connection."""
        client = self.connect(sent)
        with client.makefile("rb") as answers:
            return answers.read()


@pytest.fixture
def serving(monkeypatch) -> Iterator[Serving]:
    monkeypatch.setattr(Worker, "init_process", lambda worker: worker.run())
    with ExitStack() as opened:
        yield Serving(opened)


# The first is the app's own: a server that it asks is away.
@pytest.mark.parametrize(
    "error", [ConnectionRefusedError, SystemExit, asyncio.CancelledError, None]
)
def test_app_that_fails_is_logged_and_answered_for_whatever_it_raises(serving, error):
    def app(_environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        if error is None:
            start_response("200 OK", [("Location", "/a\r\nb")])  # a header that nobody may send
            return [b""]
        raise error

    serving.app = app
    serving.start()

    assert serving.ask().startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
    assert serving.log.failures == ["A request failed outside the app."]


@pytest.mark.parametrize("error", [SystemExit, OSError])
def test_answer_in_the_middle_of_which_the_app_fails_is_cut_off_and_not_followed(serving, error):
    def app(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
        start_response(*ANSWER)
        yield b"do"
        raise error

    serving.app = app
    serving.start()

    assert serving.ask().endswith(b"\r\n\r\ndo")
    assert len(serving.log.failures) == 1


def test_request_whose_body_is_cut_off_is_refused_after_the_ones_before_it(serving):
    bodies = []

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        bodies.append(environ["wsgi.input"].read())
        return answer(environ, start_response)

    serving.app = app
    serving.start()
    client = serving.connect(GET + POST + b"body" + POST + b"bod")
    client.shutdown(socket.SHUT_WR)
    with client.makefile("rb") as answers:
        statuses = re.findall(rb"HTTP/1.1 (\d+)", answers.read())

    assert statuses == [b"200", b"200", b"400"]
    assert bodies == [b"", b"body"]


def test_bytes_that_make_the_parser_fail_are_refused_and_others_are_served(serving):
    """gunicorn's parser raises ValueError."""
    serving.config.set("proxy_protocol", "v1")
    serving.start()
    client = serving.connect(b"PROXY TCP4 192.0.2.1\0 192.0.2.2 1 2\r\n" + GET)

    assert client.recv(100).startswith(b"HTTP/1.1 500 ")
    assert serving.ask().startswith(b"HTTP/1.1 200 ")


def test_answers_belong_to_their_requests_whichever_thread_handles_them(serving):
    chance = random.Random(7)

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        time.sleep(chance.choice([0, 0, 0.001, 0.005]))
        body = environ["PATH_INFO"].encode()
        start_response("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    def ask(client: int) -> list[bytes]:
        sent = [GET.replace(b"/ ", b"/%d/%d " % (client, number), 1) for number in range(20)]
        return re.findall(rb"\r\n\r\n/(\d+)/(\d+)", serving.ask(b"".join(sent) + CLOSE))

    serving.app = app
    serving.start()
    with ThreadPoolExecutor(20) as pool:
        for client, answers in enumerate(pool.map(ask, range(20))):
            assert answers == [(b"%d" % client, b"%d" % number) for number in range(20)]


@pytest.mark.parametrize("sent", [b"", GET[:9], GET * 20, POST, LARGE + b"x"])
def test_client_that_breaks_off_leaves_its_place_at_once(serving, sent, monkeypatch):
    monkeypatch.setattr(BufferingWorker, "patience_s", 1_000.0)
    serving.config.set("keepalive", 1_000)
    worker = serving.start()
    for _ in range(5):
        client = serving.connect(sent)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.close()

    assert serving.ask().startswith(b"HTTP/1.1 200 ")
    wait_for(lambda: len(worker._connections) == 1)  # the one that asked


class Gate:
    """An app that answers when it is opened; health checks at once."""

    def __init__(self) -> None:
        self.is_open = threading.Event()
        self.waiting = 0

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        if environ["PATH_INFO"] != "/healthz":
            self.waiting += 1
            self.is_open.wait(2 * LIMIT_S)
        return answer(environ, start_response)


def test_when_all_places_are_taken_requests_that_wait_for_a_thread_are_the_last_to_leave(serving):
    serving.app = gate = Gate()
    serving.config.set("threads", 1)
    serving.config.set("worker_connections", 4)
    worker = serving.start()

    def connect(sent: bytes) -> socket.socket:
        client = serving.connect(sent)
        mine = client.getsockname()
        wait_for(lambda: any(one.client == mine for one in list(worker._connections)))
        return client

    handled = connect(GET)
    wait_for(lambda: gate.waiting)
    idle, waiting, part = connect(b""), connect(GET), connect(b"GET / HTTP/1.1\r\n")
    others = []
    for _ in range(3):
        others.append(connect(CHECK))
        assert others[-1].recv(12) == b"HTTP/1.1 200"

    assert (idle.recv(12), part.recv(12)) == (b"", b"HTTP/1.1 503")
    gate.is_open.set()
    assert [one.recv(12) for one in (handled, waiting)] == [b"HTTP/1.1 200"] * 2


# How many seconds proxies keep an idle connection to a service, as they document it.
KEPT_BY_PROXIES = {"nginx": 60, "Caddy": 120, "Cloudflare": 900}


def test_connection_is_kept_longer_than_proxies_keep_theirs_but_leaves_first(serving):
    (kept_s,) = re.findall(r"^keepalive = (\d+)$", CONFIGURATION.read_text(), re.MULTILINE)
    serving.config.set("keepalive", int(kept_s))
    serving.config.set("worker_connections", 2)
    worker = serving.start()
    kept = serving.connect(GET)
    assert kept.recv(1000).endswith(b"done")
    (conn,) = worker._connections
    wait_for(lambda: conn.deadline - time.monotonic() > max(KEPT_BY_PROXIES.values()))

    half = serving.connect(CLOSE[:9])
    wait_for(lambda: len(worker._connections) == 2)

    assert serving.ask(CHECK).startswith(b"HTTP/1.1 200")
    assert kept.recv(10) == b""
    half.sendall(CLOSE[9:])
    assert half.recv(12) == b"HTTP/1.1 200"


def count_tasks(worker: BufferingWorker) -> int:
    return sum(one.task is not None for one in list(worker._connections))


def test_request_that_waits_longest_leaves_when_nobody_else_can(serving):
    serving.app = gate = Gate()
    serving.config.set("threads", 1)
    serving.config.set("worker_connections", 3)
    worker = serving.start()
    clients = []
    for count in (1, 2, 3, 3):
        clients.append(serving.connect(GET))
        wait_for(lambda count=count: gate.waiting and count_tasks(worker) == count)
    refused = clients[1].recv(1000)
    gate.is_open.set()

    assert refused.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nRetry-After: 5\r\n" in refused
    assert [clients[one].recv(12) for one in (0, 2, 3)] == [b"HTTP/1.1 200"] * 3


@pytest.mark.parametrize(("kind", "start"), [*KINDS.items(), ("dashboard", b"GET /%64ashboard/")])
def test_requests_that_hang_keep_no_other_kind_waiting(kind, start, serving):
    is_over, hanging = threading.Event(), []

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        if environ["QUERY_STRING"]:
            hanging.append(environ)
            is_over.wait(2 * LIMIT_S)  # longer than clients wait for an answer
        return answer(environ, start_response)

    serving.app = app
    serving.config.set("threads", 1)
    serving.start()
    rest = CLOSE.partition(b"/")[2]
    slow = serving.connect(start + b"?hang" + rest)
    wait_for(lambda: hanging)
    others = [serving.ask(KINDS[other] + rest) for other in KINDS if other != kind]
    is_over.set()

    assert [one[:12] for one in others] == [b"HTTP/1.1 200"] * (len(KINDS) - 1)
    assert slow.recv(12) == b"HTTP/1.1 200"


def test_request_is_handled_once_if_the_next_arrives_as_its_large_answer_begins(serving):
    is_held, is_over, handled = threading.Event(), threading.Event(), []
    large = b"x" * 8_000_000

    def app(environ, start_response):
        handled.append(environ["QUERY_STRING"])
        is_held.wait(LIMIT_S)
        start_response("200 OK", [("Content-Length", str(len(large)))])
        return [large]

    def hold_loop() -> None:
        is_held.set()
        is_over.wait(LIMIT_S)

    serving.app = app
    worker = serving.start()
    client = serving.connect(GET.replace(b"/ ", b"/dashboard/?1 "))  # handled in a pool
    wait_for(lambda: handled)
    (conn,) = worker._connections
    worker.notify = hold_loop
    wait_for(lambda: conn.task and conn.task.done())
    client.sendall(CLOSE.replace(b"/ ", b"/dashboard/?2 "))
    is_over.set()
    with client.makefile("rb") as answers:
        assert answers.read().count(b"HTTP/1.1 200") == 2

    assert handled == ["1", "2"]


def test_large_body_takes_the_place_of_the_one_whose_time_is_up_first(serving):
    worker = serving.start()
    clients = []
    for number in range(MAX_LARGE_BODIES):
        clients.append(serving.connect(LARGE + b"x"))
        wait_for(lambda number=number: len(worker._connections) > number)
    newcomer = serving.connect(LARGE + b"x" * 100_000)

    assert clients[0].recv(12) == b"HTTP/1.1 503"
    assert newcomer.recv(12) == b"HTTP/1.1 200"
    assert len(worker._connections) == MAX_LARGE_BODIES
