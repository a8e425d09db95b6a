"""A client's connection that never makes the thread that uses it wait for the client."""

import socket
import time
from collections import deque

from embed.server.framing import Framing

_STEP_BYTES = 64 * 1024
_MOST_DISCARDED_BYTES = 8 * 1024 * 1024


class ClientSocket(socket.socket):
    """What gunicorn reads comes from memory, and what it writes goes there.

    The worker's loop fills and empties that memory as the client sends and reads. It ends a
    connection at its deadline, which bytes that pass postpone at a rate of `bytes_per_s`, but
    never beyond `patience_s` from now.
    """

    def __init__(self, accepted: socket.socket, patience_s: float, bytes_per_s: int) -> None:
        super().__init__(fileno=accepted.detach())
        super().setblocking(False)
        self.received = bytearray()
        self.framing = Framing()
        self.deadline = 0.0
        self.is_exhausted = False  # for good: a connection does not outlive it
        self.unsent_bytes = 0
        self._unsent: deque[memoryview] = deque()
        self._discarded_bytes = 0
        self._patience_s = patience_s
        self._bytes_per_s = bytes_per_s

    # For gunicorn's parser and response, in a thread

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Return what was received; empty, as at the end, when there is no more of it."""
        taken = bytes(self.received[:size])
        del self.received[:size]
        self.is_exhausted = self.is_exhausted or not taken
        return taken

    def sendall(  # type: ignore[override]  # gunicorn sends bytes only
        self, data: bytes, flags: int = 0
    ) -> None:
        """Send what the client takes at once, and keep the rest."""
        self._unsent.append(memoryview(data))
        self.unsent_bytes += len(data)
        self.flush()

    def setblocking(self, flag: bool) -> None:
        """Stay as it is; never blocking."""

    def settimeout(self, value: float | None) -> None:
        """Stay as it is; never blocking."""

    # For the worker's loop

    @property
    def received_bytes(self) -> int:
        return len(self.received)

    def begin_request(self, read_ahead: bytes) -> None:
        """Expect a request; `read_ahead` is what the parser has already taken of it."""
        self.received[:0] = read_ahead
        self.framing = Framing()
        self.restart_deadline()

    def restart_deadline(self) -> None:
        self.deadline = time.monotonic() + self._patience_s

    def receive(self) -> bool:
        """Append what has arrived to `received`; return False at the end."""
        arrived = self._read()
        self.received += arrived or b""
        return arrived != b""

    def discard(self) -> bool:
        """Forget what was received and has arrived; return False at the end, or after 8 MiB."""
        self.received.clear()
        arrived = self._read()
        self._discarded_bytes += len(arrived or b"")
        return arrived != b"" and self._discarded_bytes <= _MOST_DISCARDED_BYTES

    def flush(self) -> bool:
        """Send what the client takes; return whether that was all."""
        while self._unsent:
            try:
                sent = self.send(self._unsent[0])
            except BlockingIOError:
                return False
            self.unsent_bytes -= sent
            self._extend_deadline(sent)
            rest = self._unsent.popleft()[sent:]
            if rest:
                self._unsent.appendleft(rest)
        return True

    def _read(self) -> bytes | None:
        """Return what has arrived, at most 64 KiB; empty at the end, None if nothing has."""
        try:
            arrived = super().recv(_STEP_BYTES)
        except BlockingIOError:
            return None
        self._extend_deadline(len(arrived))
        return arrived

    def _extend_deadline(self, passed_bytes: int) -> None:
        postponed = self.deadline + passed_bytes / self._bytes_per_s
        self.deadline = min(postponed, time.monotonic() + self._patience_s)
