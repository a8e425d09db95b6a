"""Sums are right whichever of several workers counts and answers, and whatever becomes of them."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from metered import READ, Metered, run_metered
from support.remote import at_once
from support.waiting import LIMIT_S, wait_for

pytestmark = pytest.mark.slow

WORKERS = 2


@pytest.fixture
def two_workers(make_sqlite, redis_url):
    arguments = ("--workers", str(WORKERS))
    with run_metered(make_sqlite(), *arguments, RATELIMIT_STORAGE_URI=redis_url) as metered:
        wait_for(lambda: len(metered.list_workers()) == WORKERS)
        yield metered


def read_until_all_count(metered: Metered) -> int:
    """Read until each worker has counted something; return how many reads that took."""
    reads = 0
    deadline = time.monotonic() + LIMIT_S
    while not all(metered.count_reads_by_slot()):
        at_once([metered.read] * 8)
        reads += 8
        assert time.monotonic() < deadline, metered.count_reads_by_slot()
    return reads


def test_counts_of_killed_and_reloaded_workers_are_kept_and_their_successors_go_on(two_workers):
    reads = read_until_all_count(two_workers)

    for _ in range(3):
        before = two_workers.list_workers()
        os.kill(min(before), signal.SIGKILL)
        wait_for(lambda known=before: two_workers.list_workers() - known)
        two_workers.read(5)
        reads += 5
        assert two_workers.count_reads() == reads

    assert len(two_workers.count_reads_by_slot()) == WORKERS

    before = two_workers.list_workers()

    os.kill(two_workers.server.pid, signal.SIGHUP)
    wait_for(lambda: len(two_workers.list_workers() - before) == WORKERS)
    wait_for(lambda: not two_workers.list_workers() & before)
    two_workers.read(5)

    assert two_workers.count_reads() == reads + 5
    assert len(two_workers.count_reads_by_slot()) <= 2 * WORKERS


def test_recycled_workers_lose_no_request_and_no_count_and_leave_no_files(make_sqlite, redis_url):
    options = ("--workers", str(WORKERS), "--max-requests", "10", "--max-requests-jitter", "0")
    with run_metered(make_sqlite(), *options, RATELIMIT_STORAGE_URI=redis_url) as metered:
        wait_for(lambda: len(metered.list_workers()) == WORKERS)
        first = metered.list_workers()
        for _ in range(20):
            at_once([metered.read] * 4)
        wait_for(lambda: metered.list_workers() - first)

        assert metered.count_reads() == 80
        assert len(metered.count_reads_by_slot()) <= 2 * WORKERS


def test_every_request_counts_once_and_every_worker_answers_for_all(two_workers):
    """Sums never fall under a load, and are exact after it."""
    before = read_until_all_count(two_workers)
    is_over = Event()

    def load() -> int:
        reads = 0
        while not is_over.is_set():
            two_workers.read()
            reads += 1
        return reads

    with ThreadPoolExecutor(4) as pool:
        loads = [pool.submit(load) for _ in range(4)]
        try:
            seen = [two_workers.count_reads() for _ in range(40)]
        finally:
            is_over.set()
        reads = before + sum(one.result(LIMIT_S) for one in loads)

    assert seen == sorted(seen)
    found = [two_workers.scrape() for _ in range(20)]
    assert {one.sum("embed_http_requests_total", route=READ) for one in found} == {reads}
    duration = "embed_http_request_duration_seconds_count"
    assert {one.sum(duration, route=READ) for one in found} == {reads}


def test_restart_after_a_power_failure_counts_from_zero(make_sqlite):
    with run_metered(make_sqlite()) as metered:
        metered.read(3)
        metered.server.kill()
        assert list(metered.folder.glob("*.db")) != []

        metered.server.start()

        assert metered.count_reads() == 0
        metered.read()
        assert metered.count_reads() == 1
        folder = metered.folder

    assert not folder.exists()


def test_worker_without_its_folder_serves_all_the_same(make_sqlite):
    with run_metered(make_sqlite()) as metered:
        wait_for(metered.list_workers)
        (old,) = metered.list_workers()
        for file in metered.folder.iterdir():
            file.unlink()
        metered.folder.rmdir()
        os.kill(old, signal.SIGKILL)
        wait_for(lambda: metered.list_workers() - {old})

        metered.read(3)


def test_servers_of_one_machine_count_apart(make_sqlite):
    with run_metered(make_sqlite()) as one, run_metered(make_sqlite()) as other:
        one.read(2)
        other.read(3)

        assert (one.count_reads(), other.count_reads()) == (2, 3)
