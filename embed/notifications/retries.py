"""When a message is tried again, and when it is given up."""

import random
from datetime import datetime, timedelta

from embed.db.models import Message

GIVE_UP_AFTER = timedelta(days=1)
FIRST_WAIT = timedelta(seconds=5)
LONGEST_WAIT = timedelta(hours=2)
_MAX_DOUBLINGS = 20  # far more than from the first to the longest wait


def compute_wait(failed_attempts: int, asked_for: timedelta | None = None) -> timedelta:
    """Return how long to wait after so many failures in a row: 0 after none, then ever longer.

    A receiver that asks for a longer wait gets it, up to LONGEST_WAIT.
    """
    if failed_attempts == 0:
        return timedelta()
    doubled: int = 2 ** min(failed_attempts - 1, _MAX_DOUBLINGS)
    wait = min(FIRST_WAIT * doubled, LONGEST_WAIT)
    jitter = random.uniform(0.75, 1)  # noqa: S311  # not a secret: receivers that failed together should not all come back at once
    return max(wait * jitter, min(asked_for or timedelta(), LONGEST_WAIT))


def is_overdue(message: Message, now: datetime) -> bool:
    """Tell whether a message is so old that it is given up after another failure."""
    created_at: datetime = message.created_at
    return now - created_at >= GIVE_UP_AFTER
