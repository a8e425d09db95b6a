"""Pictures that are drawn once, one at a time, and kept while there is room."""

import threading
from collections.abc import Callable, Hashable
from contextlib import suppress

from cachetools import LRUCache

MAX_BYTES = 8 * 1024 * 1024  # in each process; a picture has about 20 KB


class KeptPictures:
    """Pictures by what they show."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._pictures = LRUCache[Hashable, bytes](maxsize=max_bytes, getsizeof=len)
        self._lock = threading.Lock()
        self._drawing = threading.Lock()

    def find(self, shown: Hashable, draw: Callable[[], bytes]) -> bytes | None:
        """Return the picture, drawn if it isn't kept; None while another one is drawn."""
        with self._lock:
            picture: bytes | None = self._pictures.get(shown)
        if picture is not None:
            return picture
        if not self._drawing.acquire(blocking=False):
            return None
        try:
            picture = draw()
        finally:
            self._drawing.release()
        with self._lock, suppress(ValueError):  # larger than the room for all
            self._pictures[shown] = picture
        return picture
