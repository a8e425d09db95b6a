"""Pictures that are drawn once, one at a time, and kept while there is room."""

import threading
from collections.abc import Callable, Hashable

from cachetools import LRUCache

from embed.web.shared_cache import SharedCache

MAX_BYTES = 8 * 1024 * 1024  # in each process; a picture has about 20 KB


class KeptPictures:
    """Pictures by what they show."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._pictures = SharedCache[Hashable, bytes](LRUCache(max_bytes, getsizeof=len))
        self._drawing = threading.Lock()

    def find(self, shown: Hashable, draw: Callable[[], bytes]) -> bytes | None:
        """Return the picture, drawn if it isn't kept; None while another one is drawn."""
        picture = self._pictures.get(shown)
        if picture is not None:
            return picture
        if not self._drawing.acquire(blocking=False):
            return None
        try:
            picture = draw()
        finally:
            self._drawing.release()
        self._pictures.set(shown, picture)
        return picture
