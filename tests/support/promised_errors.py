"""The errors that callers were promised (docs/api.md, Errors): status, error, endpoints."""

import re
from typing import NamedTuple

ENDPOINTS = ("tracking read", "nonce", "submissions", "session submissions")
TABLE = """
| 400 | invalid_json | nonce, submissions |
| 400 | missing_fields | nonce, submissions |
| 400 | invalid_wallet_address | nonce, submissions |
| 400 | invalid_nickname_length | submissions |
| 400 | invalid_nickname_chars | submissions |
| 400 | invalid_nonce | submissions |
| 400 | nonce_binding_mismatch | submissions |
| 400 | missing_tracking_page_id | session submissions |
| 401 | missing_key | all |
| 401 | invalid_key | all |
| 401 | revoked_key | all |
| 401 | missing_origin | all |
| 401 | invalid_signature | submissions |
| 403 | origin_not_allowed | all |
| 403 | embed_disabled | tracking read, submissions |
| 404 | not_found | tracking read |
| 404 | page_not_found | submissions |
| 409 | duplicate | submissions |
| 422 | ca_gate_failed | submissions |
| 429 | cooldown_active | submissions |
| 429 | queue_full | submissions |
| 429 | rate_limit_key | all |
| 429 | rate_limit_ip | all |
| 429 | rate_limit_session | nonce (nonce issuance), submissions (submit) |
"""


class Row(NamedTuple):
    status: int
    code: str
    endpoints: frozenset[str]


def _read_endpoints(cell: str) -> frozenset[str]:
    """Leave out what stands in parentheses, such as "nonce (nonce issuance)"."""
    names = re.sub(r" \(.*?\)", "", cell).split(", ")
    return frozenset(ENDPOINTS if names == ["all"] else names)


ROWS = [
    Row(int(status), code, _read_endpoints(cell))
    for status, code, cell in re.findall(r"\| (\d+) \| (\w+) \| (.+) \|", TABLE)
]
