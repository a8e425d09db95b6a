"""Measure how fast webhooks get messages, and how long an owner's wait beside a slow owner's.

    python bench/notifications.py [--database-url URL] [--processes 1]

The database has to be empty; without an address it is a temporary SQLite file. Processes of
``flask worker`` deliver to a server on this machine.
"""

import argparse
import asyncio
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

PROJECT_DIR = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT_DIR), str(PROJECT_DIR / "tests")]

from support.servers import clean_environ, find_free_port, is_listening
from support.waiting import wait_for

from bench.service import TOKEN
from embed import pages
from embed.db import connection, schema_version
from embed.db.models import Delivery, Page, Receiver
from embed.domain import times
from embed.domain.identifiers import make_id
from embed.events.messages import send_messages
from embed.notifications.receivers import MAX_RECEIVERS, add_webhook
from embed.people import accounts
from embed.settings import Settings

MESSAGES = 2000  # whose speed is measured
PAGES = 3  # of the owner whose receivers take long, each with MAX_RECEIVERS
BACKLOG = 100  # messages for each of these
ANSWER_S = ((1.9, 0.0), (9.9, 2.1))  # of that owner's receivers, and of the other's
WATCHED_S, PAUSE_S = 60, 3
MESSAGE = ("queue.filling", {"pending": 8, "queueCapacity": 10})


class Bench:
    def __init__(self, environ: dict[str, str], port: int, processes: int) -> None:
        self._environ = environ
        self._settings = Settings.from_environ(environ)
        self._port = port
        self._processes = processes

    def measure_speed(self, receivers: int) -> float:
        """Return how many messages a second the receivers of a page get together."""
        page = self._add_page(receivers)
        tell(page, MESSAGES // receivers)
        with self._run_workers():
            wait_for(lambda: count_delivered(page))
            began_at, before = time.monotonic(), count_delivered(page)
            while (delivered := count_delivered(page)) < MESSAGES:
                time.sleep(0.1)  # each look is a query, which the workers have to share
            took_s = time.monotonic() - began_at
        Receiver.delete().execute()
        return (delivered - before) / took_s

    def measure_waits(self, crowd_s: float, answer_s: float) -> list[float]:
        """Return how many seconds an owner's messages took beside those of another owner."""
        crowd = accounts.create_person(f"{make_id()}@example.com", times.now())
        for _ in range(PAGES):
            tell(self._add_page(MAX_RECEIVERS, crowd_s, crowd), BACKLOG)
        page = self._add_page(1, answer_s)
        with self._run_workers():
            wait_for(lambda: Delivery.select().where(Delivery.state == "delivered").exists())
            ends_at = time.monotonic() + WATCHED_S
            while time.monotonic() < ends_at:
                tell(page, 1)
                time.sleep(PAUSE_S)  # the rate at which the owner has messages
            wait_for(lambda: count_delivered(page) == len(read_waits(page)))
        waits = read_waits(page)
        Receiver.delete().execute()
        return waits

    def _add_page(self, receivers: int, answer_s: float = 0.0, owner=None) -> Page:
        now = times.now()
        owner = owner or accounts.create_person(f"{make_id()}@example.com", now)
        page = pages.create_page(owner, TOKEN, now)
        url = f"http://127.0.0.1:{self._port}/{answer_s}"
        for _ in range(receivers):
            add_webhook(page.id, url, settings=self._settings, now=now)
        return page

    @contextmanager
    def _run_workers(self) -> Iterator[None]:
        command = [sys.executable, "-m", "flask", "worker"]
        environ = clean_environ() | self._environ
        running = [
            subprocess.Popen(command, cwd=PROJECT_DIR, env=environ, stdout=subprocess.DEVNULL)
            for _ in range(self._processes)
        ]
        try:
            yield
        finally:
            for each in running:
                each.terminate()
            for each in running:
                each.wait()


def tell(page: Page, count: int) -> None:
    with connection.db.atomic():
        send_messages(page.id, [MESSAGE] * count, times.now())


def select_deliveries(page: Page):
    return Delivery.select().join(Receiver).where(Receiver.page == page)


def count_delivered(page: Page) -> int:
    return select_deliveries(page).where(Delivery.state == "delivered").count()


def read_waits(page: Page) -> list[float]:
    return [
        ((each.attempted_at or times.now()) - each.message.created_at).total_seconds()
        for each in select_deliveries(page)
    ]


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer each POST request after as many seconds as its path says."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            await reader.readexactly(int(head.partition("content-length:")[2].split()[0]))
            await asyncio.sleep(float(head.split()[1].strip("/")))
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
    except (OSError, asyncio.IncompleteReadError):
        writer.close()


def serve(port: int) -> None:
    async def run() -> None:
        await (await asyncio.start_server(answer, "127.0.0.1", port)).serve_forever()

    asyncio.run(run())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--database-url", help="of an empty database; default: a SQLite file")
    parser.add_argument("--processes", type=int, default=1, help="of flask worker; default: 1")
    options = parser.parse_args()
    port = find_free_port()
    multiprocessing.Process(target=serve, args=(port,), daemon=True).start()
    wait_for(lambda: is_listening(port))
    with tempfile.TemporaryDirectory(prefix="embed-bench-") as folder:
        environ = {
            "DATABASE_URL": options.database_url or f"sqlite:///{folder}/embed.db",
            "SECRET_KEY": "a key of the benchmark",
            "ALLOW_PRIVATE_TARGETS": "1",
        }
        connection.open_database(environ["DATABASE_URL"])
        schema_version.upgrade()
        run(Bench(environ, port, options.processes))
        connection.db.close()


def run(bench: Bench) -> None:
    for receivers in (1, 4, MAX_RECEIVERS):
        speed = bench.measure_speed(receivers)
        print(f"{receivers} webhooks: {speed:.0f} messages a second", flush=True)
    for crowd_s, answer_s in ANSWER_S:
        waits = bench.measure_waits(crowd_s, answer_s)
        print(
            f"beside an owner's {PAGES * MAX_RECEIVERS} webhooks that answer after {crowd_s} s,"
            f" {len(waits)} messages of another owner, whose webhook answers after {answer_s} s,"
            f" took {median(waits):.1f} s (median) and at most {max(waits):.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
