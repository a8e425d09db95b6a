"""Measures servers' CPU per unit of work, and their rates, in turn."""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from support.servers import list_children

from bench.clients import Client, Server

CLIENTS = 8
ROUND_S = 1
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")

Work = Callable[[Client], object]  # does one counted unit; raises WrongAnswer


@dataclass(frozen=True)
class Subject:
    """A row of a table, a measured server, which is the column, and its repeated work."""

    row: str
    server: Server
    work: Work
    prepare: Callable[[], object] = lambda: None  # before each round, unmeasured


class Figures(NamedTuple):
    cpu_us: float  # per unit of work
    rate: float  # units per second


def measure_in_turn(subjects: Sequence[Subject], rounds: int) -> list[list[Figures]]:
    """Load the subjects one after the other in each round; return each subject's figures.

    Figures of one round are close in time, so other work on the machine affects them alike.
    """
    for subject in subjects:
        _measure(subject)  # a warm-up
    measured = [[_measure(subject) for subject in subjects] for _ in range(rounds)]
    return [list(figures) for figures in zip(*measured, strict=True)]


def _measure(subject: Subject) -> Figures:
    subject.prepare()
    began_at, before = time.monotonic(), _read_cpu_s(subject.server)
    done = load(subject.server, subject.work, ROUND_S)
    cpu_s = _read_cpu_s(subject.server) - before
    return Figures(cpu_s / done * 1e6, done / (time.monotonic() - began_at))


def load(server: Server, work: Work, seconds: float, clients: int = CLIENTS) -> int:
    """Repeat the work with several clients at once; return how often."""
    ends_at = time.monotonic() + seconds

    def run(_number: int) -> int:
        done = 0
        with closing(Client(server)) as client:
            while time.monotonic() < ends_at:
                work(client)
                done += 1
        return done

    with ThreadPoolExecutor(clients) as pool:
        return sum(pool.map(run, range(clients)))


def _read_cpu_s(server: Server) -> float:
    """Return the CPU time of a server's processes and their children, including ended ones."""
    ticks = 0
    for parent in (server.pid, *server.others):
        for pid in (parent, *list_children(parent)):
            # If it has just ended, such as a Postgres worker, it now counts as its parent's.
            with suppress(FileNotFoundError, ProcessLookupError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                ticks += sum(map(int, fields[11:15]))  # utime, stime, cutime, cstime: proc(5)
    return ticks / _TICKS_PER_S


def print_measured(
    title: str, subjects: Sequence[Subject], rounds: int
) -> dict[tuple[str, str], float]:
    """Print two tables, and return the CPU in µs by row and column, as medians of the rounds."""
    places = [(subject.row, subject.server.name) for subject in subjects]
    measured = measure_in_turn(subjects, rounds)
    cpu_us = [statistics.median(one.cpu_us for one in figures) for figures in measured]
    rates = [statistics.median(one.rate for one in figures) for figures in measured]
    for name, values in (("CPU in µs", cpu_us), ("how many a second", rates)):
        cells = {place: f"{value:,.0f}" for place, value in zip(places, values, strict=True)}
        print_table(f"{title}: {name}", cells)
    return dict(zip(places, cpu_us, strict=True))


def print_table(title: str, cells: Mapping[tuple[str, str], str]) -> None:
    """Print a Markdown table of cells by row and column, in their order of appearance."""
    columns = list(dict.fromkeys(column for _, column in cells))
    lines = [[title, *columns], ["---"] * (1 + len(columns))]
    for row in dict.fromkeys(row for row, _ in cells):
        lines.append([row, *(cells.get((row, column), "") for column in columns)])
    print("\n".join(f"| {' | '.join(line)} |" for line in lines), end="\n\n", flush=True)
