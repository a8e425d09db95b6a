"""Backup while the service takes submissions."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import pytest
from support.remote import TIMEOUT_S, RemotePage, make_environ, run_here
from support.servers import run_gunicorn
from support.world import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]

CLIENTS = 2
BEFORE_EACH = 5  # submissions


class Load:
    """Visitors who submit without a pause, and what was acknowledged so far."""

    def __init__(self, page: RemotePage) -> None:
        self._page = page
        self._ends = threading.Event()
        self._done = threading.Semaphore(0)
        self.acknowledged: list[str] = []
        self.refused: list[str] = []

    @contextmanager
    def running(self):
        with ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(self._submit) for _ in range(CLIENTS)]
            try:
                yield
            finally:
                self._ends.set()
        for client in clients:
            client.result()

    def _submit(self) -> None:
        while not self._ends.is_set():
            answer = self._page.submit(Visitor())
            if answer.status_code == 201:
                self.acknowledged.append(answer.json["submissionId"])
            else:
                self.refused.append(answer.text)
            self._done.release()

    def wait_for(self, count: int) -> None:
        for _ in range(count):
            assert self._done.acquire(timeout=TIMEOUT_S)


def read_ids(path) -> set[str]:
    with closing(sqlite3.connect(path)) as reader:
        assert reader.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert reader.execute("PRAGMA foreign_key_check").fetchall() == []
        # A submission and its proof are written together.
        query = (
            "SELECT submission.id, proof.form FROM submission LEFT JOIN proof ON submission_id = id"
        )
        rows = reader.execute(query).fetchall()
    assert all(form for _, form in rows)
    return {submission_id for submission_id, _ in rows}


def test_backup_under_load_has_all_that_was_acknowledged_before(database_url, tmp_path):
    environ = make_environ(database_url)
    with run_gunicorn(environ) as server:
        page = RemotePage(server.url, environ, "--auto-approve")
        load = Load(page)
        with load.running():
            for number in range(2):
                load.wait_for(BEFORE_EACH)
                before = set(load.acknowledged)
                done = run_here("backup", str(tmp_path / f"{number}.db"), environ=environ)
                assert done.exit_code == 0, done.output
                assert read_ids(tmp_path / f"{number}.db") >= before
                assert len(before) >= BEFORE_EACH * (number + 1)

        assert load.refused == []
        refused = run_here("restore", str(tmp_path / "1.db"), environ=environ)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "stop the service" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
