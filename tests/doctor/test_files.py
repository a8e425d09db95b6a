"""What flask doctor finds in the files of the service and on its disks."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.world import RANDOM_KEY

from embed.doctor.database import check_database
from embed.doctor.files import check_files, list_files
from embed.doctor.variables import Installation, check_variables
from embed.domain import times

pytestmark = pytest.mark.slow

ME = os.geteuid()
SOMEBODY = 54_321  # who has no name here


@pytest.fixture
def installation(tmp_path, monkeypatch) -> Installation:
    """One whose files are all in a folder, as its first start made them."""
    monkeypatch.setattr("embed.settings.INSTANCE_DIR", tmp_path / "instance")
    folder = tmp_path / "instance"
    folder.mkdir(mode=0o755)
    for name in ("embed.db", "embed.db-wal", "embed.db-shm", "secret_key"):
        (folder / name).touch(mode=0o600)
    (folder / "secret_key").write_text(RANDOM_KEY)
    return Installation.from_environ({"DATABASE_URL": f"sqlite:///{folder / 'embed.db'}"})


def find(installation: Installation, user_id: int = ME) -> dict[str, str]:
    """Return the problems by code."""
    return {each.code: each.problem for each in check_files(installation, user_id)}


def test_nothing_is_wrong_with_files_that_the_service_made(installation, tmp_path):
    assert set(list_files(installation)) == set((tmp_path / "instance").iterdir())
    assert find(installation) == {}


@pytest.mark.parametrize("name", ["embed.db", "embed.db-wal", "secret_key"])
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o660, 0o606])
def test_file_that_others_may_read_is_found(installation, tmp_path, name, mode):
    path = tmp_path / "instance" / name
    path.chmod(mode)

    assert find(installation) == {
        "file_exposed": f"Other users of this machine may read or write {path}."
    }


def test_file_in_a_folder_that_others_may_not_enter_is_fine(installation, tmp_path):
    (tmp_path / "instance" / "embed.db").chmod(0o644)
    (tmp_path / "instance").chmod(0o700)

    assert find(installation) == {}


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
def test_folder_in_which_others_may_write_is_found(installation, tmp_path, mode):
    (tmp_path / "instance").chmod(mode)

    assert set(find(installation)) == {"folder_exposed"}


def test_file_that_the_service_cannot_write_is_found(installation, tmp_path):
    (tmp_path / "instance" / "embed.db").chmod(0o400)

    found = find(installation)

    assert found == {
        "file_not_writable": f"The service cannot write {tmp_path / 'instance' / 'embed.db'}."
    }


def test_files_of_another_user_are_found(installation):
    found = list(check_files(installation, SOMEBODY))

    assert {each.code for each in found} == {"file_of_another_user"}
    assert len(found) == 5  # the folder, too
    assert f"the service's user is {SOMEBODY}" in found[0].problem


@pytest.mark.skipif(ME != 0, reason="only root may give files away")
def test_file_that_root_made_for_another_users_service_is_found(installation, tmp_path):
    folder = tmp_path / "instance"
    for path in (folder, *folder.iterdir()):
        os.chown(path, SOMEBODY, SOMEBODY)
    fine = find(installation)
    os.chown(folder / "embed.db-wal", 0, 0)

    found = find(installation)

    assert set(fine) == {"runs_as_another_user"}
    assert set(found) == {"runs_as_another_user", "file_of_another_user"}
    assert f"{folder / 'embed.db-wal'} belongs to root" in found["file_of_another_user"]


@contextmanager
def lose_rights() -> Iterator[None]:
    """Be nobody in particular, if this is root, who may do everything."""
    if ME == 0:
        os.seteuid(SOMEBODY)
    try:
        yield
    finally:
        os.seteuid(ME)


def test_folder_that_this_user_may_not_enter_is_found(monkeypatch):
    with tempfile.TemporaryDirectory() as outer:
        Path(outer).chmod(0o755)
        folder = Path(outer) / "instance"
        folder.mkdir(mode=0o000)
        monkeypatch.setattr("embed.settings.INSTANCE_DIR", folder)
        with lose_rights():
            url = f"sqlite:///{folder / 'embed.db'}"
            installation = Installation.from_environ({"DATABASE_URL": url})
            found = [each.code for each in check_files(installation, SOMEBODY)]
            (unreachable,) = check_database(installation, times.now)
        folder.chmod(0o700)

    assert installation.settings.secret_keys == ()
    assert found == ["file_of_another_user"]
    assert unreachable.code == "database_unreachable"
    assert "Permission denied" in unreachable.problem


@pytest.mark.skipif(ME != 0, reason="only root may give files away")
def test_key_that_root_made_is_named_with_its_owner_and_is_no_wrong_setting(monkeypatch):
    with tempfile.TemporaryDirectory() as outer:
        Path(outer).chmod(0o755)
        folder = Path(outer) / "instance"
        folder.mkdir(mode=0o700)
        key = folder / "secret_key"
        key.touch(mode=0o600)
        os.chown(folder, SOMEBODY, SOMEBODY)
        monkeypatch.setattr("embed.settings.INSTANCE_DIR", folder)
        with lose_rights():
            installation = Installation.from_environ({})
            wrong = [*check_variables(installation), *check_files(installation, SOMEBODY)]

    (found,) = wrong
    assert found.problem == f"{key} belongs to root, and the service's user is {SOMEBODY}."
    assert found.remedy == f"chown {SOMEBODY} {key}"


def test_key_file_does_not_matter_where_a_key_is_set(installation, tmp_path):
    (tmp_path / "instance" / "secret_key").chmod(0o644)
    url = f"sqlite:///{tmp_path}/instance/embed.db"
    environ = {"DATABASE_URL": url, "SECRET_KEY": RANDOM_KEY}

    assert find(Installation.from_environ(environ)) == {}


def test_missing_files_are_nothing_to_complain_about_and_are_not_made(tmp_path, monkeypatch):
    monkeypatch.setattr("embed.settings.INSTANCE_DIR", tmp_path / "instance")

    installation = Installation.from_environ({"DATABASE_URL": f"sqlite:///{tmp_path}/a/embed.db"})

    assert find(installation) == {}
    assert installation.settings.secret_keys == ()
    assert list(tmp_path.iterdir()) == []


# Disks

MIB = 1024**2
GIB = 1024**3


@pytest.mark.parametrize(
    ("total", "least"),
    [(GIB // 2, 100 * MIB), (10 * GIB, GIB // 2), (1000 * GIB, GIB)],
    ids=["small", "usual", "large"],
)
def test_disk_with_less_than_a_part_left_is_found(installation, monkeypatch, total, least):
    def find_with(free: int) -> dict[str, str]:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: (total, total - free, free))
        return find(installation)

    assert find_with(least) == {}
    assert set(find_with(least - 1)) == {"disk_nearly_full"}
    assert str(installation.key_file.parent) in find_with(least - 1)["disk_nearly_full"]
