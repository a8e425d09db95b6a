"""A sample site on its own origin: it embeds the demo's widget, and shows its mailbox."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Render = Callable[[], str]


@contextmanager
def serve_host_site(pages: Mapping[str, Render], port: int) -> Iterator[None]:
    """Serve HTML by path on `port` until the block ends; every other path shows the page of /."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _make_handler(pages))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _make_handler(pages: Mapping[str, Render]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path, pages["/"])().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Do not log requests to standard error."""

    return Handler
