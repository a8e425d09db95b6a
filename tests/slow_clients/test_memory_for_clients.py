"""What many clients make the process take, in the configuration that is shipped."""

import re
import socket
from contextlib import suppress
from pathlib import Path

import pytest
from support.remote import make_environ
from support.servers import run_gunicorn
from support.stalled import Stall, sign_session, stalled_clients
from support.waiting import wait_for

pytestmark = pytest.mark.slow

SOCKETS = 300
STUCK = "--worker-class=tests.support.limited_workers.StuckWorker"
MADE_UP = b"Cookie: embed_dashboard=eyJhIjoxfQ.aaaaaa." + b"b" * 43
HEAD = (
    b"POST /dashboard/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: multipart/form-data; boundary=x\r\n%b\r\nContent-Length: %d\r\n\r\n"
)


@pytest.fixture
def environ(make_sqlite):
    return make_environ(make_sqlite())


def read_mib(pid: int, name: str) -> float:
    """Return what the system says of a process's memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) / 1024


def is_refused(client: socket.socket) -> bool:
    with suppress(BlockingIOError):
        return client.recv(12, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b"HTTP/1.1 503"
    return False


@pytest.mark.parametrize(("cookie", "most_mib"), [(MADE_UP, 40), (sign_session(), 64 + 50)])
def test_large_forms_that_stall_take_no_more_than_the_docs_say(environ, cookie, most_mib):
    """Each sends the first of its four megabytes, piece by piece and in turn with the others."""
    with run_gunicorn(environ) as server:
        (worker,) = server.wait_for_workers(1)
        start = read_mib(worker, "VmRSS")
        with stalled_clients(server.url, Stall(HEAD % (cookie, 4_000_000)), SOCKETS) as clients:
            for _ in range(15):
                for client in clients:
                    with suppress(ConnectionError):
                        client.sendall(b"x" * 70_000)
            peak = read_mib(worker, "VmHWM")
        wait_for(lambda: read_mib(worker, "VmRSS") < start + 40)

    assert peak < start + most_mib


def test_forms_that_wait_for_a_thread_count_as_well(environ):
    form = HEAD % (sign_session(), 100_000) + b"x" * 100_000
    with (
        run_gunicorn(environ, STUCK) as server,
        stalled_clients(server.url, Stall(form)) as clients,
    ):
        # Four of them fit into the 500,000 bytes of this worker.
        wait_for(lambda: sum(map(is_refused, clients)) == len(clients) - 4)
