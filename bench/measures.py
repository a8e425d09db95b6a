"""The CPU that servers take per answer, and their rates, measured in turn."""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.load import Load
from bench.service import Served

WARM_UP_S = 2
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Subject:
    """What is measured: a server, and what is asked of it."""

    name: str
    served: Served
    load: Load
    prepare: Callable[[], object] = lambda: None  # before each round, unmeasured


@dataclass(frozen=True)
class Figures:
    cpu_us: float  # of the server's processes, for each unit of work
    other_cpu_us: float  # of its database and Redis
    rate: float  # units a second


Rounds = Mapping[str, Sequence[Figures]]  # by the names of the subjects


def measure_in_turn(subjects: Sequence[Subject], rounds: int, seconds: float) -> Rounds:
    """Load one after the other, as often as there are rounds, after a warm-up.

    Figures of one round are neighbours in time: whatever else the machine does bends them alike.
    """
    for subject in subjects:
        subject.prepare()
        subject.load(WARM_UP_S)
    measured: dict[str, list[Figures]] = {subject.name: [] for subject in subjects}
    for _ in range(rounds):
        for subject in subjects:
            subject.prepare()
            measured[subject.name].append(measure(subject, seconds))
    return measured


def measure(subject: Subject, seconds: float) -> Figures:
    served = subject.served
    began_at, before, others_before = time.monotonic(), read_cpu_s(served.pid), _read_others(served)
    done = subject.load(seconds)
    cpu_s, other_cpu_s = read_cpu_s(served.pid) - before, _read_others(served) - others_before
    return Figures(
        cpu_s / done * 1e6, other_cpu_s / done * 1e6, done / (time.monotonic() - began_at)
    )


def _read_others(served: Served) -> float:
    return sum(map(read_cpu_s, served.others))


def read_cpu_s(pid: int) -> float:
    """Return the CPU time of a process and of its children, those that have ended as well.

    utime, stime, cutime and cstime of proc(5).
    """
    process = Path(f"/proc/{pid}")
    try:
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        children = (process / "task" / str(pid) / "children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0  # it has just ended, such as a worker of Postgres, and is its parent's now
    own = sum(map(int, fields[11:15])) / _TICKS_PER_S
    return own + sum(read_cpu_s(int(child)) for child in children)


def median_figures(figures: Sequence[Figures]) -> Figures:
    return Figures(
        statistics.median(one.cpu_us for one in figures),
        statistics.median(one.other_cpu_us for one in figures),
        statistics.median(one.rate for one in figures),
    )
