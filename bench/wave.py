"""A wave of visitors who come within seconds of a change of the list."""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

from bench.clients import Client, Owner, Visitor
from bench.measures import print_table
from bench.service import Service, start_services

VISITORS, WITHIN_S = 500, 10


def measure_waves(running: ExitStack, _rounds: int) -> None:
    cells = {}
    for service in start_services(running):
        taken_by_step, failures = send_wave(service)
        for step, taken in taken_by_step.items():
            cuts = statistics.quantiles(taken, n=100)
            figures = (cuts[49], cuts[98], max(taken))
            cells[step, service.name] = " / ".join(f"{1000 * one:,.0f}" for one in figures)
        cells["visitors without an answer", service.name] = str(failures)
    print_table(f"{VISITORS} visitors in {WITHIN_S} s: ms (median / 99 % / longest)", cells)


def send_wave(service: Service) -> tuple[dict[str, list[float]], int]:
    """Return the seconds that each step took, and how many visitors got no answer."""
    taken: dict[str, list[float]] = {}

    def visit(number: int) -> bool:
        time.sleep(number * WITHIN_S / VISITORS)  # until it's this visitor's turn
        with closing(Client(service.port)) as client:
            visitor = Visitor(client, service.page)
            steps = {
                "widget page": visitor.open_widget,
                "read of the list": visitor.read,
                "nonce": visitor.ask_nonce,
                "submission": visitor.submit,
            }
            try:
                for name, act in steps.items():
                    began_at = time.monotonic()
                    act()
                    taken.setdefault(name, []).append(time.monotonic() - began_at)
            except Exception:  # no answer is a result
                return False
        return True

    change_list(service)
    with ThreadPoolExecutor(VISITORS) as pool:
        return taken, list(pool.map(visit, range(VISITORS))).count(False)


def change_list(service: Service) -> None:
    """Approve a submission."""
    with closing(Client(service.port)) as client:
        visitor = Visitor(client, service.page)
        visitor.open_widget()
        visitor.ask_nonce()
        visitor.submit()
        Owner(client).decide(client, service.page, "approve", [visitor.submission_id])
