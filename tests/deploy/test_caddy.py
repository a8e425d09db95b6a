"""deploy/Caddyfile: its own check, and a real Caddy in front of two instances."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path

import pytest
from deploy_files import DEPLOY_DIR
from support.absence import skip_or_fail
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import Server, find_free_port, is_listening, run_gunicorn, wait_until
from support.world import SITE

pytestmark = pytest.mark.slow

SAMPLE = DEPLOY_DIR / "Caddyfile"
HOST = "embed.example.com"
TOKEN = "a-token-of-a-one-time-link-that-nobody-else-has"
# Inside the sample's own global options: ports that are free here, and no certificate authority.
GLOBAL = """
	admin off
	http_port {http_port}
	https_port {https_port}
	local_certs
	skip_install_trust
"""


@pytest.fixture(scope="module")
def caddy() -> str:
    program = shutil.which("caddy")
    if program is None:
        skip_or_fail("apt-get install caddy brings a Caddy for tests")
    return program


def make_caddy_environ(folder: Path) -> dict[str, str]:
    """Return an environment in which Caddy keeps its files in a folder."""
    return os.environ | {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}


@pytest.mark.parametrize("upstreams", ["", "embed1:8000 embed2:8000"])
def test_caddy_takes_the_sample(upstreams, caddy, tmp_path):
    environ = make_caddy_environ(tmp_path)
    if upstreams:
        environ |= {"EMBED_UPSTREAMS": upstreams, "PUBLIC_URL": "https://other.example.com"}

    done = subprocess.run(
        [caddy, "validate", "--adapter", "caddyfile", "--config", SAMPLE],
        capture_output=True,
        text=True,
        env=environ,
    )

    assert done.returncode == 0, done.stderr


class Caddy:
    """A Caddy that serves the sample, with a certificate that nobody trusts."""

    def __init__(self, program: str, folder: Path, upstreams: str) -> None:
        self.http_port, self.https_port = find_free_port(), find_free_port()
        options = GLOBAL.format(http_port=self.http_port, https_port=self.https_port)
        config = folder / "Caddyfile"
        config.write_text(SAMPLE.read_text().replace("\n{\n", "\n{" + options, 1))
        self.log = folder / "log"
        environ = make_caddy_environ(folder) | {
            "PUBLIC_URL": f"https://{HOST}",
            "EMBED_UPSTREAMS": upstreams,
        }
        with self.log.open("wb") as log:
            self._server = Server(
                [program, "run", "--adapter", "caddyfile", "--config", config],
                env=environ,
                stderr=log,
            )
        wait_until(self._serves, self._server.process)

    def _serves(self) -> bool:
        """Tell whether it has its certificate, without which it refuses connections."""
        if not (is_listening(self.http_port) and is_listening(self.https_port)):
            return False
        try:
            self.get("/healthz")
        except ssl.SSLError:
            return False
        return True

    def get(self, path: str, *, tls: bool = True, **headers: str) -> HTTPResponse:
        port = self.https_port if tls else self.http_port
        lines = {"Host": HOST, "Connection": "close"} | headers
        request = f"GET {path} HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in lines.items())
        plain = socket.create_connection(("127.0.0.1", port), TIMEOUT_S)
        with plain, self._wrap(plain) if tls else plain as client:
            client.sendall(request.encode() + b"\r\n")
            answer = HTTPResponse(client, method="GET")
            answer.begin()
            answer.content = answer.read()
            return answer

    def _wrap(self, plain: socket.socket) -> ssl.SSLSocket:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context.wrap_socket(plain, server_hostname=HOST)

    def end(self) -> None:
        self._server.end(self._server.process.terminate)


@pytest.fixture(scope="module")
def served(caddy, make_sqlite, redis_url, tmp_path_factory) -> Iterator[tuple]:
    """A Caddy, two instances, and a page of theirs."""
    environ = make_environ(
        make_sqlite(),
        TRUSTED_PROXIES="1",
        PUBLIC_URL=f"https://{HOST}",
        RATELIMIT_STORAGE_URI=redis_url,
    )
    with run_gunicorn(environ) as one, run_gunicorn(environ) as other:
        page = RemotePage(one.url, environ)
        upstreams = f"127.0.0.1:{one.port} 127.0.0.1:{other.port}"
        running = Caddy(caddy, tmp_path_factory.mktemp("caddy"), upstreams)
        try:
            yield running, (one, other), page
        finally:
            running.end()


def read(caddy: Caddy, page: RemotePage) -> HTTPResponse:
    headers = {"Authorization": f"Bearer {page.public_key}", "Origin": SITE}
    return caddy.get(f"/api/embed/tracking/{page.page_id}", **headers)


def test_visitors_are_served_by_https_and_the_service_knows_it(served):
    caddy, _, page = served

    answer = caddy.get(f"/embed/tracking/{page.page_id}?key={page.public_key}")

    assert answer.status == 200
    assert "Strict-Transport-Security" in answer.headers
    assert read(caddy, page).status == 200


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/api/embed/tracking/x", 403, None),
        ("/embed/api/siws/nonce", 403, None),
        ("/embed/tracking/x?key=y", 301, f"https://{HOST}/embed/tracking/x?key=y"),
    ],
)
def test_pages_without_https_are_redirected_and_api_calls_refused(path, status, location, served):
    answer = served[0].get(path, tls=False)

    assert (answer.status, answer.headers.get("Location")) == (status, location)


def test_visitors_do_not_choose_the_id_of_their_request(served):
    answer = served[0].get("/", **{"X-Request-Id": "chosen-by-a-visitor"})

    (request_id,) = answer.headers.get_all("X-Request-Id")
    assert "chosen" not in request_id
    assert len(request_id) == 36  # the proxy's


def test_log_has_no_key_no_one_time_link_and_no_whole_address(served):
    caddy, _, page = served
    read(caddy, page)
    for path in (
        f"/embed/tracking/{page.page_id}?key={page.public_key}",
        f"/embed/tracking/{page.public_key}/x",
        f"/dashboard/password/{TOKEN}",
        f"/dashbord/password/{TOKEN}/x?y=z",
        f"/{TOKEN}",
        f"/%0A/{TOKEN}/x/{page.public_key}",
        f"/{page.public_key}/{page.public_key}",
    ):
        caddy.get(path, Cookie="embed_session=a-secret-cookie", Referer=f"https://{HOST}{path}")
        caddy.get(path, tls=False, Cookie="embed_session=a-secret-cookie")

    lines = [json.loads(line) for line in caddy.log.read_text().splitlines()]
    requests = [line["request"] for line in lines if "request" in line]
    log = caddy.log.read_text()

    uris = {request["uri"] for request in requests}
    assert {f"/embed/tracking/{page.page_id}", "/dashboard/password/"} <= uris
    assert {request["remote_ip"] for request in requests} == {"127.0.0.0"}
    for secret in (page.public_key, TOKEN, "a-secret-cookie"):
        assert secret not in log
    assert not re.search(r'"127\.0\.0\.1[":]', "\n".join(map(str, requests)))
