"""Check of the files that the service keeps: who may read and write them, and the disk."""

import os
import pwd
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from embed.doctor.findings import Finding
from embed.doctor.variables import Installation
from embed.settings import find_database_file

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MAY_ENTER = stat.S_IXGRP | stat.S_IXOTH
_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_COMPANIONS = ("", "-wal", "-shm")  # of a SQLite database
_ROOT = 0

_MIB = 1024 * 1024
_LEAST_FREE_BYTES, _ENOUGH_FREE_BYTES = 100 * _MIB, 1024 * _MIB
_LEAST_FREE_SHARE = 0.05


def list_files(installation: Installation) -> list[Path]:
    """Return the files that the service keeps, whether they exist or not."""
    database = find_database_file(installation.settings.database_url)
    every: list[Path] = []
    if database is not None:
        every += [database.with_name(database.name + end) for end in _COMPANIONS]
    if installation.key_file is not None:
        every.append(installation.key_file)
    return every


def check_files(installation: Installation, user_id: int) -> Iterator[Finding]:
    """Look at files as the user `user_id` would; for root, as the owner of their folder."""
    paths = list_files(installation)
    for folder in sorted({path.parent for path in paths}):
        if not os.path.isdir(folder):  # noqa: PTH112  # Path.is_dir raises where it may not look
            continue
        owner_id = folder.stat().st_uid
        service_id = owner_id if user_id == _ROOT else user_id
        yield from _check_folder(folder, service_id)
        for path in paths:
            # None of them, if this user may not enter the folder, which is a finding then.
            if path.parent == folder and os.path.isfile(path):  # noqa: PTH113  # as above
                yield from _check_file(path, service_id)
        if user_id == _ROOT and owner_id != _ROOT:
            yield Finding(
                "runs_as_another_user",
                f"This command runs as root, and {folder} belongs to {_name(owner_id)}. Files that"
                " other commands create as root cannot be used by the service.",
                f"Run commands as its user: runuser -u {_name(owner_id)} -- .venv/bin/flask doctor",
            )


def _check_folder(folder: Path, service_id: int) -> Iterator[Finding]:
    found = folder.stat()
    if found.st_mode & _MAY_WRITE:
        yield Finding(
            "folder_exposed",
            f"Other users of this machine may write in {folder}, and replace what is kept there.",
            f"chmod 700 {folder}",
        )
    if found.st_uid != service_id:
        yield _describe_owner(folder, service_id)
    total, _, free = shutil.disk_usage(folder)
    # 5 %, within 100 MiB and 1 GiB.
    if free < max(_LEAST_FREE_BYTES, min(total * _LEAST_FREE_SHARE, _ENOUGH_FREE_BYTES)):
        yield Finding(
            "disk_nearly_full",
            f"The disk of {folder} has {free // _MIB:,} MiB left of {total // _MIB:,}. Once it is"
            " full, everything that writes answers 503.",
            "Free some space, or move the database to a larger disk.",
        )


def _check_file(path: Path, service_id: int) -> Iterator[Finding]:
    found = path.stat()
    if found.st_mode & _OTHERS and path.parent.stat().st_mode & _MAY_ENTER:
        yield Finding(
            "file_exposed",
            f"Other users of this machine may read or write {path}.",
            f"chmod 600 {path}",
        )
    if found.st_uid != service_id:
        yield _describe_owner(path, service_id)
    elif not (found.st_mode & stat.S_IWUSR and os.access(path, os.R_OK | os.W_OK)):
        yield Finding(
            "file_not_writable",
            f"The service cannot write {path}.",
            f"chmod 600 {path}, and make sure that its file system is not mounted read-only.",
        )


def _describe_owner(path: Path, service_id: int) -> Finding:
    service = _name(service_id)
    return Finding(
        "file_of_another_user",
        f"{path} belongs to {_name(path.stat().st_uid)}, and the service's user is {service}.",
        f"chown {'-R ' if path.is_dir() else ''}{service} {path}",
    )


def _name(user_id: int) -> str:
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:  # as in a container
        return str(user_id)
