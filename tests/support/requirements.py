"""Reads requirements.txt and requirements.lock, and compares them with what packages need."""

import re
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# What a package with these extras requires here.
Requires = Callable[[str, Iterable[str]], list[Requirement]]


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


def walk(direct: Iterable[Requirement], requires: Requires) -> Iterator[tuple[str, Requirement]]:
    """Yield every direct and transitive requirement, with the name of what states it."""
    waiting = [("requirements.txt", one) for one in direct]
    seen = set()
    while waiting:
        stated_by, requirement = waiting.pop()
        yield stated_by, requirement
        name, extras = canonicalize_name(requirement.name), tuple(sorted(requirement.extras))
        if (name, extras) not in seen:
            seen.add((name, extras))
            waiting += ((name, one) for one in requires(name, extras))


def find_disagreements(
    direct: Iterable[Requirement], locked: dict[str, str], requires: Requires
) -> list[str]:
    """Return a sentence for each requirement that `locked` lacks, breaks or has for nothing."""
    needed = set()
    sentences = set()
    for stated_by, requirement in walk(direct, requires):
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
