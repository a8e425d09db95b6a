"""A server that answers each connection with whatever bytes a test wants."""

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

ANSWER_LIMIT_S = 30

Answerer = Callable[[socket.socket], object]


@contextmanager
def serve_raw(
    answer: Answerer, host: str = "127.0.0.1", *, reads_first: bool = True
) -> Iterator[int]:
    """Run `answer` for each connection in a thread of its own, and return the port.

    It runs after an HTTP request was read, unless `reads_first` is False.
    """
    with socket.create_server((host, 0)) as server:
        Thread(target=_accept, args=(server, answer, reads_first), daemon=True).start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)


def _accept(server: socket.socket, answer: Answerer, reads_first: bool) -> None:
    with suppress(OSError):  # the end of the server
        while True:
            connection, _ = server.accept()
            Thread(target=_answer, args=(connection, answer, reads_first), daemon=True).start()


def _answer(connection: socket.socket, answer: Answerer, reads_first: bool) -> None:
    with connection, suppress(OSError):  # the client may hang up at any time
        connection.settimeout(ANSWER_LIMIT_S)
        if reads_first:
            read_request(connection)
        answer(connection)


def read_request(connection: socket.socket) -> None:
    """Read a whole request: a socket that is closed with something to read is reset."""
    request = b""
    while chunk := connection.recv(65536):
        request += chunk
        head, _, body = request.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if length is None or len(body) >= int(length[1]):
            return


def send(*parts: bytes) -> Answerer:
    """Send these bytes, and hang up."""
    return lambda connection: connection.sendall(b"".join(parts))


def wait(connection: socket.socket) -> None:
    """Send nothing until the client hangs up."""
    while connection.recv(1024):
        pass


def repeat(start: bytes, part: bytes) -> Answerer:
    """Send a start, and then the same again and again until the client hangs up."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(start)
        many = part * max(1, 65536 // len(part))
        while True:
            connection.sendall(many)

    return answer


def trickle(start: bytes, pause_s: float) -> Answerer:
    """Send a start, and then a byte at a time for ever."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(start)
        connection.settimeout(pause_s)
        while True:
            try:
                if not connection.recv(1):
                    return
            except TimeoutError:
                connection.sendall(b"a")

    return answer
