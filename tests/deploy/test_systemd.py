"""deploy/systemd, by systemd's own checkers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from absence import skip_or_fail
from deploy_files import DEPLOY_DIR, HOME
from servers import PROJECT_DIR

pytestmark = pytest.mark.slow

UNITS = ["embed.service", "embed-worker.service"]
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


def verify(analyze: str, unit: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([analyze, "verify", unit], capture_output=True, text=True)


def install(unit: str, folder: Path, *, wrong: str = "") -> Path:
    """Write a unit for the programs of this environment, as the checker looks for them."""
    text = (DEPLOY_DIR / "systemd" / unit).read_text()
    installed = folder / unit
    installed.write_text(text.replace(f"{HOME}/.venv/", f"{sys.prefix}/") + wrong)
    return installed


@each_unit
def test_unit_is_valid(unit, analyze, tmp_path):
    done = verify(analyze, install(unit, tmp_path))

    assert (done.returncode, done.stderr) == (0, "")


def test_checker_notices_mistakes(analyze, tmp_path):
    done = verify(analyze, install(UNITS[0], tmp_path, wrong="\n[Service]\nProtectHme=true\n"))

    assert "ProtectHme" in done.stderr


@each_unit
def test_unit_may_do_little(unit, analyze):
    options = ("--offline=true", f"--threshold={MOST_EXPOSURE}", "--no-pager")
    done = subprocess.run(
        [analyze, "security", *options, DEPLOY_DIR / "systemd" / unit],
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout


def test_server_and_worker_are_confined_in_the_same_way():
    kept = []
    for unit in UNITS:
        text = (DEPLOY_DIR / "systemd" / unit).read_text()
        kept.append(text[text.index("UMask=") : text.index("[Install]")])

    assert kept[0] == kept[1]


@each_unit
def test_unit_starts_from_the_repository_as_a_user_of_its_own(unit):
    (command,) = read_values(unit, "ExecStart")
    program, *arguments = command.split()

    assert program.startswith(f"{HOME}/.venv/bin/")
    assert Path(sys.prefix, "bin", Path(program).name).exists()
    assert arguments[0] == {"gunicorn": "app:app", "flask": "worker"}[Path(program).name]
    assert read_values(unit, "User") == ["embed"]
    assert read_values(unit, "WorkingDirectory") == [HOME]
    assert read_values(unit, "ReadWritePaths") == [f"{HOME}/instance"]
    assert (PROJECT_DIR / "app.py").exists()
