"""The HTTP server of metrics, which runs beside the app in each process."""

import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn
from time import monotonic
from typing import Any, cast

from prometheus_client import CONTENT_TYPE_LATEST

PATH = "/metrics"
# For a client to send its request and to read the answer.
PATIENCE_S = 10.0
_LOOK_S = 0.5
_MOST_CLIENTS = 8  # of each process; others are turned away


def start_listener(listening: socket.socket, write: Callable[[], bytes]) -> None:
    """Answer clients of a socket, which several processes may share, until the process ends."""
    server = _Server(listening, write)
    threading.Thread(
        target=server.serve_forever, args=(_LOOK_S,), name="metrics", daemon=True
    ).start()


class _Server(ThreadingMixIn, HTTPServer):
    daemon_threads = True

    def __init__(self, listening: socket.socket, write: Callable[[], bytes]) -> None:
        super().__init__(("", 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listening
        self.write = write
        self._deadlines: dict[Any, float] = {}

    def process_request(self, request: Any, client_address: Any) -> None:
        if len(self._deadlines) >= _MOST_CLIENTS:
            self.shutdown_request(request)
            return
        self._deadlines[request] = monotonic() + PATIENCE_S
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._deadlines.pop(request, None)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """Break off clients that send or read too slowly; called in every turn of the loop."""
        for request, deadline in list(self._deadlines.items()):
            if deadline < monotonic():
                with suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log what is our mistake, but not what clients do."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    timeout = PATIENCE_S

    def parse_request(self) -> bool:
        is_whole = super().parse_request()
        if is_whole and (self.command, self.path.partition("?")[0]) != ("GET", PATH):
            self.send_error(404)
            return False
        return is_whole

    def do_GET(self) -> None:
        body = cast(_Server, self.server).write()
        self.send_response(200)
        self.send_header("Content-Type", CONTENT_TYPE_LATEST)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Log nothing of clients."""
