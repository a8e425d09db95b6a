"""A message of each type, as webhooks get them, and what docs/api.md says of them."""

from typing import Any

from embed.settings import PROJECT_DIR

_, _, _rest = (PROJECT_DIR / "docs/api.md").read_text().partition("\n## Webhooks\n")
TEXT = _rest.partition("\n## ")[0]

_SUBMISSION = {
    "trackingPageId": "3ZfDq0mYw9bQ8sVtLx2A",
    "id": "b7Jc2RkP5uXn0WqTgH4e",
    "walletAddress": "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    "nickname": "Ann",
    "status": "pending",
    "rejectReason": None,
    "createdAtIso": "2026-01-31T09:30:00.000Z",
    "decidedAtIso": None,
    "reasonCode": None,
    "reasonText": None,
}
_DATA: dict[str, dict[str, Any]] = {
    "submission.created": _SUBMISSION,
    "submission.decided": _SUBMISSION
    | {"status": "approved", "decidedAtIso": "2026-01-31T09:45:00.000Z"},
    "submission.withdrawn": {
        "trackingPageId": "3ZfDq0mYw9bQ8sVtLx2A",
        "submissionId": "b7Jc2RkP5uXn0WqTgH4e",
        "status": "approved",
        "createdAtIso": "2026-01-31T09:30:00.000Z",
        "withdrawnAtIso": "2026-01-31T09:50:00.000Z",
        "leftList": True,
    },
    "wallet.flagged": {
        "trackingPageId": "3ZfDq0mYw9bQ8sVtLx2A",
        "walletId": "Yk3vN8dLr6Tz1CwEoS0p",
        "address": "EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
        "publicAlias": "Ann",
        "tokenBalance": 12.5,
        "minBalance": 1000,
        "hidden": False,
    },
    "queue.filling": {
        "trackingPageId": "3ZfDq0mYw9bQ8sVtLx2A",
        "pending": 80,
        "queueCapacity": 100,
    },
}
BODIES: dict[str, dict[str, Any]] = {
    message_type: {"type": message_type, "timestamp": "2026-01-31T11:00:00.000Z", "data": data}
    for message_type, data in _DATA.items()
}


def make_data(message_type: str, **changes: Any) -> dict[str, Any]:
    """Return the data of a message of a type with some changes."""
    return BODIES[message_type]["data"] | changes
