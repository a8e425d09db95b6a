"""What flask doctor finds at PUBLIC_URL."""

import ssl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from support.certificates import make_certificate
from support.servers import find_free_port
from support.world import RANDOM_KEY
from werkzeug.serving import make_server

from embed.doctor.findings import NotChecked
from embed.doctor.public_address import check_public_address
from embed.doctor.variables import Installation
from embed.outbound import http

pytestmark = pytest.mark.slow


def find(url: str) -> dict[str, str]:
    """Return the problems by code."""
    installation = Installation.from_environ({"SECRET_KEY": RANDOM_KEY, "PUBLIC_URL": url})
    return {each.code: each.problem for each in check_public_address(installation)}


@pytest.fixture
def start(request):
    """Serve until the test ends; return the port."""

    def start(server) -> int:
        Thread(target=server.serve_forever, daemon=True).start()
        request.addfinalizer(server.server_close)
        request.addfinalizer(server.shutdown)
        return server.server_address[1]

    return start


def make_other(status: int, body: bytes = b"Welcome!", **headers: str) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def test_service_that_answers_is_fine(app, start):
    port = start(make_server("127.0.0.1", 0, app))

    assert find(f"http://127.0.0.1:{port}") == {}


def test_nothing_and_something_else_are_found(start):
    (nothing,) = find(f"http://127.0.0.1:{find_free_port()}").items()
    (welcome,) = find(f"http://127.0.0.1:{start(make_other(200))}").items()
    (down,) = find(f"http://127.0.0.1:{start(make_other(502))}").items()

    assert {nothing[0], welcome[0], down[0]} == {"public_url_unreachable"}
    assert "connection was refused" in nothing[1]
    assert "200 Welcome!" in welcome[1]
    assert "502" in down[1]


def test_redirect_is_found(start):
    port = start(make_other(301, Location="https://www.example.com/"))

    assert "https://www.example.com/" in find(f"http://127.0.0.1:{port}")["public_url_redirects"]


def test_cloudflare_in_front_is_noticed(start):
    port = start(make_other(401, b'{"error": "missing_key"}', **{"CF-Ray": "8f0a"}))

    with pytest.raises(NotChecked, match="behind Cloudflare"):
        find(f"http://127.0.0.1:{port}")


def test_certificate_is_checked(start, tmp_path, monkeypatch):
    certificate = make_certificate(tmp_path / "both.pem")
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    server = make_other(401)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    url = f"https://localhost:{start(server)}"

    assert "self-signed certificate" in find(url)["certificate_invalid"]
    trusted = ssl.create_default_context(cafile=certificate)
    monkeypatch.setattr(http, "_make_tls_context", lambda: trusted)
    assert set(find(url)) == {"public_url_unreachable"}


def test_nothing_is_asked_without_a_public_url():
    installation = Installation.from_environ({"SECRET_KEY": RANDOM_KEY})

    with pytest.raises(NotChecked, match="PUBLIC_URL isn't set"):
        list(check_public_address(installation))
