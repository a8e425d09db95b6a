"""Measure what metrics cost: the tracking read with METRICS_BIND against the same without.

Both servers are loaded in turn, and the ratio is the median of the rounds' ratios.
"""

import argparse
import shutil
import socket
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.tracking_read import (
    LIMITS,
    WARM_UP_S,
    make_case,
    measure_with_threads,
    measure_with_wrk,
    serve,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="default: 20")
    parser.add_argument("--seconds", type=int, default=1, help="per server and round; default: 1")
    options = parser.parse_args()
    measure = measure_with_wrk if shutil.which("wrk") else measure_with_threads
    with tempfile.TemporaryDirectory(prefix="embed-bench-") as folder, ExitStack() as servers:
        database_url = f"sqlite:///{folder}/embed.db"
        case = make_case(database_url, Path(folder))
        environ = LIMITS | {"DATABASE_URL": database_url, "SECRET_KEY": "a key of the benchmark"}
        metered = environ | {"METRICS_BIND": f"127.0.0.1:{find_free_port()}"}
        ports = [servers.enter_context(serve("app:app", one)) for one in (metered, environ)]
        for port in ports:
            measure(port, case, WARM_UP_S)
        ratios = []
        for _ in range(options.rounds):
            with_metrics, without = (measure(port, case, options.seconds) for port in ports)
            ratios.append(with_metrics / without)
            print(f"{with_metrics:9.0f}  {without:9.0f}  {ratios[-1]:5.2f}", flush=True)
    print(f"median ratio {statistics.median(ratios):.3f}")


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
