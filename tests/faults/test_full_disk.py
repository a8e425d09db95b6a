"""A file system without space under SQLite: a small one in memory, filled to its end."""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from checks import check_answers, check_deliveries, check_nothing_lost, fault_under
from load import Load
from support import version_0_7_0
from support.receivers import run_http_receiver
from support.remote import make_environ, run_here
from support.servers import run_flask, run_gunicorn

from embed.db import connection

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize("act", ["act_on_full_disk", "upgrade_on_full_disk"])
def test_full_disk(act, request, tmp_path):
    """Act as below, with a disk that is mounted: as root, or as root of a namespace of its own."""
    if os.geteuid() == 0:
        request.getfixturevalue(act)()
        return
    here = f"{__file__}::{request.node.name}"
    command = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-m", "pytest"]
    # The folder that pytest would choose by the name of its user may be the real root's.
    options = ["-q", "-n0", f"--basetemp={tmp_path / 'inside'}"]
    ended = subprocess.run([*command, *options, here], check=False, capture_output=True)
    assert ended.returncode == 0, ended.stdout.decode()


@pytest.fixture
def act_on_full_disk(small_disk, sqlite_template) -> Callable[[], None]:
    return partial(act, small_disk, sqlite_template)


def act(small_disk: Path, sqlite_template: Path) -> None:
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


@pytest.fixture
def upgrade_on_full_disk(small_disk) -> Callable[[], None]:
    return partial(upgrade, small_disk)


def upgrade(small_disk: Path) -> None:
    """An upgrade says what is wrong with the disk, whether or not anything can be written."""
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
