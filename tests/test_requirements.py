"""requirements.lock is what requirements.txt and its packages need, and nothing else."""

import os
import re
import subprocess
import sys

import pytest
from packaging.requirements import Requirement
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


# The comparison

SITE = "framework[forms]==2.1"
AGREEING_LOCK = """\
--only-binary :all:
framework==2.1 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
    # via -r requirements.txt
text-forms==1.4 \\
    --hash=sha256:cc
    # via framework
old-python==1.0 ; python_version < '3' \\
    --hash=sha256:dd
"""


def list_requirements(name, extras):
    """Return what these made-up packages need."""
    match name, extras:
        case "framework", ("forms",):
            return [Requirement("Text_Forms>=1.2"), Requirement("framework>=2")]
        case "text-forms", ():
            return [Requirement("framework")]
    return []


def compare(requirements: str, lock: str) -> list[str]:
    direct = read_requirements(requirements)
    return find_disagreements(direct, read_locked_versions(lock), list_requirements)


def test_lock_that_agrees():
    assert compare(f"# What it runs on.\n{SITE}  # the framework\n", AGREEING_LOCK) == []


@pytest.mark.parametrize(
    ("requirements", "lock", "sentence"),
    [
        (
            f"{SITE}\nclock==1.0",
            AGREEING_LOCK,
            "requirements.txt needs clock==1.0, and the lock lacks it",
        ),
        (
            "framework[forms]==2.2",
            AGREEING_LOCK,
            "requirements.txt needs framework[forms]==2.2, and the lock has 2.1",
        ),
        (
            SITE,
            AGREEING_LOCK.replace("text-forms==1.4", "text-forms==1.1"),
            "framework needs Text_Forms>=1.2, and the lock has 1.1",
        ),
        (
            SITE,
            "framework==2.1 --hash=sha256:aa",
            "framework needs Text_Forms>=1.2, and the lock lacks it",
        ),
        (
            SITE,
            AGREEING_LOCK.replace("1.4 ", "1.4 ; python_version < '3' "),
            "framework needs Text_Forms>=1.2, and the lock lacks it",
        ),
        (
            SITE,
            f"{AGREEING_LOCK}clock==1.0 --hash=sha256:ee",
            "the lock has clock, and nothing needs it",
        ),
        (
            "framework==2.1",
            AGREEING_LOCK,
            "the lock has text-forms, and nothing needs it",
        ),
    ],
)
def test_comparison_tells(requirements, lock, sentence):
    assert compare(requirements, lock) == [sentence]


def test_package_of_another_version_is_told():
    locked = read_locked_versions(LOCK)

    sentences = find_other_versions(locked | {"pytest": "0.1", "not-installed": "1.0"})

    assert "not-installed: 1.0 in the lock, not installed" in sentences
    assert f"pytest: 0.1 in the lock, {pytest.__version__} installed" in sentences


def test_extras_bring_the_requirements_of_an_installed_package():
    assert "psycopg-binary" not in {one.name for one in list_installed_requirements("psycopg", ())}
    assert "psycopg-binary" in {
        one.name for one in list_installed_requirements("psycopg", ("binary",))
    }
