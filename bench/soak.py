"""Load a real gunicorn for minutes at half of what it can take, and see that nothing grows.

    python bench/soak.py [--minutes 10] [--grown]

First the peak of a mix of requests is measured, then half of it is kept up. Every ten seconds the
memory of all processes (PSS), their threads and open files and the size of the database are noted.
Prints tables in Markdown. Ends with status 1 if a request failed or memory is not flat. Everything
happens on this machine's loopback address, in a temporary folder.
"""

import argparse
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

PROJECT_DIR = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT_DIR), str(PROJECT_DIR / "tests")]

from bench.soak_clients import Clients
from bench.soak_report import check, print_report
from bench.soak_samples import Sampler
from bench.soak_service import Service, run_service
from bench.visitors import Client, Owner

PEAK_S = 20  # of which the first quarter is not counted
CLIENTS = 12
SAMPLE_EVERY_S = 10.0
LEAST_MINUTES, MOST_MINUTES = 1, 60


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=int, default=10, help="default: 10")
    parser.add_argument("--grown", action="store_true", help="two instances of two workers each")
    options = parser.parse_args()
    minutes = min(max(options.minutes, LEAST_MINUTES), MOST_MINUTES)
    with tempfile.TemporaryDirectory(prefix="embed-soak-") as folder, ExitStack() as running:
        service = running.enter_context(run_service(Path(folder), is_grown=options.grown))
        owner = Owner.sign_in(Client(service.ports[0], keeps_alive=False))
        peak = measure_peak(service, owner)
        print(f"Peak: {peak:.0f} requests a second; {minutes} minutes at half of that.", flush=True)
        clients, sampler = soak(service, owner, peak / 2, minutes * 60)
    print_report(peak, clients, sampler.samples)
    problems = check(clients, sampler.samples)
    for problem in problems:
        print(f"Not well: {problem}")
    return int(bool(problems))


def measure_peak(service: Service, owner: Owner) -> float:
    """Return requests per second without pauses; also warms the service up."""
    with Clients(service, owner, CLIENTS, rate=None) as clients:
        time.sleep(PEAK_S / 4)  # they warm it up
        before = clients.count()
        began_at = time.monotonic()
        time.sleep(PEAK_S * 3 / 4)  # they are counted
        done, took_s = clients.count() - before, time.monotonic() - began_at
    return done / took_s


def soak(service: Service, owner: Owner, rate: float, seconds: float) -> tuple[Clients, Sampler]:
    sampler = Sampler(service)
    with Clients(service, owner, CLIENTS, rate=rate) as clients:
        ends_at = time.monotonic() + seconds
        while (left_s := ends_at - time.monotonic()) > 0:
            time.sleep(min(SAMPLE_EVERY_S, left_s))  # the clients go on meanwhile
            sampler.take(seconds - max(0.0, ends_at - time.monotonic()))
    return clients, sampler


if __name__ == "__main__":
    sys.exit(main())
