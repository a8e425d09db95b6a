"""What flask doctor finds in the files of the service and on its disks."""

import os
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from support.world import RANDOM_KEY

from embed.doctor.database import check_database
from embed.doctor.files import check_files
from embed.doctor.variables import Installation

pytestmark = pytest.mark.slow

ME = os.geteuid()
SOMEBODY = 54_321


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "instance"
    monkeypatch.setattr("embed.settings.INSTANCE_DIR", folder)
    return folder


@pytest.fixture
def installation(folder) -> Installation:
    """One whose files are all in a folder, as its first start made them."""
    folder.mkdir(mode=0o755)
    for name in ("embed.db", "embed.db-wal", "embed.db-shm", "secret_key"):
        (folder / name).touch(mode=0o600)
    (folder / "secret_key").write_text(RANDOM_KEY)
    return Installation.from_environ({"DATABASE_URL": f"sqlite:///{folder / 'embed.db'}"})


def find(installation: Installation, user_id: int = ME) -> list[tuple[str, str]]:
    """Return code and remedy of each finding."""
    return [(each.code, each.remedy) for each in check_files(installation, user_id)]


def test_nothing_is_wrong_with_files_that_the_service_made(installation):
    assert find(installation) == []


@pytest.mark.parametrize("name", ["embed.db", "embed.db-wal", "secret_key"])
def test_file_that_others_may_read_is_found(installation, folder, name):
    (folder / name).chmod(0o640)
    assert find(installation) == [("file_exposed", f"chmod 600 {folder / name}")]

    folder.chmod(0o700)  # now they do not get there
    assert find(installation) == []


def test_folder_in_which_others_may_write_is_found(installation, folder):
    folder.chmod(0o775)

    assert find(installation) == [("file_exposed", f"chmod 700 {folder}")]


def test_files_of_another_user_are_found(installation):
    found = find(installation, SOMEBODY)

    assert {code for code, _ in found} == {"file_not_writable"}
    assert len(found) == 5  # the folder, too


@pytest.mark.skipif(ME != 0, reason="only root may give files away")
def test_file_that_root_made_for_another_users_service_is_found(installation, folder):
    for path in (folder, *folder.iterdir()):
        os.chown(path, SOMEBODY, SOMEBODY)
    assert find(installation) == []

    os.chown(folder / "embed.db-wal", 0, 0)
    ((code, remedy),) = find(installation)
    assert code == "file_not_writable"
    assert remedy.startswith(f"chown {SOMEBODY} {folder / 'embed.db-wal'};")


def test_folder_that_this_user_may_not_enter_is_found(monkeypatch):
    with tempfile.TemporaryDirectory() as outer:
        Path(outer).chmod(0o755)
        folder = Path(outer) / "instance"
        folder.mkdir(mode=0o000)
        monkeypatch.setattr("embed.settings.INSTANCE_DIR", folder)
        if ME == 0:
            os.seteuid(SOMEBODY)
        try:
            url = f"sqlite:///{folder / 'embed.db'}"
            installation = Installation.from_environ({"DATABASE_URL": url})
            found = find(installation, SOMEBODY)
            (unreachable,) = check_database(installation)
        finally:
            os.seteuid(ME)
        folder.chmod(0o700)

    assert installation.settings.secret_keys == ()
    assert [code for code, _ in found] == ["file_not_writable"]
    assert unreachable.code == "database_unreachable"
    assert "Permission denied" in unreachable.problem


def test_missing_files_are_fine_and_are_not_made(folder, tmp_path):
    installation = Installation.from_environ({"DATABASE_URL": f"sqlite:///{tmp_path}/a/embed.db"})

    assert find(installation) == []
    assert installation.settings.secret_keys == ()
    assert list(tmp_path.iterdir()) == []


def test_disk_that_is_nearly_full_is_found(installation, monkeypatch):
    def find_with(free: int) -> list[str]:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
        return [code for code, _ in find(installation)]

    assert find_with(200 * 1024**2) == []
    assert find_with(200 * 1024**2 - 1) == ["disk_nearly_full"]
