"""How many worker processes gunicorn starts, when it refuses to, and what it warns of."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from itertools import chain
from pathlib import Path

import pytest
import requests
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import PROJECT_DIR, clean_environ, find_free_port, run_gunicorn
from support.world import Visitor

pytestmark = pytest.mark.slow

REFUSAL = "workers would each count rate limits separately: set RATELIMIT_STORAGE_URI"


@pytest.fixture
def environ(make_sqlite) -> dict[str, str]:
    return make_environ(make_sqlite())


def test_several_workers_with_limits_in_memory_are_refused_in_one_line(environ):
    ended = subprocess.run(
        [sys.executable, "-m", "gunicorn", "app:app", "--bind", "127.0.0.1:0"],
        cwd=PROJECT_DIR,
        env=clean_environ() | environ | {"WEB_CONCURRENCY": "4"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )

    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"Error: 4 {REFUSAL}")
    assert (ended.returncode, ended.stdout) == (1, "")


def test_one_worker_with_limits_in_memory_stays_one_when_a_signal_asks_for_more(environ, capfd):
    with run_gunicorn(environ) as server:
        before = server.wait_for_workers(1)

        os.kill(server.pid, signal.SIGTTIN)

        said = ""
        deadline = time.monotonic() + TIMEOUT_S
        while "There is still one worker" not in said:
            assert time.monotonic() < deadline
            time.sleep(0.05)
            said += capfd.readouterr().err
        assert server.list_workers() == before
    assert "set RATELIMIT_STORAGE_URI" in said


def list_sockets(pid: int) -> set[str]:
    """Return the sockets that a process has open, such as ``socket:[4711]``."""
    found = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            found.add(str(descriptor.readlink()))
    return {name for name in found if name.startswith("socket:")}


def test_processes_share_nothing_that_was_opened_but_where_they_listen(
    postgres_database_url, redis_url
):
    shared = {"RATELIMIT_STORAGE_URI": redis_url, "SOLANA_RPC_URL": "http://127.0.0.1:1"}
    environ = make_environ(postgres_database_url, **shared)
    with run_gunicorn(environ, "--workers", "3") as server:
        pids = [server.pid, *server.wait_for_workers(3)]
        page = RemotePage(server.url, environ)
        assert {page.submit(Visitor()).status_code for _ in range(30)} == {201}

        sockets = [list_sockets(pid) for pid in pids]

        assert len(set.intersection(*sockets)) == 1
        in_several = {one for one, count in Counter(chain(*sockets)).items() if count > 1}
        assert in_several == set.intersection(*sockets)
        assert max(map(len, sockets)) > 2  # those of Postgres and Redis
        assert len(list(Path(f"/proc/{server.pid}/task").iterdir())) == 1


@pytest.mark.parametrize(
    ("options", "is_replaced"),
    [([], False), (["--max-requests", "2"], True)],
    ids=["as shipped", "asked for"],
)
def test_process_that_is_alone_is_not_replaced_unless_asked_for(
    environ, tmp_path, options, is_replaced
):
    config = tmp_path / "gunicorn.conf.py"
    shipped = (PROJECT_DIR / "gunicorn.conf.py").read_text()
    config.write_text(f"{shipped}\nmax_requests, max_requests_jitter = 3, 0\n")
    with run_gunicorn(environ, "--config", str(config), *options) as server:
        before = server.wait_for_workers(1)
        for _ in range(6):
            requests.get(f"{server.url}/healthz", timeout=TIMEOUT_S)

        if is_replaced:
            server.wait_for_workers(1, other_than=before)
        else:
            assert server.list_workers() == before


def test_service_that_others_reach_without_a_public_url_is_warned_about(environ, capfd):
    with run_gunicorn(environ, "--bind", f"0.0.0.0:{find_free_port()}") as server:
        # A worker that is told to end before it listens for signals would be waited for.
        requests.get(f"{server.url}/healthz", timeout=TIMEOUT_S)

    assert "PUBLIC_URL is not set" in capfd.readouterr().err
