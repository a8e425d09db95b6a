"""What counts and times; does nothing in a process that exports no metrics."""

from collections.abc import Sequence
from typing import Any

from prometheus_client import Counter, Histogram

# From a read that is answered from memory to a request that most proxies give up on.
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metric:
    """What is counted with labels.

    Labels have few values, all of them from our own code: every combination is a series, in every
    process's file and in Prometheus for as long as it keeps anything.
    """

    def __init__(self, name: str, description: str, labels: Sequence[str] = ()) -> None:
        self.name = name
        self.description = description
        self.labels = tuple(labels)
        self._made: Any = None  # prometheus_client's own, once this process counts

    def begin(self) -> None:
        """Count from now on, into the files of this process."""
        raise NotImplementedError


class Count(Metric):
    """A counter, whose name ends in ``_total``.

    The labels of `known` are exported from the start, since Prometheus sees no increase in a series
    that begins at 1.
    """

    def __init__(
        self,
        name: str,
        description: str,
        labels: Sequence[str] = (),
        known: Sequence[Sequence[str]] = (),
    ) -> None:
        super().__init__(name, description, labels)
        self._known = known

    def begin(self) -> None:
        self._made = Counter(self.name, self.description, self.labels, registry=None)
        for values in self._known:
            self._made.labels(*values)

    def add(self, *values: str, amount: int = 1) -> None:
        if self._made is not None:
            (self._made.labels(*values) if values else self._made).inc(amount)


class Times(Metric):
    """A histogram of seconds, from 1 ms to 10 s."""

    def begin(self) -> None:
        self._made = Histogram(
            self.name, self.description, self.labels, registry=None, buckets=_SECONDS
        )

    def add(self, *values: str, seconds: float) -> None:
        if self._made is not None:
            self._made.labels(*values).observe(seconds)
