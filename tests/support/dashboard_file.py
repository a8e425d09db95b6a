"""The panels of deploy/grafana-dashboard.json and what they ask Prometheus."""

import json
from typing import Any

from support.servers import PROJECT_DIR

DASHBOARD = json.loads((PROJECT_DIR / "deploy" / "grafana-dashboard.json").read_text())
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]


def list_expressions(*, job: str = "embed", interval: str = "5m") -> list[str]:
    """Return every query, with Grafana's variables replaced."""
    found = [target["expr"] for panel in PANELS for target in panel.get("targets", [])]
    values = {"$__rate_interval": interval, "$job": job, "$instance": ".*"}
    for name, value in values.items():
        found = [one.replace(name, value) for one in found]
    return found
