"""A wave of visitors who come one after the other and do all at once what they came for."""

import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable

from bench.cases import Service
from bench.tables import Table
from bench.visitors import Answer, Client, Visitor, check
from embed.db.models import Submission

VISITORS, WITHIN_S = 500, 10


def measure_wave(service: Service) -> Table:
    """Let VISITORS come evenly within WITHIN_S."""
    seconds_by_step: dict[str, list[float]] = defaultdict(list)
    failures: list[Exception] = []

    def visit(delay_s: float) -> None:
        time.sleep(delay_s)  # until this visitor comes
        client = Client(service.served.port)
        try:
            for step, status, act in _list_steps(Visitor(client, service.page)):
                seconds_by_step[step].append(_time(act, status))
        except Exception as failure:  # a visitor without an answer is a result
            failures.append(failure)
        finally:
            client.close()

    before = _count_submissions(service)
    visits = [
        threading.Thread(target=visit, args=(number * WITHIN_S / VISITORS,))
        for number in range(VISITORS)
    ]
    for one in visits:
        one.start()
    for one in visits:
        one.join()
    stored = _count_submissions(service) - before
    accepted = len(seconds_by_step["submission"])
    note = (
        f"{VISITORS} visitors in {WITHIN_S} s: {len(failures)} without an answer,"
        f" {accepted} submissions accepted, {stored} in the database."
    )
    if failures:
        note += f" The first failure: {failures[0]!r}."
    rows = [_describe(step, taken) for step, taken in seconds_by_step.items()]
    head = ["", "median", "95 %", "99 %", "longest"]
    return Table(f"A wave, {service.name}", head, rows, note)


def _list_steps(visitor: Visitor) -> list[tuple[str, int, Callable[[], Answer]]]:
    return [
        ("widget page", 200, visitor.open_widget),
        ("read", 200, visitor.read),
        ("nonce", 200, visitor.ask_nonce),
        ("submission", 201, visitor.submit),
    ]


def _time(act: Callable[[], Answer], status: int) -> float:
    began_at = time.monotonic()
    check(act(), status)
    return time.monotonic() - began_at


def _count_submissions(service: Service) -> int:
    with service.change_database():
        return int(Submission.select().count())


def _describe(step: str, taken: list[float]) -> list[str]:
    cuts = statistics.quantiles(taken, n=100)
    figures = (cuts[49], cuts[94], cuts[98], max(taken))
    return [step, *(f"{1000 * one:,.0f} ms" for one in figures)]
