"""Limits how many threads do slow work at once: it's refused to others, so no request waits."""

from threading import Semaphore

from embed.domain.texts import gettext_noop


class Busy(Exception):
    """Enough threads are doing this already; the text is a sentence for owners, to translate."""

    def __init__(self) -> None:
        super().__init__(
            gettext_noop("The server is busy doing this for others. Try again in a moment.")
        )


class ConcurrencyLimit:
    """A context for a limited number of threads; raises Busy right away for any other."""

    def __init__(self, at_once: int) -> None:
        self._free = Semaphore(at_once)

    def __enter__(self) -> None:
        if not self._free.acquire(blocking=False):
            raise Busy

    def __exit__(self, *_: object) -> None:
        self._free.release()
