"""Processes that share a database and write down what their tasks do; see worked_app.py."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from support.remote import make_environ, run_here
from support.servers import (
    PROJECT_DIR,
    Server,
    clean_environ,
    find_free_port,
    is_listening,
    wait_until,
)
from support.waiting import LIMIT_S, wait_for

APP = Path(__file__).with_name("worked_app.py")
LEASE_S = 60.0  # of the tasks in worked_app.py
SHORT_LEASE_S = 2.0  # where it has to run out


@dataclass(frozen=True)
class Entry:
    """A line of the log: a task began or ended."""

    what: str
    name: str
    pid: int


class Scene:
    def __init__(self, folder: Path, database_url: str) -> None:
        self._log = folder / "tasks"
        self._log.touch()
        self._said = folder / "said"
        self._said.touch()
        self.environ = make_environ(
            database_url, WORK_LOG=str(self._log), WORK_LEASE_S=str(LEASE_S)
        )
        self._servers: list[Server] = []

    # Processes

    def start_worker(self, **variables: str) -> Server:
        return self._start("flask", "--app", APP, "worker", **variables)

    def start_gunicorn(self, *options: str, **variables: str) -> Server:
        port = self.port = find_free_port()
        where = ("--bind", f"127.0.0.1:{port}", "--pythonpath", APP.parent)
        command = ("gunicorn", "worked_app:app", "--log-level=warning", *where)
        server = self._start(*command, *options, **variables)
        wait_until(lambda: is_listening(port), server.process)
        # The master listens before its workers have begun.
        requests.get(f"http://127.0.0.1:{port}/", timeout=LIMIT_S)
        return server

    def _start(self, *command: str | Path, **variables: str) -> Server:
        with self._said.open("ab") as said:
            server = Server(
                [sys.executable, "-m", *command],
                cwd=PROJECT_DIR,
                env=clean_environ() | self.environ | variables,
                stdout=said,
                stderr=said,
            )
        self._servers.append(server)
        return server

    def stop(self, server: Server) -> float:
        """Stop it as systemd does; return how many seconds that took."""
        began = time.monotonic()
        server.end(server.process.terminate)
        self._servers.remove(server)
        return time.monotonic() - began

    def kill(self, pid: int) -> None:
        """End a process at once, as a power failure would."""
        server = next(one for one in self._servers if one.process.pid == pid)
        server.end(lambda: os.kill(pid, signal.SIGKILL))
        self._servers.remove(server)

    def end(self) -> None:
        for server in self._servers:
            server.end(lambda pid=server.process.pid: os.killpg(pid, signal.SIGKILL))

    # What they did

    def list_all(self) -> list[Entry]:
        """Return what tasks wrote down."""
        lines = [line.split() for line in self._log.read_text().splitlines()]
        return [Entry(what, task, int(pid)) for what, task, pid in lines]

    def list(self, what: str) -> "list[Entry]":
        return [entry for entry in self.list_all() if entry.what == what]

    def wait_for(self, is_there: Callable[[], Any]) -> Any:
        return wait_for(is_there, lambda: f"{self._log.read_text()}\n{self.read_said()}")

    def wait_for_ends(self, number: int) -> None:
        """Wait until tasks ended so many times more."""
        before = len(self.list("end"))
        self.wait_for(lambda: len(self.list("end")) >= before + number)

    def read_said(self) -> str:
        """Return what all processes wrote to standard output and error."""
        return self._said.read_text()

    def ask_status(self) -> dict[str, Any]:
        return json.loads(run_here("worker", "status", "--json", environ=self.environ).stdout)
