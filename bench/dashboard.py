"""Time the dashboard's views on a page with 10,000 wallets and 100,000 past submissions.

    python bench/dashboard.py [--rounds 15]

Each view is asked in this process, signed in, on a SQLite file; printed are the medians of
server time. Ends with status 1 if one is over 200 ms.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

PROJECT_DIR = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT_DIR), str(PROJECT_DIR / "tests")]

from bench.service import (
    ENVIRON,
    PENDING,
    insert,
    make_page,
    make_submission,
    open_new_database,
)
from embed.db.connection import db
from embed.db.models import ApiKey, Person, Submission
from embed.domain.times import now
from embed.factory import create_app
from embed.people import sessions
from embed.settings import Settings

WALLETS = 10_000
SUBMISSIONS = 100_000
WAITING = 60
LIMIT_MS = 200
VIEWS = (
    "queue",
    "queue?tab=decided",
    "wallets",
    "tags",
    "keys",
    "policy",
    "embed",
    "activity",
    "settings",
)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15)
    rounds = options.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        database_url = f"sqlite:///{folder}/embed.db"
        app = create_app(Settings.from_environ(ENVIRON | {"DATABASE_URL": database_url}))
        owner, page_id = fill(database_url)
        client = app.test_client()
        with client.session_transaction(path="/dashboard/") as session:
            _, session["_user_id"] = sessions.begin(owner, now())
            session["_fresh"] = True
        medians = {
            view: measure(client, f"/dashboard/pages/{page_id}/{view}", rounds) for view in VIEWS
        }
        medians["(list of pages)"] = measure(client, "/dashboard/", rounds)
    for view, median in medians.items():
        print(f"{view:<20} {median:7.1f} ms")
    slowest = max(medians.values())
    print(f"slowest: {slowest:.1f} ms, allowed: {LIMIT_MS} ms")
    return int(slowest > LIMIT_MS)


def measure(client, path: str, rounds: int) -> float:
    taken = []
    for _ in range(rounds + 1):
        started = time.perf_counter()
        answer = client.get(path)
        taken.append((time.perf_counter() - started) * 1000)
        if answer.status_code != 200:
            raise RuntimeError(f"{path} answered {answer.status_code}")
    return statistics.median(taken[1:])


def fill(database_url: str) -> tuple[Person, str]:
    """Fill a new database, and return the page's owner and id."""
    owner = open_new_database(database_url)
    with db.atomic():
        page_id = make_page(owner, WALLETS).id
        key = ApiKey.get()
        insert(
            Submission,
            (
                make_submission(page_id, key.id, number, **choose_state(number))
                for number in range(SUBMISSIONS)
            ),
        )
    return owner, page_id


def choose_state(number: int) -> dict[str, object]:
    if number < WAITING:
        return PENDING
    return {} if number % 2 else {"status": "soft_rejected", "reject_reason": "queue_full"}


if __name__ == "__main__":
    sys.exit(main())
