"""A real Caddy with deploy/Caddyfile."""

import os
import shutil
import socket
import ssl
from collections.abc import Callable
from http.client import HTTPResponse
from pathlib import Path

from support.absence import skip_or_fail
from support.remote import TIMEOUT_S
from support.servers import PROJECT_DIR, Server, find_free_port, is_listening, wait_until

SAMPLE = PROJECT_DIR / "deploy/Caddyfile"
HOST = "embed.example.com"
# Inside the sample's own global options: ports that are free here, and no certificate authority.
GLOBAL = """
	admin off
	http_port {http_port}
	https_port {https_port}
	local_certs
	skip_install_trust
"""


def find_caddy() -> str:
    program = shutil.which("caddy")
    if program is None:
        skip_or_fail("apt-get install caddy brings a Caddy for tests")
    return program


def make_caddy_environ(folder: Path) -> dict[str, str]:
    """Return an environment in which Caddy keeps its files in a folder."""
    return os.environ | {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}


def ask(
    port: int, path: str, *, tls: bool = True, address: str = "127.0.0.1", **headers: str
) -> HTTPResponse:
    """Send a request to HOST from an address of this machine, which has all of 127.0.0.0/8."""
    lines = {"Host": HOST, "Connection": "close"} | headers
    request = f"GET {path} HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in lines.items())
    plain = socket.create_connection(("127.0.0.1", port), TIMEOUT_S, (address, 0))
    with plain, _wrap(plain) if tls else plain as client:
        client.sendall(request.encode() + b"\r\n")
        answer = HTTPResponse(client, method="GET")
        answer.begin()
        answer.content = answer.read()
        return answer


def _wrap(plain: socket.socket) -> ssl.SSLSocket:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(plain, server_hostname=HOST)


class Caddy:
    """A Caddy that serves the sample, with a certificate that nobody trusts."""

    def __init__(
        self, folder: Path, upstreams: str, *, adapt: Callable[[str], str] = lambda sample: sample
    ) -> None:
        self.http_port, self.https_port = find_free_port(), find_free_port()
        options = GLOBAL.format(http_port=self.http_port, https_port=self.https_port)
        config = folder / "Caddyfile"
        config.write_text(adapt(SAMPLE.read_text()).replace("\n{\n", "\n{" + options, 1))
        self.log = folder / "log"
        environ = make_caddy_environ(folder) | {
            "PUBLIC_URL": f"https://{HOST}",
            "EMBED_UPSTREAMS": upstreams,
        }
        with self.log.open("wb") as log:
            self._server = Server(
                [find_caddy(), "run", "--adapter", "caddyfile", "--config", config],
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
        return ask(self.https_port if tls else self.http_port, path, tls=tls, **headers)

    def end(self) -> None:
        self._server.end(self._server.process.terminate)
