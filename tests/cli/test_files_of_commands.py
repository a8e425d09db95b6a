"""Which files commands create before the first start: those that only look create none."""

import stat
import subprocess

import pytest
from support.servers import run_flask

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path):
    """Where the service keeps its files, once it has some."""
    return tmp_path / "instance"


@pytest.fixture
def run(folder):
    """Run flask with no settings but the folder: ``run("pages", "list")``."""

    def run_there(*arguments: str, check: bool = False) -> subprocess.CompletedProcess[str]:
        return run_flask(*arguments, environ={"INSTANCE_DIR": str(folder)}, check=check)

    return run_there


@pytest.mark.parametrize(
    "command",
    ["--help", "version", "doctor"],
)
def test_help_and_versions_create_nothing(command, run, folder):
    run(*command.split())

    assert not folder.exists()


@pytest.mark.parametrize(
    "command",
    ["pages list", "owners create owner@example.com", "worker status"],
)
def test_commands_on_a_database_that_does_not_exist_say_so_and_create_nothing(command, run, folder):
    ended = run(*command.split())

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        f"Error: There is no database at {folder / 'embed.db'} (DATABASE_URL). Use the settings"
        " of the service; only if it has no database yet, create one by flask db upgrade.\n"
    )
    assert not folder.exists()


def test_backup_of_a_database_that_does_not_exist_says_so_and_creates_nothing(run, folder):
    ended = run("backup", "copy.db")

    assert ended.returncode == 1
    assert ended.stderr == f"Error: {folder / 'embed.db'} does not exist.\n"
    assert not folder.exists()


def test_key_is_made_by_the_first_command_that_signs(run, folder):
    run("db", "upgrade", check=True)
    run("pages", "list", check=True)
    before = {path.name for path in folder.iterdir()}

    link = run("owners", "create", "owner@example.com", check=True).stdout

    assert "secret_key" not in before
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600
    assert "/dashboard/" in link


def test_key_that_cannot_be_made_is_one_line(run, folder):
    run("db", "upgrade", check=True)
    (folder / "secret_key").mkdir()

    ended = run("owners", "create", "owner@example.com")

    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"Error: SECRET_KEY is not set, and {folder / 'secret_key'} cannot be")
