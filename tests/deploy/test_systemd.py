"""deploy/systemd, by systemd's own checkers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from deploy_files import DEPLOY_DIR, HOME
from support.absence import skip_or_fail
from support.remote import make_environ
from support.servers import PROJECT_DIR, clean_environ

pytestmark = pytest.mark.slow

COMMANDS = {
    "embed.service": "app:app",
    "embed-worker.service": "worker",
    "embed-backup.service": "backup",
}
UNITS = list(COMMANDS)
BACKUPS = "/var/backups/embed"
# A tenth of what systemd calls the exposure, from 0 to 10. An ordinary unit has 9.6.
MOST_EXPOSURE = 15

each_unit = pytest.mark.parametrize("unit", UNITS)


@pytest.fixture(scope="module")
def analyze() -> str:
    program = shutil.which("systemd-analyze")
    if program is None:
        skip_or_fail("apt-get install systemd brings the checkers of units")
    return program


def read_values(unit: str, name: str) -> list[str]:
    lines = (DEPLOY_DIR / "systemd" / unit).read_text().splitlines()
    return [line.partition("=")[2] for line in lines if line.partition("=")[0] == name]


def test_units_are_valid(analyze, tmp_path):
    for source in (DEPLOY_DIR / "systemd").iterdir():
        # For the programs of this environment, as the checker looks for them.
        text = source.read_text().replace(f"{HOME}/.venv/", f"{sys.prefix}/")
        (tmp_path / source.name).write_text(text)

    done = subprocess.run([analyze, "verify", *tmp_path.iterdir()], capture_output=True, text=True)

    assert len(list(tmp_path.iterdir())) == len(UNITS) + 1
    assert (done.returncode, done.stderr) == (0, "")


@each_unit
def test_unit_may_do_little(unit, analyze):
    options = ("--offline=true", f"--threshold={MOST_EXPOSURE}", "--no-pager")
    done = subprocess.run(
        [analyze, "security", *options, DEPLOY_DIR / "systemd" / unit],
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout


@each_unit
def test_unit_starts_from_the_repository_as_a_user_of_its_own(unit):
    (command,) = read_values(unit, "ExecStart")
    program, *arguments = command.split()

    assert program.startswith(f"{HOME}/.venv/bin/")
    assert Path(sys.prefix, "bin", Path(program).name).exists()
    assert Path(program).name == ("gunicorn" if unit == "embed.service" else "flask")
    assert arguments[0] == COMMANDS[unit]
    assert read_values(unit, "User") == ["embed"]
    assert read_values(unit, "WorkingDirectory") == [HOME]
    folders = f"{HOME}/instance {BACKUPS}" if COMMANDS[unit] == "backup" else f"{HOME}/instance"
    assert read_values(unit, "ReadWritePaths") == [folders]
    assert (PROJECT_DIR / "app.py").exists()


def test_backup_works_in_the_folder_that_the_documents_make(make_sqlite, tmp_path):
    documented = (PROJECT_DIR / "docs" / "backups.md").read_text()
    (command,) = read_values("embed-backup.service", "ExecStart")
    folder = tmp_path / "backups"
    folder.mkdir()

    done = subprocess.run(
        command.replace(f"{HOME}/.venv", sys.prefix).replace(BACKUPS, str(folder)).split(),
        cwd=PROJECT_DIR,
        env=clean_environ() | make_environ(make_sqlite()),
        capture_output=True,
        text=True,
    )

    assert f"install -d -m 700 -o embed -g embed {BACKUPS}\n" in documented
    assert (done.returncode, done.stderr) == (0, "")
    assert len(list(folder.glob("embed-*.db"))) == 1
