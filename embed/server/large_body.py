"""The body of a large request, in memory that the process gives back."""

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap


class LargeBody:
    """Bytes that arrive until they are all there, and are then read once.

    They have pages of their own, of which the system provides those that are written to. In
    buffers of the heap, which grow side by side and move, they would take several times as much.
    """

    def __init__(self, length: int) -> None:
        self._pages = mmap(-1, length, flags=MAP_PRIVATE | MAP_ANONYMOUS)
        self._read_bytes = 0

    def __len__(self) -> int:
        """Return how many bytes have arrived."""
        return self._pages.tell()

    @property
    def missing_bytes(self) -> int:
        return len(self._pages) - len(self)

    @property
    def is_read(self) -> bool:
        return self._read_bytes == len(self)

    def write(self, data: bytes) -> None:
        """Append `data`, no more than what is missing."""
        self._pages.write(data)

    def read(self, size: int) -> bytes:
        """Return what follows what was read before; empty when nothing does."""
        end = min(self._read_bytes + size, len(self))
        data = self._pages[self._read_bytes : end]
        self._read_bytes = end
        return data
