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

_MEMORY_DIR = Path("/dev/shm")  # noqa: S108  # the folder in it is this user's alone
# With room for every series. A file that grows takes its space only when it is written to, which
# ends the process (SIGBUS) where there is none left.
_FILE_BYTES = 1 << 20


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
    """Make a file with all its space, as prometheus_client also fails to read an empty one."""
    if not path.exists():
        new = path.with_suffix(".new")
        new.write_bytes(bytes(_FILE_BYTES))
        new.rename(path)


def read_counts(folder: Path) -> Iterable[Metric]:
    """Return the sums over all slots."""
    make_collector: Any = MultiProcessCollector  # it has no types
    metrics: Iterable[Metric] = make_collector(None, str(folder)).collect()
    return metrics
