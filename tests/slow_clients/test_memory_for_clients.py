"""What many clients make the process take, in the configuration that is shipped."""

import re
from contextlib import suppress
from pathlib import Path

import pytest
from support.remote import make_environ
from support.servers import run_gunicorn
from support.stalled import Stall, stalled_clients

pytestmark = pytest.mark.slow

SOCKETS = 300
FORM = (
    b"POST /dashboard/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 4000000\r\n\r\n"
)


def read_mib(pid: int, name: str) -> float:
    """Return what the system says of a process's memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) / 1024


def test_large_forms_that_stall_take_hardly_any_memory(make_sqlite):
    """Each sends the first of its four megabytes, piece by piece and in turn with the others."""
    with run_gunicorn(make_environ(make_sqlite())) as server:
        (worker,) = server.wait_for_workers(1)
        start = read_mib(worker, "VmRSS")
        with stalled_clients(server.url, Stall(FORM), SOCKETS) as clients:
            for _ in range(15):
                for client in clients:
                    with suppress(ConnectionError):
                        client.sendall(b"x" * 70_000)
            assert read_mib(worker, "VmHWM") < start + 40
