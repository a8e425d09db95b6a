"""Files that commands write."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from embed.domain.identifiers import make_id
from embed.errors import InvalidInput


@contextmanager
def open_output(output: str, *, is_private: bool = False) -> Iterator[IO[bytes]]:
    """Open a new file, which takes the path's place unless writing it fails.

    Standard output, devices and pipes, whose place no file may take, are written directly.
    Nobody but the user can read a private file, and it replaces none: raises InvalidInput.
    """
    path = Path(output).resolve()  # a link stays where it is
    if output == "-" or (path.exists() and not path.is_file()):
        with click.open_file(output, "wb") as stream:
            yield stream
            stream.flush()
        return
    if is_private and path.exists():
        raise InvalidInput(f"{output} exists already; remove it, or name another file.")
    new = path.with_name(f".{make_id()}.part")
    mode = 0o600 if is_private else 0o666  # before the umask
    try:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            if path.exists():
                shutil.copymode(path, new)
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
