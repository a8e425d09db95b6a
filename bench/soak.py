"""Load the service for minutes, and check that memory, threads and open files don't grow.

    python -m bench.soak [--minutes 10]

All databases are loaded at once. Exits with status 1 if an answer is wrong, or something has a
growing trend in the second half; in the first half, caches fill and threads start.
"""

import argparse
import statistics
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

from support.servers import list_children
from support.world import Visitor

from bench.clients import Client
from bench.measures import load, print_table
from bench.service import Service, start_services

SAMPLE_EVERY_S = 5
CLIENTS, VISITORS = 4, 200  # clients per service, and visitors per client between decisions
MOST_GROWTH = 0.15


class Sample(NamedTuple):
    memory_kib: int  # PSS: shared memory counts once
    threads: int
    open_files: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="default: 10")
    seconds = parser.parse_args().minutes * 60
    cells, has_grown = {}, False
    with ExitStack() as running:
        services = start_services(running)
        pool = running.enter_context(ThreadPoolExecutor())
        loads = [
            pool.submit(load, service, partial(come_and_go, service), seconds, CLIENTS)
            for service in services
        ]
        samples: list[list[Sample]] = []
        while wait(loads, SAMPLE_EVERY_S).not_done:
            samples.append([take_sample(service) for service in services])
        for number, service in enumerate(services):
            cells["visitors", service.name] = f"{VISITORS * loads[number].result():,}"
            for name in Sample._fields:
                counts = [getattr(taken[number], name) for taken in samples]
                growth = compute_growth(counts[len(counts) // 2 :])
                cells[name, service.name] = f"{counts[0]:,} to {counts[-1]:,}: {growth:+.1%}"
                has_grown |= growth > MOST_GROWTH
    print_table("soak", cells)
    return int(has_grown)


def come_and_go(service: Service, client: Client) -> None:
    """Do everything that VISITORS do, then reject their submissions. Raises WrongAnswer.

    All are rejected at once, since each decision leaves copies of the changed page in memory for a
    while, up to some MB in total.
    """
    ids = []
    for _ in range(VISITORS):
        visitor = Visitor()
        client.open_widget(visitor)
        client.read()
        ids.append(client.submit(visitor, status=201).json["submissionId"])
        client.list_own(visitor)
    service.decide(client, "reject", ids)


def take_sample(service: Service) -> Sample:
    processes = [Path(f"/proc/{pid}") for pid in (service.pid, *list_children(service.pid))]
    pss = [(one / "smaps_rollup").read_text().partition("\nPss:")[2] for one in processes]
    return Sample(
        sum(int(text.split()[0]) for text in pss),
        sum(len(list((one / "task").iterdir())) for one in processes),
        sum(len(list((one / "fd").iterdir())) for one in processes),
    )


def compute_growth(counts: Sequence[int]) -> float:
    """Return their relative growth from first to last, by linear regression."""
    slope, start = statistics.linear_regression(range(len(counts)), counts)
    return slope * len(counts) / start


if __name__ == "__main__":
    sys.exit(main())
