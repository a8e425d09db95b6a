"""Limits the number of worker processes and how long each serves."""

import sys
from typing import Any

from embed.rate_limits import is_shared

# A leak of 1 KB per request would take 200 MB by then. The spread
# keeps processes that started together from ending together.
REPLACED_AFTER = 200_000
REPLACED_AFTER_SPREAD = 100_000

_SHARED = "set RATELIMIT_STORAGE_URI, such as redis://127.0.0.1:6379"


def check_worker_count(server: Any, count: int, before: int | None, storage_uri: str) -> None:
    """Refuse several workers if each would count rate limits separately.

    gunicorn reports the number however it was set. At the start (`before` is None), exit with an
    error message; when a signal changes it, undo the change.
    """
    if count <= 1 or is_shared(storage_uri):
        return
    if before is None:
        sys.exit(
            f"Error: {count} workers would each count rate limits separately: {_SHARED},"
            " or start one worker (WEB_CONCURRENCY=1)."
        )
    server.log.error("There is still one worker. For more, stop the server and %s.", _SHARED)
    server.num_workers = 1
