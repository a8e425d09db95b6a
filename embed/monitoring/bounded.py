"""Asking what may not answer, without waiting for long."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class BoundedQuestion(Generic[Answer]):
    """Asks in a thread of its own, one at a time: who asks meanwhile gets the same answer.

    The thread may hang for as long as it likes, and ends with the process.
    """

    def __init__(self, ask: Callable[[], Answer]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._asked: Future[Answer] | None = None

    def begin(self) -> "Future[Answer]":
        with self._lock:
            if self._asked is None or self._asked.done():
                self._asked = Future()
                threading.Thread(
                    target=self._answer, args=(self._asked,), name="metrics-ask", daemon=True
                ).start()
            return self._asked

    def _answer(self, asked: "Future[Answer]") -> None:
        try:
            asked.set_result(self._ask())
        except Exception as error:
            asked.set_exception(error)
