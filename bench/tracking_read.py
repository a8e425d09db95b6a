"""Measure the tracking read against a bare Flask app that returns the same bytes.

Exits with 1 when the service reaches less than half of the bare app's requests per second.
"""

import argparse
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import base58

PROJECT_DIR = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT_DIR))

from embed import owners, pages
from embed.db import connection, schema_version
from embed.domain import times
from embed.keys import management
from embed.public_payload import payloads
from embed.public_payload.payloads import PayloadKey
from embed.settings import VARIABLES
from embed.wallets import tags, tracking

LEAST_RATIO = 0.5
WALLETS = 100
CONNECTIONS = 16
WARM_UP_S = 2
START_LIMIT_S = 30
SITE = "https://site.example"
TOKEN = {
    "token_name": "USD Coin",
    "token_symbol": "USDC",
    "token_mint": "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
}
# Both limits are counted at every request, and never reached.
LIMITS = {"LIMIT_PER_IP": "1000000000/minute", "LIMIT_PER_KEY": "1000000000/minute"}
GUNICORN = ("--config", "bench/gunicorn.conf.py")


@dataclass(frozen=True)
class Case:
    """What is asked for, and what has to come back."""

    path: str
    headers: dict[str, str]
    body_file: Path

    @property
    def body(self) -> bytes:
        return self.body_file.read_bytes()


class WrongAnswers(Exception):
    """A figure would mean nothing: not every answer was the right one."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    parser.add_argument("--seconds", type=int, default=4, help="per server and round; default: 4")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="embed-bench-") as folder, ExitStack() as servers:
        database_url = f"sqlite:///{folder}/embed.db"
        case = make_case(database_url, Path(folder))
        environ = LIMITS | {"DATABASE_URL": database_url, "SECRET_KEY": "a key of the benchmark"}
        environ["BENCH_BODY_FILE"] = str(case.body_file)
        ours = servers.enter_context(serve("app:app", environ))
        bare = servers.enter_context(serve("bench.bare_app:app", environ))
        ratio = compare(ours, bare, case, options.rounds, options.seconds)
    return 0 if ratio >= LEAST_RATIO else 1


def compare(ours: int, bare: int, case: Case, rounds: int, seconds: int) -> float:
    """Load both ports in turn, print every figure, and return the median of the rounds' ratios.

    A round's two figures are neighbours in time, so a machine that grows slower meanwhile
    bends their ratio less than that of the two medians.
    """
    measure = measure_with_wrk if shutil.which("wrk") else measure_with_threads
    print(f"{rounds} rounds of {seconds} s each, {CONNECTIONS} connections, {measure.__doc__}")
    print("round   service/s  bare Flask/s  ratio")
    for port in (ours, bare):
        measure(port, case, WARM_UP_S)
    figures = []
    for number in range(1, rounds + 1):
        service, flask = measure(ours, case, seconds), measure(bare, case, seconds)
        figures.append((service, flask, service / flask))
        print(f"{number:<6}  {service:9.0f}  {flask:12.0f}  {service / flask:5.2f}", flush=True)
    service, flask, ratio = map(statistics.median, zip(*figures, strict=True))
    print(f"median  {service:9.0f}  {flask:12.0f}  {ratio:5.2f}  (at least {LEAST_RATIO})")
    return ratio


def make_case(database_url: str, folder: Path) -> Case:
    """Make a page of wallets with aliases, tags and balances, and a public key for it."""
    connection.open_database(database_url)
    schema_version.upgrade()
    now = times.now()
    page = pages.create_page(owners.get_installation_owner(now), TOKEN, now)
    names = ("team", "whale", "exchange", "market maker")
    for name in names:
        tags.add_tag(page.id, name, "blue", now)
    for number in range(WALLETS):
        changes = tracking.WalletFields(
            alias=f"Wallet number {number}",
            tag_names=names[: number % 3],
            balance=Decimal("1000.25") * number,
        )
        address = base58.b58encode(number.to_bytes(32, "big", signed=False)).decode()
        tracking.add_wallet(page.id, address, changes, now, max_wallets=WALLETS)
    _, key = management.create_key(page.id, "public", raw_origins=[SITE], now=now)
    body_file = folder / "body.json"
    present = PayloadKey(page.id, pages.get_page(page.id).version, uses_chain=False)
    body_file.write_bytes(payloads.get_payload(present).json)
    connection.db.close()
    headers = {"Authorization": f"Bearer {key}", "Origin": SITE}
    return Case(f"/api/embed/tracking/{page.id}", headers, body_file)


@contextmanager
def serve(application: str, environ: dict[str, str]) -> Iterator[int]:
    """Run gunicorn and yield its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    inherited = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}", *GUNICORN],
        cwd=PROJECT_DIR,
        env=inherited | environ,
    )
    try:
        _wait_until_served(server, port)
        yield port
    finally:
        server.terminate()
        server.wait()


def _wait_until_served(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)  # gunicorn does not tell when it listens
    raise RuntimeError("gunicorn did not start; its own words are above")


def measure_with_wrk(port: int, case: Case, seconds: int) -> float:
    """loaded by wrk"""
    headers = [f"--header={name}: {value}" for name, value in case.headers.items()]
    ended = subprocess.run(
        [
            "wrk",
            "--threads=1",
            f"--connections={CONNECTIONS}",
            f"--duration={seconds}s",
            f"--script={PROJECT_DIR / 'bench' / 'check.lua'}",
            *headers,
            f"http://127.0.0.1:{port}{case.path}",
            "--",
            str(case.body_file),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    counts = json.loads(ended.stdout.splitlines()[-1])
    return check_rate(counts["answers"], counts["bad"], counts["seconds"])


def measure_with_threads(port: int, case: Case, seconds: int) -> float:
    """loaded by Python threads, for want of wrk: they take up time that the servers miss"""
    good, bad = [0] * CONNECTIONS, [0] * CONNECTIONS
    expected = case.body
    began_at = time.monotonic()

    def load(number: int) -> None:
        while time.monotonic() < began_at + seconds:
            try:
                is_right = fetch(port, case) == (200, expected)
            except (OSError, http.client.HTTPException):
                is_right = False
            (good if is_right else bad)[number] += 1

    threads = [threading.Thread(target=load, args=(number,)) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return check_rate(sum(good), sum(bad), time.monotonic() - began_at)


def fetch(port: int, case: Case) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", case.path, headers=case.headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def check_rate(answers: int, bad: int, seconds: float) -> float:
    """Return answers per second. Raises WrongAnswers unless every one was right."""
    if bad or not answers:
        raise WrongAnswers(f"{bad} of {answers} answers were not 200 with the expected bytes")
    return answers / seconds


if __name__ == "__main__":
    sys.exit(main())
