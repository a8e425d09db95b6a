"""An HTTP server with Solana's JSON-RPC over the ledger; it counts, and fails on request."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from chain.ledger import Ledger
from chain.rpc_methods import Methods, RpcError

HANG_LIMIT_S = 30

# Answers wrongly: is handed the request's handler, and the right answer.
Fault = Callable[[Any, dict[str, Any]], None]


@dataclass
class _Planned:
    fault: Fault
    times: int | None  # None: until heal()
    method: str | None  # None: any


class RpcServer:
    """One endpoint; several may share a ledger."""

    def __init__(self, ledger: Ledger, *, latency_s: float = 0) -> None:
        self.ledger = ledger
        self.latency_s = latency_s
        self.calls: Counter[str] = Counter()
        self.connections = 0  # how many were opened
        self.open_connections: set[Any] = set()
        self.closing = threading.Event()
        self._methods = Methods(ledger)
        self._faults: list[_Planned] = []
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/?api-key=a-secret"

    def fail(self, fault: Fault, *, times: int | None = None, method: str | None = None) -> None:
        """Answer by this fault so many times, or until `heal`; only `method`, if given."""
        with self._lock:
            self._faults.append(_Planned(fault, times, method))

    def take(self, most_accounts: int) -> None:
        """Refuse calls for more accounts than this."""
        self._methods.most_accounts = most_accounts

    def heal(self) -> None:
        with self._lock:
            self._faults.clear()

    def stop(self) -> None:
        """Refuse connections from now on, and answer nothing on those that are open."""
        if self._server is not None:
            self.closing.set()
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def start(self) -> None:
        """Listen; after `stop` on the same port."""
        self.closing.clear()
        handler = type("Handler", (_Handler,), {"rpc": self})
        self._server = _Server(("127.0.0.1", self._port), handler)
        self._port = self._server.server_port
        serve = self._server.serve_forever
        threading.Thread(target=serve, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def answer(self, request: Any) -> dict[str, Any]:
        """Return the whole answer to a request."""
        head = {"jsonrpc": "2.0", "id": request.get("id")}
        try:
            result = self._methods.answer(request["method"], request.get("params", []))
        except RpcError as error:
            return head | {"error": {"code": error.code, "message": str(error)}}
        return head | {"result": result}

    def count(self, method: str) -> Fault | None:
        """Count a call, and return the fault that is planned for it."""
        with self._lock:
            self.calls[method] += 1
            for planned in self._faults:
                if planned.method in (None, method) and planned.times != 0:
                    if planned.times is not None:
                        planned.times -= 1
                    return planned.fault
        return None

    def add_connection(self, connection: Any) -> None:
        with self._lock:
            self.connections += 1
            self.open_connections.add(connection)

    def remove_connection(self, connection: Any) -> None:
        with self._lock:
            self.open_connections.discard(connection)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that give up are part of many tests."""


class _Handler(BaseHTTPRequestHandler):
    rpc: RpcServer
    timeout = HANG_LIMIT_S
    protocol_version = "HTTP/1.1"  # connections stay open
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.rpc.add_connection(self.connection)

    def finish(self) -> None:
        self.rpc.remove_connection(self.connection)
        super().finish()

    def do_POST(self) -> None:
        if self.rpc.closing.is_set():
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        fault = self.rpc.count(request["method"])
        if self.rpc.latency_s:
            time.sleep(self.rpc.latency_s)  # as a distant endpoint takes to answer
        if fault is not None:
            fault(self, self.rpc.answer(request))
        else:
            self.send_json(self.rpc.answer(request))

    def send_json(self, answer: Any, status: int = 200, headers: Any = None) -> None:
        self.send(json.dumps(answer).encode(), status, headers)

    def send(self, body: bytes, status: int = 200, headers: Any = None) -> None:
        self.send_response(status)
        known = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        for name, value in (known | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(OSError):  # the client refused to read it all
            self.wfile.write(body)

    def hang(self) -> None:
        """Wait until the server stops."""
        self.close_connection = True
        self.rpc.closing.wait(HANG_LIMIT_S)

    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextmanager
def run_rpc(ledger: Ledger, **options: Any) -> Iterator[RpcServer]:
    server = RpcServer(ledger, **options)
    try:
        yield server
    finally:
        server.stop()
