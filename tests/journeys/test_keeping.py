"""Backup while the service takes submissions."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event

import pytest
from support.remote import RemotePage, make_environ, run_here
from support.servers import run_gunicorn
from support.waiting import wait_for
from support.world import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.databases("sqlite", "postgres")]


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
        acknowledged, is_over = [], Event()

        def submit() -> None:
            while not is_over.is_set():
                answer = page.submit(Visitor())
                assert answer.status_code == 201, answer.text
                acknowledged.append(answer.json["submissionId"])

        with ThreadPoolExecutor() as pool:
            clients = [pool.submit(submit) for _ in range(2)]
            try:
                for number in (1, 2):
                    wait_for(lambda number=number: len(acknowledged) >= 5 * number)
                    before = set(acknowledged)
                    done = run_here("backup", str(tmp_path / f"{number}.db"), environ=environ)
                    assert done.exit_code == 0, done.output
                    assert read_ids(tmp_path / f"{number}.db") >= before
            finally:
                is_over.set()
        for client in clients:
            client.result()

        refused = run_here("restore", str(tmp_path / "1.db"), environ=environ)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "stop the service" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
