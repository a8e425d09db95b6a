"""docs/monitoring.md lists what is exported, no more and no less."""

import re

from servers import PROJECT_DIR

from embed.metrics import counters
from embed.monitoring.database_gauges import DESCRIPTION_BY_NAME

TEXT = (PROJECT_DIR / "docs" / "monitoring.md").read_text()
ROW = re.compile(r"^\| `(embed_\w+)` \|(.*)\|$", re.MULTILINE)
OTHER_GAUGES = {  # a real run exports them, tests/journeys/test_metrics_address.py
    "embed_database_up",
    "embed_balance_refresh_seconds",
    "embed_rate_limit_fallback",
    "embed_build_info",
}


def test_every_metric_is_in_a_table():
    names = [name for name, _ in ROW.findall(TEXT)]

    known = {one.name for one in counters.ALL} | set(DESCRIPTION_BY_NAME) | OTHER_GAUGES
    assert set(names) == known
    assert len(names) == len(known)


def test_table_tells_the_labels_of_counters():
    cells = {name: rest.split(" | ")[0] for name, rest in ROW.findall(TEXT)}

    assert {one.name: tuple(re.findall(r"`(\w+)`", cells[one.name])) for one in counters.ALL} == {
        one.name: one.labels for one in counters.ALL
    }
