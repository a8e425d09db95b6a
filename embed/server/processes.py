"""How many worker processes there may be, and how long each serves."""

import sys
from typing import Any

# A leak of 1 KB in each request would take 200 MB by then. The
# spread keeps processes that began together from ending together.
REPLACED_AFTER = 200_000
REPLACED_AFTER_SPREAD = 100_000

_SHARED = "set RATELIMIT_STORAGE_URI, such as redis://127.0.0.1:6379"


def check_worker_count(server: Any, count: int, before: int | None, storage_uri: str) -> None:
    """Refuse several workers if each would count rate limits for itself.

    However the number was set, gunicorn reports it: at the start (`before` is None), which ends
    with a sentence, and when a signal changes it, which is then undone.
    """
    if count <= 1 or not storage_uri.startswith("memory:"):
        return
    if before is None:
        sys.exit(
            f"Error: {count} workers would each count rate limits for themselves: {_SHARED},"
            " or start one worker (WEB_CONCURRENCY=1)."
        )
    server.log.error("There is still one worker. For more, stop the server and %s.", _SHARED)
    server.num_workers = 1
