"""requirements.lock has what requirements.txt asks for, with hashes; pip sees what it lacks."""

import re
import subprocess
import sys

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.servers import PROJECT_DIR, clean_environ


def read_requirements(text: str) -> list[Requirement]:
    """Return the requirements of a file for pip, without its options, hashes and comments."""
    lines = text.replace("\\\n", " ").splitlines()
    stated = (re.sub(r"(^|\s)(#.*|--hash=\S+)", "", line).strip() for line in lines)
    return [Requirement(line) for line in stated if line and not line.startswith("-")]


LOCK = (PROJECT_DIR / "requirements.lock").read_text()
BUILD_LOCK = (PROJECT_DIR / "requirements-build.lock").read_text()
each_lock = pytest.mark.parametrize("lock", [LOCK, BUILD_LOCK], ids=["run", "build"])
DIRECT = read_requirements((PROJECT_DIR / "requirements.txt").read_text())


# The files


def test_every_direct_requirement_is_locked_at_its_version():
    specifier_by_name = {pin.name: pin.specifier for pin in read_requirements(LOCK)}
    others = [
        str(one)
        for one in DIRECT
        if specifier_by_name.get(canonicalize_name(one.name)) != one.specifier
    ]

    assert len(DIRECT) > 20
    assert others == []


@pytest.mark.parametrize(
    "program", ["import embed", "import app", "runpy.run_path('gunicorn.conf.py')"]
)
def test_older_python_ends_with_one_line(program):
    older = "import runpy, sys; sys.path.insert(0, ''); sys.version_info = (3, 10, 13, 'final', 0);"
    run = subprocess.run(
        [sys.executable, "-c", older + program],
        cwd=PROJECT_DIR,
        env=clean_environ(),
        capture_output=True,
        text=True,
    )

    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "Error: Python 3.11 or newer is needed; this is 3.10.\n"


@each_lock
def test_lock_names_no_package_index_and_no_folder(lock):
    options = [line for line in lock.splitlines() if line.startswith("-")]

    # In this order: for pip, the last one counts.
    assert options == ["--only-binary :all:", "--no-binary font-roboto"][: 2 if lock is LOCK else 1]
    assert "://" not in lock


@each_lock
def test_command_that_made_the_lock_is_in_the_docs(lock):
    command = lock.splitlines()[1].removeprefix("#").strip()
    docs = (PROJECT_DIR / "CONTRIBUTING.md").read_text()

    assert command.startswith("uv pip compile --universal")
    assert command in re.sub(r"\s*\\\n\s*", " ", docs)
