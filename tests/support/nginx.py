"""A real nginx with deploy/nginx.conf."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.servers import (
    PROJECT_DIR,
    Server,
    Unavailable,
    find_free_port,
    is_listening,
    wait_until,
)

SAMPLE = PROJECT_DIR / "deploy/nginx.conf"
LOG = "embed.log"

# It writes nothing outside the folder.
_MAIN = """
daemon off;
{user}
pid {folder}/pid;
error_log {folder}/error.log;
{main}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/embed.conf;
}}
"""


def find_nginx() -> str:
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        raise Unavailable("apt-get install nginx-light brings an nginx for tests")
    return program


def adapt_sample(
    port: int, service_ports: tuple[int, ...], folder: Path, http_port: int | None = None
) -> str:
    """Return the sample with other ports and folders, and without IPv6 and TLS."""
    servers = "".join(f"    server 127.0.0.1:{one} max_fails=0;\n" for one in service_ports)
    sample = SAMPLE.read_text()
    for pattern, replacement in [
        (r" listen \[::\].*;", ""),
        (r" ssl_\w+ .*;", ""),
        (r"listen 80;", f"listen 127.0.0.1:{http_port or find_free_port()};"),
        (r"listen 443 ssl http2;", f"listen 127.0.0.1:{port};"),
        (r"    server 127\.0\.0\.1:8000 max_fails=0;\n", servers),
        (r"/var/log/nginx/", f"{folder}/"),
    ]:
        sample, count = re.subn(pattern, replacement, sample)
        assert count, pattern
    return sample


def write_config(folder: Path, servers: str) -> Path:
    """Write `server` blocks, and return the file that nginx is started with."""
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "embed.conf").write_text(servers)
    config = folder / "nginx.conf"
    main = "\n".join(re.findall(r"^#   (.+)", SAMPLE.read_text(), re.MULTILINE))
    config.write_text(_MAIN.format(user=user, folder=folder, main=main))
    return config


@contextmanager
def run_nginx(
    *service_ports: int,
    http_port: int | None = None,
    folder: Path | None = None,
    beside: str = "",
) -> Iterator[str]:
    """Yield the address at which nginx passes requests on to instances of the service.

    `http_port` is for the sample's first server, which is without HTTPS. `folder` gets the logs.
    `beside` is another file of /etc/nginx/conf.d.
    """
    port = find_free_port()
    with _make_folder() as made:
        sample = adapt_sample(port, service_ports, folder or made, http_port)
        with _run(write_config(folder or made, beside + sample), port, made):
            yield f"http://127.0.0.1:{port}"


@contextmanager
def run_servers(servers: str, port: int) -> Iterator[None]:
    """Run an nginx with these `server` blocks, one of which listens on the port."""
    with _make_folder() as folder, _run(write_config(folder, servers), port, folder):
        yield


@contextmanager
def _make_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="embed-nginx-") as folder:
        yield Path(folder)


@contextmanager
def _run(config: Path, port: int, folder: Path) -> Iterator[None]:
    server = Server([find_nginx(), "-c", config, "-e", f"{config.parent}/error.log"], folder)
    try:
        wait_until(lambda: is_listening(port), server.process)
        yield
    finally:
        server.end(server.process.terminate)
