"""A forwarder between a browser and the service that keeps what passes on the wire."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread


class Wire:
    """The bytes of all connections so far, in the order of their arrival."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.sent = b""  # by the browser
        self.received = b""

    def clear(self) -> None:
        self.sent = self.received = b""


@contextmanager
def count_bytes(target_port: int) -> Iterator[Wire]:
    """Forward connections to a port on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        wire = Wire(server.getsockname()[1])
        Thread(target=_accept, args=(server, target_port, wire), daemon=True).start()
        try:
            yield wire
        finally:
            server.shutdown(socket.SHUT_RDWR)


def _accept(server: socket.socket, target_port: int, wire: Wire) -> None:
    with suppress(OSError):  # the end of the forwarder
        while True:
            browser, _ = server.accept()
            Thread(target=_connect, args=(browser, target_port, wire), daemon=True).start()


def _connect(browser: socket.socket, target_port: int, wire: Wire) -> None:
    with browser, socket.create_connection(("127.0.0.1", target_port)) as service:
        answering = Thread(target=_forward, args=(service, browser, "received", wire), daemon=True)
        answering.start()
        _forward(browser, service, "sent", wire)
        answering.join()


def _forward(source: socket.socket, target: socket.socket, name: str, wire: Wire) -> None:
    with suppress(OSError):  # one of the two hung up
        while chunk := source.recv(65536):
            setattr(wire, name, getattr(wire, name) + chunk)
            target.sendall(chunk)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
