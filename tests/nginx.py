"""A real nginx with the sample from docs/operating.md."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from servers import PROJECT_DIR, Server, Unavailable, find_free_port, is_listening, wait_until

_SAMPLE = re.compile(r"^```nginx\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MAIN = """
daemon off;
{user}
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 768; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {sample}
}}
"""


def read_sample() -> str:
    (sample,) = _SAMPLE.findall((PROJECT_DIR / "docs/operating.md").read_text())
    return sample


def adapt_sample(sample: str, http_port: int, port: int, service_port: int) -> str:
    """Replace its ports, and leave out IPv6 and TLS."""
    for pattern, replacement in [
        (r" listen \[::\].*;", ""),
        (r" ssl_\w+ .*;", ""),
        (r"listen 80;", f"listen 127.0.0.1:{http_port};"),
        (r"listen 443 ssl http2;", f"listen 127.0.0.1:{port};"),
        (r"http://127\.0\.0\.1:8000;", f"http://127.0.0.1:{service_port};"),
    ]:
        sample, count = re.subn(pattern, replacement, sample)
        assert count, pattern
    return sample


@contextmanager
def run_nginx(service_port: int, *, http_port: int | None = None) -> Iterator[str]:
    """Yield the address at which nginx passes requests on to a service.

    `http_port` is for the sample's first server, which is without HTTPS.
    """
    port = find_free_port()
    sample = adapt_sample(read_sample(), http_port or find_free_port(), port, service_port)
    with run_nginx_with(sample, port):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def run_nginx_with(sample: str, port: int) -> Iterator[None]:
    """Run nginx with the servers of `sample`, one of which listens on `port`."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        raise Unavailable("apt-get install nginx-light brings an nginx for tests")
    user = "user root;" if os.geteuid() == 0 else ""
    with tempfile.TemporaryDirectory(prefix="embed-nginx-") as folder:
        config = Path(folder) / "nginx.conf"
        config.write_text(_MAIN.format(user=user, folder=folder, sample=sample))
        server = Server([program, "-c", config, "-e", f"{folder}/error.log"], folder)
        try:
            wait_until(lambda: is_listening(port), server.process)
            yield
        finally:
            server.end(server.process.terminate)
