"""Waiting for what other processes and threads do."""

import time
from collections.abc import Callable
from typing import TypeVar

LIMIT_S = 120  # far more than anything takes, on a busy machine too
_PAUSE_S = 0.02

Found = TypeVar("Found")


def wait_for(look: Callable[[], Found], explain: Callable[[], object] = lambda: "in vain") -> Found:
    """Call `look` until it returns something true, and return that.

    Fails after LIMIT_S, with what `explain` returns.
    """
    __tracebackhide__ = True
    deadline = time.monotonic() + LIMIT_S
    while not (found := look()):
        assert time.monotonic() < deadline, explain()
        time.sleep(_PAUSE_S)
    return found
