"""What the service adds to bare Flask on larger pages and in a larger database."""

import statistics
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle

from bench.cases import (
    WALLETS,
    Service,
    read,
    read_bare_flask,
    read_page,
    start_bare_flask,
    start_service,
    submit_to,
    submit_to_bare_flask,
)
from bench.load import load_by_clients
from bench.measures import Rounds, Subject, measure_in_turn
from bench.running import Running
from bench.service import TrackedPage, insert, make_page, make_submission
from bench.tables import Table, format_ratios, get_cpu_us, list_ratios
from bench.visitors import Client, check
from embed.db.connection import db
from embed.db.models import ApiKey, Person, Submission
from embed.domain import times
from embed.wallets.listings import update_listings

LARGE_PAGE = 10_000
PAGES, PAGE_WALLETS = 2_000, 50  # 100,000 wallets
SUBMISSIONS = 1_000_000
DOUBLINGS = 6  # after the first are made one by one
SHIPPED_WORKER = "embed.server.worker.BufferingWorker"


def measure_growth(running: Running, rounds: int, seconds: float) -> Table:
    added: list[TrackedPage] = []
    small = start_service(running, "small", fill=lambda owner: added.append(make_large_page(owner)))
    large = replace(small, name="large page", page=added.pop())
    grown = start_service(running, "large database", fill=lambda owner: added.extend(fill(owner)))
    bare = start_bare_flask(running, small, large, worker=SHIPPED_WORKER)
    subjects = [
        *(
            replace(read_bare_flask(bare, service), name=f"bare Flask, {service.name}")
            for service in (small, large)
        ),
        *map(read, (small, large, grown)),
        read_in_turn("its first page", grown, [grown.page]),
        read_in_turn("all its pages", grown, added),
        submit_to_bare_flask(bare),
        submit_to(small),
        submit_to(grown),
    ]
    for page in added:
        read_page(page).learn(grown.served.port)  # builds it, which is not what is measured
    return tabulate(measure_in_turn(subjects, rounds, seconds))


def tabulate(rounds: Rounds) -> Table:
    bare_posts = "bare Flask, two POSTs"
    read = list_added(rounds, "read, small", "bare Flask, small")
    large_read = list_added(rounds, "read, large page", "bare Flask, large page")
    grown_read = list_added(rounds, "read, large database", "bare Flask, small")
    submission = list_added(rounds, "nonce and submission, small", bare_posts)
    grown_submission = list_added(rounds, "nonce and submission, large database", bare_posts)
    in_turn = list_ratios(rounds["all its pages"], rounds["its first page"], get_cpu_us)
    note = (
        "Added to bare Flask on the service's own worker. The large database has"
        f" {PAGES * PAGE_WALLETS:,} wallets on {PAGES:,} pages, and {SUBMISSIONS:,} submissions."
    )
    rows = [
        [f"read of {WALLETS} wallets", format_added(read), ""],
        [f"read of {LARGE_PAGE:,} wallets", *compare(large_read, read)],
        ["read in the large database", *compare(grown_read, read)],
        ["reads of all its pages in turn, beside one of them", "", format_ratios(in_turn)],
        ["nonce and submission", format_added(submission), ""],
        ["nonce and submission in the large database", *compare(grown_submission, submission)],
    ]
    return Table("Growth", ["", "CPU added", "times as much"], rows, note)


def list_added(rounds: Rounds, name: str, bare: str) -> list[float]:
    pairs = zip(rounds[name], rounds[bare], strict=True)
    return [one.cpu_us - other.cpu_us for one, other in pairs]


def compare(added: Sequence[float], small: Sequence[float]) -> tuple[str, str]:
    """Return what is added, and how many times as much that is, by the medians of all rounds."""
    times = statistics.median(added) / statistics.median(small)
    return format_added(added), f"{times:.2f}"


def format_added(added: Sequence[float]) -> str:
    return f"{statistics.median(added):,.0f} µs ({min(added):,.0f} to {max(added):,.0f})"


def read_in_turn(name: str, service: Service, pages: Sequence[TrackedPage]) -> Subject:
    """Return reads of many pages, for which wrk has no simple way."""
    requests = cycle([read_page(page) for page in pages])

    def work(client: Client) -> None:
        request = next(requests)
        check(client.send("GET", request.path, request.headers), request.status)

    return Subject(name, service.served, load_by_clients(work, service.served.port))


def make_large_page(owner: Person) -> TrackedPage:
    return make_page(owner, LARGE_PAGE, first=WALLETS)


def fill(owner: Person) -> list[TrackedPage]:
    """Add PAGES pages and SUBMISSIONS decided submissions; return the pages.

    Their feeds are brought up to date as well, as the service would begin with that.
    """
    db.execute_sql("PRAGMA cache_size = -400000")  # in KiB: filling is three times as fast
    pages = [
        make_page(owner, PAGE_WALLETS, first=WALLETS + number * PAGE_WALLETS)
        for number in range(PAGES)
    ]
    keys = [(key.page_id, key.id) for key in ApiKey.select()]
    templates = SUBMISSIONS // 2**DOUBLINGS
    insert(
        Submission,
        (make_submission(*keys[number % len(keys)], number) for number in range(templates)),
    )
    for number in range(DOUBLINGS):
        double_submissions(number)
    update_listings(times.now())
    return pages


def double_submissions(number: int) -> None:
    """Copy all submissions, with another character at this place of their ids and wallets."""
    columns = [field.column_name for field in Submission._meta.sorted_fields]
    changed = {
        name: f"substr({name}, 1, {number}) || '-' || substr({name}, {number + 2})"
        for name in ("id", "session_id", "wallet_address")
    }
    values = ", ".join(changed.get(name, name) for name in columns)
    db.execute_sql(
        f"INSERT INTO submission ({', '.join(columns)}) SELECT {values} FROM submission"  # noqa: S608 -- names of ours
    )
