"""Where the processes of a service keep what they count: files that they map into memory."""

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from prometheus_client import Metric, values
from prometheus_client.multiprocess import MultiProcessCollector

from embed.metrics import counters

# Not on a disk if possible: the first write to a part of a mapped file that a full disk has no
# space for ends the process (SIGBUS).
_MEMORY_DIR = Path("/dev/shm")  # noqa: S108  # the folder in it is this user's alone
_SMALLEST_FILE = bytes(1 << 16)


def make_folder(host: str, port: int) -> Path:
    """Make the folder for the processes that export metrics at this address.

    Only whoever listens there may call this: then nobody uses the folder that a predecessor left
    which was killed, and it is emptied. Raises OSError.
    """
    folder = find_folder(host, port)
    remove_folder(folder)
    folder.mkdir(mode=0o700)
    return folder


def find_folder(host: str, port: int) -> Path:
    parent = _MEMORY_DIR if os.access(_MEMORY_DIR, os.W_OK) else Path(tempfile.gettempdir())
    return parent / f"embed-metrics-{os.geteuid()}-{host}-{port}"


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def begin_counting(folder: Path, slot: int) -> None:
    """Count from now on, into the files of a slot.

    A slot belongs to one living process at a time, and the next one goes on with its files. With
    files for each process id, as prometheus_client has it by default, they would become more with
    every worker that is recycled.
    """
    for kind in ("counter", "histogram"):
        _make_file(folder / f"{kind}_{slot}.db")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    make_class: Any = values.MultiProcessValue  # it has no types
    values.ValueClass = make_class(lambda: slot)
    for one in counters.ALL:
        one.begin()


def _make_file(path: Path) -> None:
    """Make a file at its size, as prometheus_client fails to read one that is still empty."""
    if not path.exists():
        new = path.with_suffix(".new")
        new.write_bytes(_SMALLEST_FILE)
        new.rename(path)


def read_counts(folder: Path) -> Iterable[Metric]:
    """Return the sums over all slots."""
    make_collector: Any = MultiProcessCollector  # it has no types
    metrics: Iterable[Metric] = make_collector(None, str(folder)).collect()
    return metrics
