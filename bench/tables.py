"""Tables in Markdown, of what was measured."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.measures import Figures, Rounds, median_figures

# What a number of people a day assumes.
BUSIEST_HOUR = 0.1  # part of the day's visits
USED = 0.5  # part of what the service can do, in that hour


@dataclass(frozen=True)
class Table:
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    cpu_us_by_name: dict[str, float] | None = None  # what there is to draw

    def __str__(self) -> str:
        note = f"{self.note}\n\n" if self.note else ""
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"### {self.title}\n\n{note}{table}"


def tabulate(title: str, rounds: Rounds) -> Table:
    """Compare each subject with the first one.

    A ratio above 1 is better than that one: less CPU, or a higher rate.
    """
    first = next(iter(rounds.values()))
    head = ["", "CPU", "of database and Redis", "rate", "against the first, by CPU", "by rate"]
    medians = {name: median_figures(figures) for name, figures in rounds.items()}
    rows = [
        [
            *describe(name, medians[name]),
            format_ratios(list_ratios(first, figures, get_cpu_us)),
            format_ratios(list_ratios(figures, first, lambda one: one.rate)),
        ]
        for name, figures in rounds.items()
    ]
    cpu_us_by_name = {name: median.cpu_us for name, median in medians.items()}
    return Table(title, head, rows, cpu_us_by_name=cpu_us_by_name)


def tabulate_approvals(rounds_by_service: Mapping[str, Rounds]) -> Table:
    """Compare presses that approve many with those that approve one."""
    rows = []
    for service, rounds in rounds_by_service.items():
        ratios = list_ratios(*reversed(rounds.values()), get_cpu_us)
        cpu = [f"{median_figures(figures).cpu_us:,.0f} µs" for figures in rounds.values()]
        rows.append([service, *cpu, format_ratios(ratios)])
    names = next(iter(rounds_by_service.values()))
    return Table("Approvals", ["", *names, "times as much"], rows)


def tabulate_visits(rounds: Rounds) -> Table:
    """Tell how many people a day the rates of whole visits stand for."""
    head = ["", "CPU", "of database and Redis", "rate", "people a day"]
    rows = []
    for name, figures in rounds.items():
        median = median_figures(figures)
        people = median.rate * USED * 3600 / BUSIEST_HOUR
        rows.append([*describe(name, median), f"{round(people, -3):,.0f}"])
    return Table("Visits", head, rows)


def describe(name: str, median: Figures) -> list[str]:
    other = f"{median.other_cpu_us:,.0f} µs" if median.other_cpu_us else ""
    return [name, f"{median.cpu_us:,.0f} µs", other, f"{median.rate:,.0f}/s"]


def get_cpu_us(figures: Figures) -> float:
    return figures.cpu_us


def list_ratios(
    figures: Sequence[Figures], others: Sequence[Figures], read: Callable[[Figures], float]
) -> list[float]:
    """Return each round's ratio: neighbours in time, which whatever else happens bends alike."""
    return [read(one) / read(other) for one, other in zip(figures, others, strict=True)]


def format_ratios(ratios: Sequence[float]) -> str:
    """Return the median, with the lowest and the highest of the rounds."""
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
