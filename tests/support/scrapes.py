"""Metrics as Prometheus would read them."""

import time
from collections.abc import Callable

import requests
from prometheus_client.parser import text_string_to_metric_families
from support.waiting import LIMIT_S


class Scraped:
    """What one scrape answered."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.families = list(text_string_to_metric_families(text))
        self.samples = [sample for family in self.families for sample in family.samples]

    def sum(self, name: str, **labels: str) -> float:
        """Add up the series of a name that have these labels."""
        return sum(
            sample.value
            for sample in self.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    def by_label(self, name: str, label: str) -> dict[str, float]:
        """Return what is not 0 by the value of a label."""
        values = {sample.labels[label] for sample in self.samples if sample.name == name}
        sums = {value: self.sum(name, **{label: value}) for value in values}
        return {value: total for value, total in sums.items() if total}

    @property
    def names(self) -> set[str]:
        """The names as they are documented: counters with ``_total``."""
        return {
            f"{family.name}_total" if family.type == "counter" else family.name
            for family in self.families
        }


def scrape(port: int) -> Scraped:
    answer = requests.get(f"http://127.0.0.1:{port}/metrics", timeout=LIMIT_S)
    assert answer.status_code == 200
    return Scraped(answer.text)


def scrape_until(port: int, is_there: Callable[[Scraped], object]) -> Scraped:
    deadline = time.monotonic() + LIMIT_S
    while not is_there(found := scrape(port)):
        assert time.monotonic() < deadline, found.text
        time.sleep(0.05)
    return found
