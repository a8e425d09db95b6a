"""requirements.lock is what requirements.txt and its packages need, and nothing else."""

import os
import re
import subprocess
import sys

import pytest
from packaging.utils import canonicalize_name
from support.requirements import (
    find_disagreements,
    find_other_versions,
    list_installed_requirements,
    read_locked_versions,
    read_requirements,
)
from support.servers import PROJECT_DIR, clean_environ

LOCK = (PROJECT_DIR / "requirements.lock").read_text()
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


@pytest.mark.slow  # so that CI runs it where it has installed the lock, not in a new user's clone
def test_lock_holds_what_the_installed_packages_need_and_nothing_else():
    locked = read_locked_versions(LOCK)
    others = "; ".join(find_other_versions(locked))
    if others and not os.environ.get("CI"):
        pytest.skip(f"pip install -r requirements.lock changes this: {others}")

    assert others == ""
    assert find_disagreements(DIRECT, locked, list_installed_requirements) == []


def test_every_locked_package_has_hashes():
    pins = re.findall(r"^\w.*", LOCK.replace("\\\n", " "), re.MULTILINE)

    assert len(pins) == len(read_requirements(LOCK))
    assert [pin for pin in pins if not re.search(r" --hash=sha256:[0-9a-f]{64}\b", pin)] == []


def test_lock_names_no_package_index_and_no_folder():
    options = [line for line in LOCK.splitlines() if line.startswith("-")]

    assert options == ["--only-binary :all:"]
    assert "://" not in LOCK


def test_command_that_made_the_lock_is_in_the_docs():
    command = LOCK.splitlines()[1].removeprefix("#").strip()
    docs = (PROJECT_DIR / "docs/internals.md").read_text()

    assert command.startswith("uv pip compile --universal")
    assert command in re.sub(r"\s*\\\n\s*", " ", docs)
