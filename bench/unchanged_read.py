"""Measure a read of an unchanged page, which is answered 304, against one that returns the page.

Both are asked of the same server in turn, over one connection, with the headers of a browser. The
page has 10,000 wallets. Exits with 1 unless a 304 takes less time than the page does.
"""

import argparse
import http.client
import statistics
import sys
import tempfile
import time
from pathlib import Path

import base58

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.tracking_read import LIMITS, Case, make_case, serve
from embed.db.connection import db
from embed.db.models import Wallet
from embed.domain import times
from embed.domain.identifiers import make_id

WALLETS = 10_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="default: 9")
    parser.add_argument("--requests", type=int, default=100, help="of each, a round; default: 100")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="embed-bench-") as folder:
        database_url = f"sqlite:///{folder}/embed.db"
        case = make_case(database_url, Path(folder))
        add_wallets(case.path.rpartition("/")[2])
        environ = LIMITS | {"DATABASE_URL": database_url, "SECRET_KEY": "a key of the benchmark"}
        with serve("app:app", environ) as port:
            ratio = compare(port, case, options.rounds, options.requests)
    return 0 if ratio < 1 else 1


def add_wallets(page_id: str) -> None:
    now = times.now()
    rows = [
        {
            "id": make_id(),
            "page": page_id,
            "address": base58.b58encode((2**200 + number).to_bytes(32, "big")).decode(),
            "public_alias": f"Wallet number {number}",
            "created_at": now,
        }
        for number in range(WALLETS)
    ]
    with db.atomic():
        for start in range(0, WALLETS, 500):
            Wallet.insert_many(rows[start : start + 500]).execute()
    db.close()


def compare(port: int, case: Case, rounds: int, requests: int) -> float:
    """Print every figure, and return the median of the rounds' ratios."""
    path = case.path.replace("/api/embed", "/embed/api")
    headers = case.headers | {"Accept-Encoding": "gzip, br"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    _, size, etag = ask(connection, path, headers)
    unchanged = headers | {"If-None-Match": etag}
    print(f"{rounds} rounds of {requests} requests each; the page has {size:,} bytes, compressed")
    print("round   page ms  304 ms  ratio")
    figures = []
    for number in range(rounds + 1):
        page = measure(connection, path, headers, requests, 200)
        same = measure(connection, path, unchanged, requests, 304)
        if number == 0:
            continue  # not every process has built the page yet
        figures.append((page, same, same / page))
        print(f"{number:<6}  {page:7.2f}  {same:6.2f}  {same / page:5.2f}", flush=True)
    page, same, ratio = map(statistics.median, zip(*figures, strict=True))
    print(f"median  {page:7.2f}  {same:6.2f}  {ratio:5.2f}")
    return ratio


def measure(
    connection: http.client.HTTPConnection,
    path: str,
    headers: dict[str, str],
    requests: int,
    expected: int,
) -> float:
    """Return the milliseconds of one request, from the median of many."""
    times = []
    for _ in range(requests):
        began_at = time.perf_counter()
        status, _, _ = ask(connection, path, headers)
        times.append((time.perf_counter() - began_at) * 1000)
        if status != expected:
            raise RuntimeError(f"answered {status}, not {expected}")
    return statistics.median(times)


def ask(
    connection: http.client.HTTPConnection, path: str, headers: dict[str, str]
) -> tuple[int, int, str]:
    """Return an answer's status, the size of its body, and its entity tag."""
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, len(answer.read()), answer.headers["ETag"]


if __name__ == "__main__":
    sys.exit(main())
