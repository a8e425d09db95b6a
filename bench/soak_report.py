"""What bench/soak.py found, in tables, and whether that is well."""

import statistics
from collections.abc import Sequence

from bench.soak_clients import Clients
from bench.soak_samples import Sample

# The first third warms up: caches fill, threads open their connections.
WARM_UP_PART = 1 / 3
MOST_GROWTH = 0.05  # of memory, by its trend over the rest


def print_report(peak: float, clients: Clients, samples: Sequence[Sample]) -> None:
    print("\n| request | number | median ms | 95 % | 99 % | longest |\n|---|---|---|---|---|---|")
    for kind, taken in clients.seconds_by_kind.items():
        cuts = statistics.quantiles(taken, n=100) if len(taken) > 1 else taken * 99
        figures = [1000 * one for one in (cuts[49], cuts[94], cuts[98], max(taken))]
        print(f"| {kind} | {len(taken):,} | " + " | ".join(f"{one:.0f}" for one in figures) + " |")
    print("\n| after | memory MiB | threads | open files | database MiB |\n|---|---|---|---|---|")
    for sample in choose_samples(samples):
        print(
            f"| {sample.at_s:.0f} s | {sample.memory_mib:.1f} | {sample.threads} |"
            f" {sample.open_files} | {sample.database_mib:.1f} |"
        )
    seconds = samples[-1].at_s
    print(
        f"\nPeak {peak:.0f} requests a second; {clients.count():,} requests in {seconds:.0f} s"
        f" ({clients.count() / seconds:.0f} a second), {clients.problem_count} wrong answers;"
        f" memory {100 * compute_growth(samples):+.1f} % by its trend."
    )


def choose_samples(samples: Sequence[Sample], most: int = 10) -> Sequence[Sample]:
    step = max(1, len(samples) // most)
    return [*samples[:-1:step], samples[-1]]


def check(clients: Clients, samples: Sequence[Sample]) -> list[str]:
    """Return what is not well, in sentences."""
    problems = list(clients.problems)
    if (growth := compute_growth(samples)) > MOST_GROWTH:
        problems.append(f"memory grew by {100 * growth:.1f} % by its trend")
    rest = list_rest(samples)
    for name in ("threads", "open_files"):
        counts = [getattr(sample, name) for sample in rest]
        half = len(counts) // 2
        if half and min(counts[half:]) > max(counts[:half]):
            problems.append(f"{name} grew from {counts[0]} to {counts[-1]}")
    return problems


def list_rest(samples: Sequence[Sample]) -> Sequence[Sample]:
    return samples[int(len(samples) * WARM_UP_PART) :]


def compute_growth(samples: Sequence[Sample]) -> float:
    """Return by which part memory grew over the rest of the time, by linear regression."""
    rest = list_rest(samples)
    seconds, memory = [one.at_s for one in rest], [one.memory_mib for one in rest]
    slope, start = statistics.linear_regression(seconds, memory)
    return slope * (seconds[-1] - seconds[0]) / (start + slope * seconds[0])
