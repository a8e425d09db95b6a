"""Keep two speeds of the service as it ships from falling: the read, and a submission.

    python bench/ratios.py [--rounds 9]

Each is compared by CPU with the least that bare Flask can do for the same. Ends with status 1 if
one is below its bound.
"""

import argparse
import statistics
import sys
from pathlib import Path

PROJECT_DIR = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT_DIR), str(PROJECT_DIR / "tests")]

from bench.cases import (
    read,
    read_bare_flask,
    start_bare_flask,
    start_service,
    submit_to,
    submit_to_bare_flask,
)
from bench.measures import Subject, measure_in_turn
from bench.running import Running
from bench.tables import get_cpu_us, list_ratios, tabulate

# Medians on an idle machine of two cores: 1.04 to 1.19 for a read, 0.53 to 0.63 for a submission.
# The lowest on a busy one: 0.55 and 0.35. Before both were made faster, they had at most 0.48 and
# 0.23, which fails.
LEAST_READ, LEAST_SUBMISSION = 0.5, 0.3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="of a second each; default: 9")
    rounds = parser.parse_args().rounds
    with Running() as running:
        service = start_service(running, "SQLite")
        bare = start_bare_flask(running, service)
        are_fast = [
            check("Reads", [read_bare_flask(bare, service), read(service)], rounds, LEAST_READ),
            check(
                "Submissions",
                [submit_to_bare_flask(bare), submit_to(service)],
                rounds,
                LEAST_SUBMISSION,
            ),
        ]
    return int(not all(are_fast))


def check(title: str, pair: list[Subject], rounds: int, least: float) -> bool:
    """Tell whether the second subject reaches this part of the first one's speed, by CPU."""
    measured = measure_in_turn(pair, rounds, seconds=1)
    ratio = statistics.median(list_ratios(*measured.values(), get_cpu_us))
    print(f"{tabulate(title, measured)}\n\n{ratio:.2f} by CPU, at least {least}\n", flush=True)
    return ratio >= least


if __name__ == "__main__":
    sys.exit(main())
