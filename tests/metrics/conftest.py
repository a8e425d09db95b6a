"""A process that counts."""

from collections.abc import Callable, Iterator

import pytest
from prometheus_client.exposition import generate_latest
from prometheus_client.values import MultiProcessValue
from scrapes import Scraped

from embed.metrics import counters, files


@pytest.fixture
def counted(tmp_path, monkeypatch) -> Iterator[Callable[[], Scraped]]:
    """Count in this process until the test ends; ``counted()`` returns what was counted."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")  # as it was, in the end
    monkeypatch.setattr(files.values, "ValueClass", MultiProcessValue())
    for one in counters.ALL:
        monkeypatch.setattr(one, "_made", None)
    files.begin_counting(tmp_path, slot=0)

    class Counts:
        def collect(self):
            return files.read_counts(tmp_path)

    yield lambda: Scraped(generate_latest(Counts()).decode())
    files.values.ValueClass.close_all_files()
