"""Measure the service as shipped against bare Flask, Isso and datasette; print tables.

    python -m bench.performance [requests growth wave] [--rounds 5]

Without a name, it measures all three. README.md explains the figures.
"""

import argparse
from collections.abc import Callable
from contextlib import ExitStack

from bench.cases import (
    VISIT,
    open_dashboard,
    open_widget,
    open_widget_again,
    read,
    read_bare_flask,
    start_bare_flask,
    submit_to,
    submit_to_bare_flask,
    visit,
)
from bench.measures import print_measured
from bench.others import list_others
from bench.service import start_service, start_services
from bench.wave import measure_waves

BUSY = 0.1  # part of a day when one core is busy
DAY_S = 24 * 60 * 60


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
        read_bare_flask(bare, services[0]),
        *map(open_widget, services),
        *(one for service in services for one in open_widget_again(service)),
        *map(submit_to, services),
        submit_to_bare_flask(bare),
        *list_others(running),
        *map(visit, services),
    ]
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
        bare = start_bare_flask(running, service)
        subjects += [
            read(service),
            read_bare_flask(bare, service, "the same bytes from bare Flask", service.name),
            open_widget(service),
            submit_to(service),
            *open_dashboard(service),
        ]
    print_measured("growth", subjects, rounds)


PARTS: dict[str, Callable[[ExitStack, int], None]] = {
    "requests": measure_requests,
    "growth": measure_growth,
    "wave": measure_waves,
}


if __name__ == "__main__":
    main()
