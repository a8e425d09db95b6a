"""requirements.lock is what requirements.txt and its packages need, and nothing else."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib import metadata

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from support.servers import PROJECT_DIR, clean_environ


def read_requirements(text: str) -> list[Requirement]:
    """Return the requirements of a file for pip, without its options, hashes and comments."""
    lines = text.replace("\\\n", " ").splitlines()
    stated = (re.sub(r"(^|\s)(#.*|--hash=\S+)", "", line).strip() for line in lines)
    return [Requirement(line) for line in stated if line and not line.startswith("-")]


def applies(requirement: Requirement, extras: Iterable[str] = ()) -> bool:
    """Tell whether this Python on this platform needs it; `extras` are those asked for."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def read_locked_versions(lock: str) -> dict[str, str]:
    """Return the version by normalised name of what the lock installs here."""
    return {
        canonicalize_name(pin.name): str(pin.specifier).removeprefix("==")
        for pin in read_requirements(lock)
        if applies(pin)
    }


def list_installed_requirements(name: str, extras: Iterable[str]) -> list[Requirement]:
    """Return what the installed package needs here; nothing if it is not installed."""
    try:
        stated = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []
    return [one for one in map(Requirement, stated) if applies(one, extras)]


def walk(direct: Iterable[Requirement]) -> Iterator[tuple[str, Requirement]]:
    """Yield every direct and transitive requirement, with the name of what states it."""
    waiting = [("requirements.txt", one) for one in direct]
    seen = set()
    while waiting:
        stated_by, requirement = waiting.pop()
        yield stated_by, requirement
        name, extras = canonicalize_name(requirement.name), tuple(sorted(requirement.extras))
        if (name, extras) not in seen:
            seen.add((name, extras))
            waiting += ((name, one) for one in list_installed_requirements(name, extras))


def find_disagreements(direct: Iterable[Requirement], locked: dict[str, str]) -> list[str]:
    """Return a sentence for each requirement that `locked` lacks, breaks or has for nothing."""
    needed = set()
    sentences = set()
    for stated_by, requirement in walk(direct):
        name = canonicalize_name(requirement.name)
        needed.add(name)
        version = locked.get(name)
        if version is None:
            sentences.add(f"{stated_by} needs {requirement}, and the lock lacks it")
        elif not requirement.specifier.contains(version, prereleases=True):
            sentences.add(f"{stated_by} needs {requirement}, and the lock has {version}")
    sentences |= {f"the lock has {name}, and nothing needs it" for name in locked.keys() - needed}
    return sorted(sentences)


def find_other_versions(locked: dict[str, str]) -> list[str]:
    """Return a sentence for each package that is not installed as locked."""
    installed = {
        canonicalize_name(one.metadata["Name"]): one.version for one in metadata.distributions()
    }
    return [
        f"{name}: {version} in the lock, {installed.get(name, 'not')} installed"
        for name, version in sorted(locked.items())
        if installed.get(name) != version
    ]


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


@pytest.mark.slow  # so that CI runs it where it has installed the lock, not in a new user's clone
def test_lock_holds_what_the_installed_packages_need_and_nothing_else():
    locked = read_locked_versions(LOCK)
    others = "; ".join(find_other_versions(locked))
    if others and not os.environ.get("CI"):
        pytest.skip(f"pip install -r requirements.lock changes this: {others}")

    assert others == ""
    assert find_disagreements(DIRECT, locked) == []


@each_lock
def test_every_locked_package_has_hashes(lock):
    pins = re.findall(r"^\w.*", lock.replace("\\\n", " "), re.MULTILINE)

    assert len(pins) == len(read_requirements(lock)) > 0
    assert [pin for pin in pins if not re.search(r" --hash=sha256:[0-9a-f]{64}\b", pin)] == []


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
