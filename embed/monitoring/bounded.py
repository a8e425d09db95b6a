"""Asking what may not answer, without waiting for long."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from time import monotonic
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class PendingAnswer(Future[Answer]):
    """An answer that is there, or that a thread waits for."""

    def __init__(self) -> None:
        super().__init__()
        self.began_at = monotonic()

    def wait(self, limit_s: float) -> Answer:
        """Return the answer, or raise what was raised; TimeoutError at `limit_s` from its begin."""
        return self.result(max(0.0, self.began_at + limit_s - monotonic()))


class BoundedQuestion(Generic[Answer]):
    """Asks in a thread of its own, one at a time: who asks meanwhile gets the same answer.

    The thread may hang for as long as it likes, and ends with the process, which would wait for
    that of a ThreadPoolExecutor.
    """

    def __init__(self, ask: Callable[[], Answer], name: str) -> None:
        self._ask = ask
        self._name = name  # the thread's
        self._lock = threading.Lock()
        self._latest: PendingAnswer[Answer] | None = None

    def begin(self, fresh_s: float = 0.0) -> PendingAnswer[Answer]:
        """Ask, unless the latest answer is pending or was asked for in the last `fresh_s`."""
        with self._lock:
            latest = self._latest
            if latest and (not latest.done() or monotonic() < latest.began_at + fresh_s):
                return latest
            self._latest = PendingAnswer()
            threading.Thread(
                target=self._answer, args=(self._latest,), name=self._name, daemon=True
            ).start()
            return self._latest

    def _answer(self, pending: PendingAnswer[Answer]) -> None:
        try:
            pending.set_result(self._ask())
        except Exception as error:
            pending.set_exception(error)
