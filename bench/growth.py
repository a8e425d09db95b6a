"""What the service adds to bare Flask on larger pages and in a larger database."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle

from bench.cases import (
    WALLETS,
    read_page,
    start_bare_flask,
    start_service,
    submit_to,
    submit_to_bare_flask,
)
from bench.load import Request, load_by_clients
from bench.measures import Rounds, Subject, measure_in_turn
from bench.running import Running
from bench.service import TrackedPage, insert, make_page, make_submission
from bench.tables import Table, format_ratios
from bench.visitors import Client, check
from embed.db.connection import db
from embed.db.models import ApiKey, Owner, Submission
from embed.domain import times
from embed.wallets.listings import update_listings

LARGE_PAGE = 10_000
PAGES, PAGE_WALLETS = 2_000, 50  # 100,000 wallets
SUBMISSIONS = 1_000_000
DOUBLINGS = 6  # after the first are made one by one


def measure_growth(running: Running, rounds: int, seconds: float) -> Table:
    added: list[TrackedPage] = []
    small = start_service(running, "small", fill=lambda owner: added.append(make_large_page(owner)))
    large = replace(small, page=added.pop())
    grown = start_service(running, "grown", fill=lambda owner: added.extend(fill(owner)))
    bare = start_bare_flask(running, small, large)
    subjects = [
        *(
            Subject(f"bare, {name}", bare, load_by_clients(read(one.page), bare.port))
            for name, one in (("small", small), ("large page", large))
        ),
        *(
            Subject(name, one.served, load_by_clients(read(*read_pages), one.served.port))
            for name, one, read_pages in (
                ("small", small, [small.page]),
                ("large page", large, [large.page]),
                ("grown", grown, [grown.page]),
                ("all pages", grown, added),
            )
        ),
        submit_to_bare_flask(bare),
        submit_to(small),
        submit_to(grown),
    ]
    for page in added:
        read_page(page).learn(grown.served.port)  # builds it, which is not what is measured
    return tabulate(measure_in_turn(subjects, rounds, seconds))


def tabulate(rounds: Rounds) -> Table:
    bare_posts = "bare Flask, two POSTs"
    small_read = list_added(rounds, "small", "bare, small")
    small_submission = list_added(rounds, "nonce and submission, small", bare_posts)
    rows = [
        (f"read of a page of {WALLETS} wallets", small_read, small_read),
        (f"of {LARGE_PAGE:,}", list_added(rounds, "large page", "bare, large page"), small_read),
        (
            "the first, in the grown database",
            list_added(rounds, "grown", "bare, small"),
            small_read,
        ),
        (
            f"of its {PAGES:,} pages in turn, {PAGE_WALLETS} wallets each",
            list_added(rounds, "all pages", "bare, small"),
            small_read,
        ),
        ("nonce and submission", small_submission, small_submission),
        (
            "the same in the grown database",
            list_added(rounds, "nonce and submission, grown", bare_posts),
            small_submission,
        ),
    ]
    title = (
        f"What is added to bare Flask; the grown database has {PAGES * PAGE_WALLETS:,} wallets"
        f" and {SUBMISSIONS:,} submissions"
    )
    return Table(
        title,
        ["", "CPU added", "times that of the small one"],
        [
            [name, f"{sorted(added)[len(added) // 2]:,.0f} µs", format_ratios(divide(added, small))]
            for name, added, small in rows
        ],
    )


def list_added(rounds: Rounds, name: str, bare: str) -> list[float]:
    pairs = zip(rounds[name], rounds[bare], strict=True)
    return [one.cpu_us - other.cpu_us for one, other in pairs]


def divide(added: Sequence[float], small: Sequence[float]) -> list[float]:
    return [one / other for one, other in zip(added, small, strict=True)]


def read(*pages: TrackedPage):
    requests = cycle([read_page(page) for page in pages])
    return partial(read_next, requests)


def read_next(requests: Iterator[Request], client: Client) -> None:
    request = next(requests)
    check(client.send("GET", request.path, request.headers), request.status)


def make_large_page(owner: Owner) -> TrackedPage:
    return make_page(owner, LARGE_PAGE, first=WALLETS)


def fill(owner: Owner) -> list[TrackedPage]:
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
