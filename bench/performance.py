"""Measure the service as shipped against bare Flask, Isso and datasette; print tables.

    python -m bench.performance [requests growth wave] [--rounds 5]

Without a name, it measures all three. README.md explains the figures.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager

from support.world import Visitor, with_session

from bench.cases import (
    VISIT,
    open_dashboard,
    open_part,
    open_widget,
    open_widget_again,
    read,
    read_datasette,
    submit,
    submit_to_bare_flask,
    use_isso,
    visit,
)
from bench.clients import Client
from bench.measures import print_measured, print_table
from bench.others import start_afternoon, start_bare_flask, start_datasette, start_isso
from bench.service import Service, if_available, start_service, start_services

BUSY = 0.1  # part of a day when one core is busy
DAY_S = 24 * 60 * 60
WAVE, WITHIN_S = 500, 10  # visitors, who come one after the other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", choices=PARTS, nargs="*", default=list(PARTS), metavar="PART")
    parser.add_argument("--rounds", type=int, default=5, help="of a second each; default: 5")
    options = parser.parse_args()
    for part in options.parts:
        with ExitStack() as running:
            PARTS[part](running, options.rounds)


def measure_requests(running: ExitStack, rounds: int) -> None:
    services = start_services(running)
    bare = start_bare_flask(running, services[0])
    subjects = [
        *map(read, services),
        read(bare),
        read(start_afternoon(running, services[0])),
        *map(open_widget, services),
        *(one for service in services for one in open_widget_again(service)),
        *(one for service in services for one in open_part(service)),
        *map(submit, services),
        submit_to_bare_flask(bare),
        *map(visit, services),
    ]
    with if_available("Isso"):
        subjects += use_isso(start_isso(running))
    with if_available("datasette"):
        subjects.append(read_datasette(start_datasette(running)))
    cpu_us = print_measured("requests", subjects, rounds)
    for service in services:
        visitors = DAY_S * BUSY / cpu_us[VISIT, service.name] * 1e6
        print(
            f"{service.name}: one core that is busy for {BUSY:.0%} of the day carries"
            f" {round(visitors, -3):,.0f} visitors a day."
        )
    print()


def measure_growth(running: ExitStack, rounds: int) -> None:
    small = start_service(running, "100 wallets")
    large = start_service(
        running,
        "10,000 wallets, 100,000 submissions",
        wallets=10_000,
        submissions=100_000,
        small_pages=19,
    )
    subjects = []
    for service in (small, large):
        bare = start_bare_flask(running, service, service.name)
        subjects += [
            read(service),
            read(bare, "the same bytes from bare Flask"),
            open_widget(service),
            submit(service),
            *open_part(service),
            *open_dashboard(service),
        ]
    print_measured("growth", subjects, rounds)


def measure_waves(running: ExitStack, _rounds: int) -> None:
    """Let visitors come within seconds of a change of the list."""
    cells = {}
    for service in start_services(running):
        with closing(Client(service)) as client:
            answer = client.submit(with_session(client), status=201)
            service.decide(client, "approve", [answer.json["submissionId"]])
        taken_by_step, failures = send_wave(service)
        for step, taken in taken_by_step.items():
            cuts = statistics.quantiles(taken, n=100)
            figures = (cuts[49], cuts[98], max(taken))
            cells[step, service.name] = " / ".join(f"{1000 * one:,.0f}" for one in figures)
        cells["visitors without an answer", service.name] = str(failures)
    print_table(f"{WAVE} visitors in {WITHIN_S} s: ms (median / 99 % / longest)", cells)


def send_wave(service: Service) -> tuple[dict[str, list[float]], int]:
    """Return the seconds that each step took, and how many visitors got no answer."""
    taken: dict[str, list[float]] = {}

    @contextmanager
    def timing(step: str) -> Iterator[None]:
        began_at = time.monotonic()
        yield
        taken.setdefault(step, []).append(time.monotonic() - began_at)

    def come(number: int) -> bool:
        time.sleep(number * WITHIN_S / WAVE)  # until it's this visitor's turn
        visitor = Visitor()
        with closing(Client(service)) as client:
            try:
                with timing("widget page"):
                    client.open_widget(visitor)
                with timing("read of the list"):
                    client.read()
                with timing("nonce"):
                    nonce = client.ask_nonce(visitor).json
                draft = client.draft(visitor, nonce=nonce)
                with timing("submission"):
                    client.post(draft, cookie=visitor.cookie, status=201)
            except Exception:  # no answer is a result
                return False
        return True

    with ThreadPoolExecutor(WAVE) as pool:
        return taken, list(pool.map(come, range(WAVE))).count(False)


PARTS: dict[str, Callable[[ExitStack, int], None]] = {
    "requests": measure_requests,
    "growth": measure_growth,
    "wave": measure_waves,
}


if __name__ == "__main__":
    main()
