"""What the processes of bench/soak.py take: memory, threads, open files, the database's size."""

from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench.soak_service import Service

MIB = 1024 * 1024


@dataclass(frozen=True)
class Sample:
    at_s: float  # since the load began
    memory_mib: float  # PSS: what processes share counts once
    threads: int
    open_files: int
    database_mib: float


class Sampler:
    def __init__(self, service: Service) -> None:
        self.samples: list[Sample] = []
        self._service = service

    def take(self, at_s: float) -> None:
        processes = [one for pid in self._service.process_ids for one in _list_family(pid)]
        sample = Sample(
            at_s,
            sum(map(_read_pss_kib, processes)) / 1024,
            sum(len(list((one / "task").iterdir())) for one in processes),
            sum(len(list((one / "fd").iterdir())) for one in processes),
            _read_database_bytes(self._service.database_url) / MIB,
        )
        self.samples.append(sample)


def _list_family(pid: int) -> list[Path]:
    """Return a process and its children, as folders of /proc."""
    folder = Path(f"/proc/{pid}")
    children = (folder / "task" / str(pid) / "children").read_text().split()
    return [folder, *(each for child in children for each in _list_family(int(child)))]


def _read_pss_kib(process: Path) -> int:
    lines = (process / "smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _read_database_bytes(database_url: str) -> int:
    if database_url.startswith("sqlite:///"):
        file = Path(database_url.removeprefix("sqlite:///"))
        return sum(each.stat().st_size for each in file.parent.glob(f"{file.name}*"))
    with psycopg.connect(database_url) as database:
        row = database.execute("SELECT pg_database_size(current_database())").fetchone()
        return int(row[0]) if row else 0
