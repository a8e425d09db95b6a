"""A file system without space under SQLite: a small one in memory, filled to its end."""

import errno
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from checks import check_answers, check_deliveries, check_nothing_lost, fault_under
from load import Load
from support import version_0_7_0
from support.receivers import run_http_receiver
from support.remote import make_environ, run_here
from support.servers import run_flask, run_gunicorn

from embed.db import connection

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a disk"),
]

SIZE = "16m"
FULL_S = 2.0


@pytest.fixture
def small_disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="embed-disk-") as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def fill(disk: Path) -> Path:
    """Write a file until there is no space left, and return it."""
    path = disk / "ballast"
    with path.open("wb", buffering=0) as ballast, suppress(OSError):
        while True:
            ballast.write(bytes(4096))
    return path


def test_full_disk_under_a_load(small_disk, sqlite_template):
    database = shutil.copy(sqlite_template, small_disk / "embed.db")
    environ = make_environ(f"sqlite:///{database}")
    environ["ALLOW_PRIVATE_TARGETS"] = "1"
    with run_gunicorn(environ) as server, run_http_receiver() as receiver:
        load = Load([server.url], environ)
        page = load.auto_page
        page.command("webhooks", "add", page.page_id, receiver.url)
        with load, fault_under(load) as fault:
            ballast = fill(small_disk)
            with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
                (small_disk / "more").write_bytes(bytes(100_000))
            time.sleep(FULL_S)
            fault.ended_at = time.monotonic()
            ballast.unlink()

        check_answers(load, fault)
        check_nothing_lost(load)
        check_deliveries(load, receiver)


def test_upgrade_says_that_the_disk_is_full_whether_or_not_anything_can_be_written(small_disk):
    connection.create_if_missing(connection.open_database(f"sqlite:///{small_disk}/embed.db"))
    version_0_7_0.make()
    connection.db.close()
    environ = make_environ(f"sqlite:///{small_disk}/embed.db")
    for free_bytes, reason in (
        (0, "disk I/O error. Check the disk"),
        (40_960, "database or disk is full. Free some space on the disk"),
    ):
        spare = small_disk / "spare"
        spare.write_bytes(bytes(free_bytes))
        ballast = fill(small_disk)
        spare.unlink()

        ended = run_here("db", "upgrade", environ=environ)
        doctor = run_flask("doctor", environ=environ, check=False).stdout

        assert ended.stderr.startswith(f"Error: The database refused this: {reason}")
        assert "disk_nearly_full" in doctor
        assert "Check the disk" in doctor or "Its disk may be too full" in doctor
        ballast.unlink()
    assert run_here("db", "upgrade", environ=environ).exit_code == 0
