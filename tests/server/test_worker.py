"""What clients get from an app that fails, from faulty hooks, and when they are too many."""

import asyncio
import os
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn.config import Config
from gunicorn.workers.base import Worker
from support.waiting import wait_for

from embed.logs.context import begin_request, find_context
from embed.server.processes import REPLACED_AFTER
from embed.server.worker import _HERE, _LONG_S, MOST_LARGE, BufferingWorker

LIMIT_S = 20
ANSWER = ("200 OK", [("Content-Length", "4")])
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
CLOSE = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
CHECK = CLOSE.replace(b"/ ", b"/healthz ", 1)
LARGE = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"


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


# The second is the app's own: a server that it asks is away.
@pytest.mark.parametrize(
    "error", [ValueError, ConnectionRefusedError, SystemExit, asyncio.CancelledError]
)
def test_app_that_fails_is_logged_and_answered_for_whatever_it_raises(serving, error):
    def app(*_arguments: Any) -> None:
        raise error

    serving.app = app
    serving.start()

    assert serving.ask().startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
    assert serving.log.failures == ["A request failed outside the app."]


@pytest.mark.parametrize("error", [ValueError, SystemExit, asyncio.CancelledError, OSError])
def test_answer_in_the_middle_of_which_the_app_fails_is_cut_off_and_not_followed(serving, error):
    def app(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
        start_response(*ANSWER)
        yield b"do"
        raise error

    serving.app = app
    serving.start()

    assert serving.ask().endswith(b"\r\n\r\ndo")
    assert len(serving.log.failures) == 1


def test_thread_has_the_id_of_its_request_until_the_answer_is_finished(serving):
    seen = []
    serving.log.exception = lambda *_: seen.append(find_context().request_id)
    serving.config.set("threads", 1)

    def app(environ, start_response):
        seen.append(find_context().request_id)
        begin_request("abc-123")
        start_response(*ANSWER)
        yield b"do"
        raise RuntimeError

    serving.app = app
    serving.start()
    serving.ask()
    serving.ask()

    assert seen == [None, "abc-123"] * 2


def test_answer_is_the_only_one_if_the_hook_after_it_fails(serving):
    serving.config.set("post_request", lambda worker, request, environ, response: 1 / 0)
    serving.start()

    assert serving.ask().count(b"HTTP/1.1") == 1


def test_request_is_refused_if_the_hook_before_it_fails(serving):
    serving.config.set("pre_request", lambda worker, request: 1 / 0)
    serving.start()

    assert serving.ask().startswith(b"HTTP/1.1 500 Internal Server Error\r\n")


def test_bytes_that_make_the_parser_fail_are_refused_and_others_are_served(serving):
    """gunicorn's parser raises ValueError."""
    serving.config.set("proxy_protocol", "v1")
    serving.start()
    client = serving.connect(b"PROXY TCP4 192.0.2.1\0 192.0.2.2 1 2\r\n" + GET)

    assert client.recv(100).startswith(b"HTTP/1.1 500 ")
    assert serving.ask().startswith(b"HTTP/1.1 200 ")


class Gate:
    """An app that answers when it is opened; health checks at once."""

    def __init__(self) -> None:
        self.is_open = threading.Event()
        self.waiting = 0

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        if environ["PATH_INFO"] != "/healthz":
            self.waiting += 1
            self.is_open.wait(LIMIT_S)
        return answer(environ, start_response)


def test_when_all_places_are_taken_requests_that_wait_for_a_thread_are_the_last_to_leave(serving):
    serving.app = gate = Gate()
    serving.config.set("threads", 1)
    serving.config.set("worker_connections", 5)
    worker = serving.start()

    def connect(sent: bytes) -> socket.socket:
        client = serving.connect(sent)
        mine = client.getsockname()
        wait_for(lambda: any(one.client == mine for one in list(worker._connections)))
        return client

    handled = [connect(GET), connect(GET)]  # by the main thread, and by the pool's
    wait_for(lambda: gate.waiting == 2)
    idle, waiting, part = connect(b""), connect(GET), connect(b"GET / HTTP/1.1\r\n")
    others = [connect(CHECK) for _ in range(3)]

    assert [one.recv(12) for one in others] == [b"HTTP/1.1 200"] * 3
    assert (idle.recv(12), part.recv(12)) == (b"", b"HTTP/1.1 503")
    gate.is_open.set()
    assert [one.recv(12) for one in (*handled, waiting)] == [b"HTTP/1.1 200"] * 3


def count_tasks(worker: BufferingWorker) -> int:
    return sum(one.task is not None for one in list(worker._connections))


def test_request_that_waits_longest_leaves_when_nobody_else_can(serving):
    serving.app = gate = Gate()
    serving.config.set("threads", 1)
    serving.config.set("worker_connections", 4)
    worker = serving.start()
    clients = []
    for count in (1, 2, 3, 4, 4):
        clients.append(serving.connect(GET))
        wait_for(lambda count=count: gate.waiting and count_tasks(worker) == count)
    refused = clients[2].recv(1000)
    gate.is_open.set()

    assert refused.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nRetry-After: 5\r\n" in refused
    assert [clients[one].recv(12) for one in (0, 1, 3, 4)] == [b"HTTP/1.1 200"] * 4


def test_long_requests_hold_up_no_others_and_the_loop_returns_to_the_main_thread(serving):
    gate, threads = Gate(), []

    def app(environ, start_response):
        threads.append(threading.get_ident())
        return (
            gate(environ, start_response)
            if environ["PATH_INFO"] == "/"
            else answer(environ, start_response)
        )

    serving.app = app
    worker = serving.start()
    quick = GET.replace(b"/ ", b"/quick ", 1)
    for _ in range(3):
        gate.is_open.clear()
        slow = serving.connect(GET)
        wait_for(lambda: gate.waiting)
        assert serving.ask(quick * 2 + CLOSE.replace(b"/ ", b"/quick ", 1)).count(b"done") == 3
        gate.is_open.set()
        assert slow.recv(12) == b"HTTP/1.1 200"
        wait_for(lambda: worker._work is None)
        gate.waiting = 0
        assert serving.connect(quick).recv(12) == b"HTTP/1.1 200"

    main = worker._main
    assert [one == main for one in threads] == [True, False, False, False, True] * 3


def test_deputy_takes_over_however_slowly_the_main_thread_begins(serving, monkeypatch):
    worker = serving.start()
    call = worker._has_work.set

    def call_and_pause() -> None:
        call()
        time.sleep(10 * _LONG_S)  # other threads have the interpreter

    monkeypatch.setattr(worker._has_work, "set", call_and_pause)
    serving.app = Gate()
    serving.connect(GET)
    wait_for(lambda: worker._replacements)
    serving.app.is_open.set()


def test_request_behind_a_large_answer_is_not_disturbed_while_it_is_handled(serving):
    """The client reads the first answer slowly, so the loop has to wait for it."""
    first, gate = b"x" * 20_000_000, Gate()

    def app(environ, start_response):
        if environ["PATH_INFO"] != "/":
            return gate(environ, start_response)
        start_response("200 OK", [("Content-Length", str(len(first)))])
        return [first]

    serving.app = app
    serving.start()
    client = serving.connect(GET + GET.replace(b"/ ", b"/slow ") + CLOSE)
    with client.makefile("rb") as answers:
        answers.read(len(first))
        assert answers.peek()
        wait_for(lambda: gate.waiting)
        assert serving.ask().endswith(first)  # so the loop has gone on
        gate.is_open.set()
        rest = answers.read()

    assert re.findall(rb"\r\n\r\n(?:done|x)", rest) == [b"\r\n\r\ndone", b"\r\n\r\nx"]
    assert not serving.log.failures


def test_request_is_handled_once_if_the_next_arrives_as_its_large_answer_begins(serving):
    is_held, is_over, handled = threading.Event(), threading.Event(), []
    large = b"x" * 20_000_000

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


def test_newcomers_keep_nobody_waiting_until_all_of_them_have_been_served(serving):
    is_held, is_over, handled = threading.Event(), threading.Event(), []

    def app(environ, start_response):
        if not handled:
            kept.sendall(GET.replace(b"/ ", b"/kept "))
        handled.append(environ["PATH_INFO"])
        time.sleep(0.6 * _LONG_S)
        return answer(environ, start_response)

    def hold_loop() -> None:
        is_held.set()
        is_over.wait(LIMIT_S)

    serving.app = app
    worker = serving.start()
    kept = serving.connect(b"")
    wait_for(lambda: worker._connections)
    worker.notify = hold_loop
    assert is_held.wait(LIMIT_S)
    newcomers = [serving.connect(GET) for _ in range(20)]
    is_over.set()
    assert all(one.recv(12) for one in (kept, *newcomers))

    assert handled.index("/kept") < 20


def test_signal_to_quit_ends_a_process_in_the_middle_of_a_request(serving):
    worker = serving.start()
    here, there = (SimpleNamespace(request=None, task=one) for one in (_HERE, None))

    def quit_worker(*_):
        worker.alive = False
        raise SystemExit

    worker.handle_request = quit_worker
    with pytest.raises(SystemExit):
        worker.handle(here)
    there.sock, refused = SimpleNamespace(pieces=[]), []
    worker._refuse = lambda conn, _error: refused.append(conn)
    worker.handle(there)
    assert refused == [there]


def test_log_files_are_not_opened_again_in_the_middle_of_a_request_that_may_be_writing(serving):
    """A signal's handler interrupts the main thread, and Python's files refuse that."""
    opened, seen = threading.Event(), []
    serving.log.reopen_files = opened.set

    def app(environ, start_response):
        worker.handle_usr1(0, None)
        seen.append(opened.is_set())
        return answer(environ, start_response)

    serving.app = app
    worker = serving.start()
    serving.ask()

    assert seen == [False]
    assert opened.wait(LIMIT_S)


def test_failing_loop_of_the_deputy_ends_the_worker(serving):
    serving.app = gate = Gate()
    worker = serving.start()
    slow = serving.connect(GET)
    wait_for(lambda: gate.waiting and worker._replacements)
    worker.notify = lambda: 1 / 0
    wait_for(lambda: not worker.alive)
    gate.is_open.set()

    assert slow.recv(12) == b"HTTP/1.1 200"
    assert serving.log.failures == ["The loop failed."]


def test_loop_of_the_deputy_that_a_signal_to_quit_fails_is_not_reported(serving):
    serving.app = gate = Gate()
    worker = serving.start()
    serving.connect(GET)
    wait_for(lambda: worker._replacements)
    worker.alive = False
    worker.tpool.shutdown(wait=False)  # like handle_quit
    serving.connect(GET)
    wait_for(lambda: worker._loop_lock.acquire(blocking=False))
    worker._loop_lock.release()
    gate.is_open.set()

    assert serving.log.failures == []


def test_large_body_takes_the_place_of_the_one_whose_time_is_up_first(serving):
    worker = serving.start()
    clients = []
    for number in range(MOST_LARGE):
        clients.append(serving.connect(LARGE + b"x"))
        wait_for(lambda number=number: len(worker._connections) > number)
    newcomer = serving.connect(LARGE + b"x" * 100_000)

    assert clients[0].recv(12) == b"HTTP/1.1 503"
    assert newcomer.recv(12) == b"HTTP/1.1 200"
    assert len(worker._connections) == MOST_LARGE


def test_process_that_is_alone_is_not_replaced_unless_asked_for():
    def limit(**options: int) -> int:
        config = Config()
        for name, value in options.items():
            config.set(name, value)
        worker = BufferingWorker(1, 1, [], None, 30, config, None)
        worker.tmp.close()
        return worker.max_requests

    shipped = {"max_requests": REPLACED_AFTER, "max_requests_jitter": 10}
    assert limit(workers=1, **shipped) == sys.maxsize
    assert limit(workers=2, **shipped) in range(REPLACED_AFTER, REPLACED_AFTER + 11)
    assert limit(workers=1, max_requests=50) == 50
