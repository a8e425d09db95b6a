"""The bodies of messages in docs/notifications.md, one of each type."""

import json
import re
from typing import Any

from embed.settings import PROJECT_DIR

TEXT = (PROJECT_DIR / "docs/notifications.md").read_text()
BODIES: dict[str, dict[str, Any]] = {
    body["type"]: body for body in map(json.loads, re.findall(r"```json\n(.*?)```", TEXT, re.S))
}


def make_data(message_type: str, **changes: Any) -> dict[str, Any]:
    """Return the data of the documented message of a type with some changes."""
    return BODIES[message_type]["data"] | changes
