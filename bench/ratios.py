"""Check that three requests stay fast: the read, a submission and the widget's page.

    python -m bench.ratios [--rounds 9]

Each one's CPU is compared with another request's. Exits with status 1 if one exceeds its limit.
"""

import argparse
import statistics
import sys
from contextlib import ExitStack

from bench.cases import open_widget, read, submit, submit_to_bare_flask
from bench.measures import Figures, measure_in_turn
from bench.others import start_afternoon, start_bare_flask
from bench.service import start_service

# Multiples of the other request's CPU. Medians on an idle machine: 1.8, 0.6, 1.8 and 3.0.
MOST_READ, MOST_OF_AFTERNOON, MOST_PAGE, MOST_SUBMISSION = 2.4, 0.9, 2.5, 5.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9, help="of a second each; default: 9")
    rounds = parser.parse_args().rounds
    with ExitStack() as running:
        service = start_service(running)
        bare = start_bare_flask(running, service)
        subjects = [
            read(bare),
            read(start_afternoon(running, service)),
            read(service),
            open_widget(service),
            submit_to_bare_flask(bare),
            submit(service),
        ]
        figures = measure_in_turn(subjects, rounds)
    bare_read, afternoons_read, own_read, page, bare_submission, submission = figures
    are_fast = [
        check("a read costs, beside bare Flask", own_read, bare_read, MOST_READ),
        check("a read, beside an afternoon's app", own_read, afternoons_read, MOST_OF_AFTERNOON),
        check("a new visitor's widget page, beside a read", page, own_read, MOST_PAGE),
        check("a submission, beside bare Flask", submission, bare_submission, MOST_SUBMISSION),
    ]
    return int(not all(are_fast))


def check(title: str, figures: list[Figures], others: list[Figures], most: float) -> bool:
    """Return whether it takes at most `most` times the other's CPU."""
    ratios = [one.cpu_us / other.cpu_us for one, other in zip(figures, others, strict=True)]
    median = statistics.median(ratios)
    print(f"{title}: {median:.2f} ({min(ratios):.2f} to {max(ratios):.2f}), at most {most}")
    return median <= most


if __name__ == "__main__":
    sys.exit(main())
