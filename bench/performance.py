"""Measure the service as it ships beside bare Flask, Isso and datasette; print tables of it.

    python bench/performance.py [--rounds 5] [--seconds 2] [--only PART ...] [--plot FILE]

Each server is started as its own docs say, on loopback addresses and in temporary folders. They
are loaded in turn, and the CPU of their processes is divided by their answers.
bench/README.md tells how to read the tables.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

PROJECT_DIR = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT_DIR), str(PROJECT_DIR / "tests")]

from bench import plot
from bench.cases import (
    approve_in_presses,
    list_visits,
    open_widget,
    poll,
    read,
    read_bare_flask,
    start_bare_flask,
    start_metered,
    start_services,
    submit_to,
    submit_to_bare_flask,
)
from bench.growth import measure_growth
from bench.measures import measure_in_turn
from bench.others import list_other_pages, list_other_reads, list_other_writes
from bench.running import Running
from bench.tables import Table, tabulate, tabulate_approvals, tabulate_visits
from bench.wave import measure_wave

APPROVALS = 20  # in one press, beside one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    parser.add_argument("--seconds", type=int, default=2, help="of each load; default: 2")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS), metavar="PART")
    parser.add_argument("--plot", type=Path, help="the SVG file to write")
    options = parser.parse_args()
    tables: list[Table] = []
    for part in options.only:
        with Running() as running:
            for table in PARTS[part](running, options.rounds, options.seconds):
                print(f"{table}\n", flush=True)
                tables.append(table)
            for sentence in running.missing:
                print(f"{sentence}\n", flush=True)
    if options.plot:
        options.plot.write_text(plot.draw(tables))


def measure_reads(running: Running, rounds: int, seconds: float) -> Iterator[Table]:
    services = start_services(running)
    bare = read_bare_flask(start_bare_flask(running, services[0]), services[0])
    subjects = [
        bare,
        *map(read, [*services, start_metered(running)]),
        *map(poll, services),
        *list_other_reads(running),
    ]
    yield tabulate("Reads", measure_in_turn(subjects, rounds, seconds))


def measure_pages(running: Running, rounds: int, seconds: float) -> Iterator[Table]:
    services = start_services(running)
    subjects = [*map(open_widget, services), *list_other_pages(running)]
    yield tabulate("Pages", measure_in_turn(subjects, rounds, seconds))


def measure_submissions(running: Running, rounds: int, seconds: float) -> Iterator[Table]:
    services = start_services(running)
    bare = submit_to_bare_flask(start_bare_flask(running))
    subjects = [bare, *map(submit_to, services), *list_other_writes(running)]
    yield tabulate("Submissions", measure_in_turn(subjects, rounds, seconds))


def measure_approvals(running: Running, rounds: int, seconds: float) -> Iterator[Table]:
    measured = {
        service.name: measure_in_turn(approve_in_presses(service, 1, APPROVALS), rounds, seconds)
        for service in start_services(running)
    }
    yield tabulate_approvals(measured)


def measure_visits(running: Running, rounds: int, seconds: float) -> Iterator[Table]:
    subjects = [one for service in start_services(running) for one in list_visits(service)]
    yield tabulate_visits(measure_in_turn(subjects, rounds, seconds))


def measure_growing(running: Running, rounds: int, seconds: float) -> Iterator[Table]:
    yield measure_growth(running, rounds, seconds)


def measure_waves(running: Running, _rounds: int, _seconds: float) -> Iterator[Table]:
    yield from map(measure_wave, start_services(running))


PARTS: dict[str, Callable[[Running, int, float], Iterator[Table]]] = {
    "reads": measure_reads,
    "pages": measure_pages,
    "submissions": measure_submissions,
    "approvals": measure_approvals,
    "visits": measure_visits,
    "growth": measure_growing,
    "wave": measure_waves,
}


if __name__ == "__main__":
    main()
