"""gunicorn behind nginx, and what flask doctor finds there."""

from collections.abc import Iterator
from contextlib import contextmanager

from support.absence import skip_or_fail
from support.nginx import run_nginx_with
from support.servers import Gunicorn, Unavailable, find_free_port

from embed.doctor.findings import Finding
from embed.doctor.public_address import check_public_address
from embed.doctor.variables import Installation
from embed.domain import times

PASSED_ON = """
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;
"""
BODIES = "client_max_body_size 18m;"


class Proxied:
    """A service whose environment names the address of its proxy."""

    def __init__(self, environ: dict[str, str], *, scheme: str = "http") -> None:
        self.port = find_free_port()
        self.url = f"{scheme}://{'localhost' if scheme == 'https' else '127.0.0.1'}:{self.port}"
        self.environ = {"PUBLIC_URL": self.url, "TRUSTED_PROXIES": "1"} | environ
        self.server = Gunicorn(self.environ)

    @property
    def backend(self) -> str:
        return self.server.url

    def write_server(
        self, location: str = "", *, server: str = BODIES, passed_on: str = PASSED_ON
    ) -> str:
        """Return nginx's server that passes everything on to the service."""
        return f"""
            server {{
                listen 127.0.0.1:{self.port};
                {server}
                location / {{
                    proxy_pass {self.backend};
                    {passed_on}
                    {location}
                }}
            }}
        """

    def examine(self, sample: str, **variables: str) -> dict[str, Finding]:
        """Return what is found, by code, while nginx runs with these servers."""
        with self.run_proxy(sample):
            return self.ask(**variables)

    @contextmanager
    def run_proxy(self, sample: str) -> Iterator[None]:
        try:
            with run_nginx_with(sample, self.port):
                yield
        except Unavailable as why:
            skip_or_fail(str(why))

    def list_findings(self, sample: str) -> list[Finding]:
        with self.run_proxy(sample):
            return self._find()

    def _find(self, **variables: str) -> list[Finding]:
        installation = Installation.from_environ(self.environ | variables)
        return list(check_public_address(installation, times.now))

    def ask(self, **variables: str) -> dict[str, Finding]:
        findings = self._find(**variables)
        by_code = {finding.code: finding for finding in findings}
        assert len(by_code) == len(findings), findings
        return by_code


@contextmanager
def run_proxied(environ: dict[str, str], *, scheme: str = "http") -> Iterator[Proxied]:
    service = Proxied(environ, scheme=scheme)
    service.server.start()
    try:
        yield service
    finally:
        service.server.stop()
