"""Checks the service's files, their permissions, and the disk."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from embed.doctor.findings import Finding
from embed.doctor.variables import Installation
from embed.settings import find_database_file

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_ENTER = stat.S_IXGRP | stat.S_IXOTH
_COMPANIONS = ("", "-wal", "-shm")  # of a SQLite database
_ROOT = 0
_LEAST_FREE_BYTES = 200 * 1024 * 1024


def check_files(installation: Installation, user_id: int) -> Iterator[Finding]:
    """Check files as the user `user_id` would; for root, as their folder's owner."""
    paths = _list_files(installation)
    for folder in sorted({path.parent for path in paths}):
        if not os.path.isdir(folder):  # noqa: PTH112  # Path.is_dir raises without permission
            continue
        found = folder.stat()
        service_id = found.st_uid if user_id == _ROOT else user_id
        if found.st_mode & _OTHERS_WRITE:
            yield _describe_exposed(folder, 700)
        yield from _check_writable(folder, service_id)
        for path in paths:
            # Finds none if this user can't enter the folder, which is its own finding.
            if path.parent == folder and os.path.isfile(path):  # noqa: PTH113  # as above
                if path.stat().st_mode & _OTHERS and found.st_mode & _OTHERS_ENTER:
                    yield _describe_exposed(path, 600)
                yield from _check_writable(path, service_id)
        free = shutil.disk_usage(folder).free
        if free < _LEAST_FREE_BYTES:
            yield Finding(
                "disk_nearly_full",
                f"The disk of {folder} has {free // 1024**2:,} MiB left. Once it is full,"
                " everything that writes answers 503.",
                "Free some space, or move the database to a larger disk.",
            )


def _list_files(installation: Installation) -> list[Path]:
    """Return the service's files, whether they exist or not."""
    database = find_database_file(installation.settings.database_url)
    key_file = installation.key_file
    files = [] if key_file is None else [key_file]
    if database is not None:
        files += [database.with_name(database.name + end) for end in _COMPANIONS]
    return files


def _describe_exposed(path: Path, mode: int) -> Finding:
    return Finding(
        "file_exposed",
        f"Other users of this machine may read or write {path}.",
        f"chmod {mode} {path}",
    )


def _check_writable(path: Path, service_id: int) -> Iterator[Finding]:
    found = path.stat()
    if found.st_uid != service_id or not (
        found.st_mode & stat.S_IWUSR and os.access(path, os.R_OK | os.W_OK)
    ):
        yield Finding(
            "file_not_writable",
            f"The service can't write {path}, or the file doesn't belong to the service's user,"
            f" whose number is {service_id}.",
            f"chown {service_id} {path}; chmod u+rwX {path}; and check that its file system isn't"
            " mounted read-only. Run commands as the service's user.",
        )
