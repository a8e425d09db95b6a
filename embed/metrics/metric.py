"""What counts and times; does nothing in a process that exports no metrics."""

from collections.abc import Sequence
from typing import Any

from prometheus_client import Counter, Histogram

# From a read that is answered from memory to a request that most proxies give up on.
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Count:
    """A counter, which Prometheus sees as `name` with ``_total``.

    Labels have few values, all of them from our own code: every combination is a series, in every
    process's file and in Prometheus for as long as it keeps anything. Those of `known` are exported
    from the start, as a series that begins at 1 looks as if nothing had happened.
    """

    def __init__(
        self,
        name: str,
        description: str,
        labels: Sequence[str] = (),
        known: Sequence[Sequence[str]] = (),
    ) -> None:
        self.name = f"{name}_total"
        self.labels = tuple(labels)
        self._arguments = (name, description, labels)
        self._known = known
        self._counter: Any = None

    def begin(self) -> None:
        """Count from now on, into the files of this process."""
        self._counter = Counter(*self._arguments, registry=None)
        for values in self._known:
            self._counter.labels(*values)

    def add(self, *values: str, amount: int = 1) -> None:
        if self._counter is not None:
            (self._counter.labels(*values) if values else self._counter).inc(amount)


class Times:
    """A histogram of seconds, from 1 ms to 10 s."""

    def __init__(self, name: str, description: str, labels: Sequence[str]) -> None:
        self.name = name
        self.labels = tuple(labels)
        self._arguments = (name, description, labels)
        self._histogram: Any = None

    def begin(self) -> None:
        """Time from now on, into the files of this process."""
        self._histogram = Histogram(*self._arguments, registry=None, buckets=_SECONDS)

    def add(self, *values: str, seconds: float) -> None:
        if self._histogram is not None:
            self._histogram.labels(*values).observe(seconds)
