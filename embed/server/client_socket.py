"""A client's connection that never makes the thread that uses it wait for the client."""

import socket
import time
from collections import deque

from embed.server.framing import Framing, IsSignedIn
from embed.server.large_body import LargeBody

_STEP_BYTES = 64 * 1024
_MOST_DISCARDED_BYTES = 8 * 1024 * 1024


class ClientSocket(socket.socket):
    """What gunicorn reads comes from memory, and what it writes goes there.

    The worker's loop fills and empties that memory as the client sends and reads. It ends a
    connection at its deadline, which bytes that pass postpone at a rate of `bytes_per_s`, but
    never beyond `patience_s` from now.
    """

    def __init__(
        self,
        accepted: socket.socket,
        patience_s: float,
        bytes_per_s: int,
        is_signed_in: IsSignedIn,
    ) -> None:
        super().__init__(fileno=accepted.detach())
        super().setblocking(False)
        self.received = bytearray()
        self.framing = Framing(is_signed_in)
        self.deadline = 0.0
        self.is_exhausted = False  # for good: a connection does not outlive it
        self.unsent_bytes = 0  # of all that is not sent whole, as none of it is freed before
        self._unsent: deque[bytes] = deque()
        self._sent_of_first = 0
        self._large_body: LargeBody | None = None  # what follows `received`
        self._is_signed_in = is_signed_in
        self._discarded_bytes = 0
        self._patience_s = patience_s
        self._bytes_per_s = bytes_per_s

    # For gunicorn's parser and response, in a thread

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Return what was received; empty, as at the end, when there is no more of it."""
        taken = bytes(self.received[:size])
        del self.received[:size]
        if not taken and self._large_body is not None:
            taken = self._large_body.read(size)
            if self._large_body.is_read:
                self._large_body = None
        self.is_exhausted = self.is_exhausted or not taken
        return taken

    def sendall(  # type: ignore[override]  # gunicorn sends bytes only
        self, data: bytes, flags: int = 0
    ) -> None:
        """Send what the client takes at once, and keep the rest."""
        self._unsent.append(data)
        self.unsent_bytes += len(data)
        self.flush()

    def setblocking(self, flag: bool) -> None:
        """Stay as it is; never blocking."""

    def settimeout(self, value: float | None) -> None:
        """Stay as it is; never blocking."""

    # For the worker's loop

    @property
    def received_bytes(self) -> int:
        return len(self.received) + self._count_large()

    @property
    def has_request(self) -> bool:
        """Tell whether it is whole, malformed, or too long to wait for."""
        return self.framing.can_pass_on(self.received, self._count_large())

    def begin_request(self, read_ahead: bytes) -> None:
        """Expect a request; `read_ahead` is what the parser has already taken of it."""
        self.received[:0] = read_ahead
        self.framing = Framing(self._is_signed_in)
        self.restart_deadline()

    def restart_deadline(self, patience_s: float | None = None) -> None:
        self.deadline = time.monotonic() + (patience_s or self._patience_s)

    def receive(self) -> bool:
        """Keep what has arrived; return False at the end."""
        if self._large_body is None and self.framing.large_bytes:
            self._large_body = LargeBody(self.framing.large_bytes - len(self.received))
        if self._large_body is None:
            arrived = self._read()
            self.received += arrived or b""
        else:
            arrived = self._read(self._large_body.missing_bytes)
            self._large_body.write(arrived or b"")
        return arrived != b""

    def forget_request(self) -> None:
        self.received.clear()
        self._large_body = None

    def discard(self) -> bool:
        """Forget what was received and has arrived; return False at the end, or after 8 MiB."""
        self.forget_request()
        arrived = self._read()
        self._discarded_bytes += len(arrived or b"")
        return arrived != b"" and self._discarded_bytes <= _MOST_DISCARDED_BYTES

    def flush(self) -> bool:
        """Send what the client takes; return whether that was all."""
        while self._unsent:
            first = self._unsent[0]
            try:
                sent = self.send(memoryview(first)[self._sent_of_first :])
            except BlockingIOError:
                return False
            self._extend_deadline(sent)
            self._sent_of_first += sent
            if self._sent_of_first == len(first):
                self._unsent.popleft()
                self._sent_of_first = 0
                self.unsent_bytes -= len(first)
        return True

    def _count_large(self) -> int:
        return 0 if self._large_body is None else len(self._large_body)

    def _read(self, most_bytes: int = _STEP_BYTES) -> bytes | None:
        """Return what has arrived, at most 64 KiB; empty at the end, None if nothing has."""
        try:
            arrived = super().recv(min(most_bytes, _STEP_BYTES))
        except BlockingIOError:
            return None
        self._extend_deadline(len(arrived))
        return arrived

    def _extend_deadline(self, passed_bytes: int) -> None:
        postponed = self.deadline + passed_bytes / self._bytes_per_s
        self.deadline = min(postponed, time.monotonic() + self._patience_s)
