"""How fast an endpoint is asked: never more than its operator allows."""

import threading
from collections import defaultdict, deque

from limits import RateLimitItem

from embed.domain.times import Seconds

# The gate asks by this method while a visitor waits, so background work leaves half of its rate.
SHARED_METHOD = "getTokenAccountsByOwner"
_CALL_S = 0.05  # how long it may take until a call ends
_ROUNDING_S = 0.001


class _Recent:
    def __init__(self) -> None:
        self.open = 0
        self.ended_at: deque[Seconds] = deque()


class Pace:
    """Counts the calls of each method in a moving window; threads may share it.

    A call counts from its start until the window after its end is over: the endpoint counts it
    at some moment between the two.
    """

    def __init__(self, limit: RateLimitItem) -> None:
        self._most = limit.amount
        self._window_s = limit.get_expiry()
        self._by_method: defaultdict[str, _Recent] = defaultdict(_Recent)
        self._lock = threading.Lock()

    def start(self, method: str, now: Seconds, *, is_urgent: bool) -> Seconds:
        """Count a call that starts now, and return 0; `end` has to follow.

        If the rate is used up, count nothing, and return how many seconds to wait before
        trying again.
        """
        most = self._most
        if method == SHARED_METHOD and not is_urgent:
            most = max(1, most // 2)
        with self._lock:
            recent = self._by_method[method]
            while recent.ended_at and recent.ended_at[0] <= now - self._window_s:
                recent.ended_at.popleft()
            surplus = recent.open + len(recent.ended_at) - most
            if surplus < 0:
                recent.open += 1
                return 0
            if surplus < len(recent.ended_at):
                return recent.ended_at[surplus] + self._window_s - now + _ROUNDING_S
            return _CALL_S

    def end(self, method: str, now: Seconds) -> None:
        with self._lock:
            recent = self._by_method[method]
            recent.open -= 1
            recent.ended_at.append(now)
