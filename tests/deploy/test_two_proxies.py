"""One or two real proxies before the service, which write X-Forwarded-Proto in different ways."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import requests
from support.absence import skip_or_fail
from support.nginx import IN_FOLDER, find_nginx
from support.remote import TIMEOUT_S, make_environ
from support.servers import (
    Server,
    Unavailable,
    find_free_port,
    is_listening,
    run_gunicorn,
    wait_until,
)

pytestmark = pytest.mark.slow

HOST = "embed.example.com"
# What nginx writes as X-Forwarded-Proto. Between two proxies, HTTPS may have ended.
SETS, SETS_HTTP, PASSES_ON = "https", "http", "$http_x_forwarded_proto"
APPENDS, APPENDS_HTTP = f"{PASSES_ON}, https", f"{PASSES_ON}, http"
CADDY_PASSES_ON = None
NGINX = (
    """
daemon off;
pid {folder}/pid;
events {{}}
http {{"""
    + IN_FOLDER
    + """
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{to};
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto "{proto}";
        }}
    }}
}}
"""
)
CADDY = """
{{
	admin off
}}
http://:{port} {{
	reverse_proxy 127.0.0.1:{to} {{
		trusted_proxies 127.0.0.0/8
	}}
}}
"""


@contextmanager
def run_proxy(folder: Path, to: int, proto: str | None) -> Iterator[int]:
    """Run nginx, or Caddy where nothing says what nginx writes; yield its port."""
    port = find_free_port()
    folder.mkdir()
    config = folder / "proxy.conf"
    config.write_text((NGINX if proto else CADDY).format(**locals()))
    if proto is None:
        command = ["caddy", "run", "--adapter", "caddyfile", "--config", config]
    else:
        command = [find_nginx(), "-c", config, "-e", folder / "error.log"]
    home = os.environ | {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with (folder / "log").open("wb") as log:
        server = Server(command, env=home, stderr=log)
    try:
        wait_until(lambda: is_listening(port), server.process)
        yield port
    finally:
        server.end(server.process.terminate)


def get_from(address: str, port: int, **headers: str) -> requests.Response:
    """Send a request from another address of this machine, which has all of 127.0.0.0/8."""

    class FromThere(requests.adapters.HTTPAdapter):
        def init_poolmanager(self, *arguments, **options):
            super().init_poolmanager(*arguments, source_address=(address, 0), **options)

    with requests.Session() as client:
        client.mount("http://", FromThere())
        url = f"http://127.0.0.1:{port}/embed/tracking/x"
        return client.get(url, headers={"Host": HOST} | headers, timeout=TIMEOUT_S)


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    try:
        find_nginx()
    except Unavailable as why:
        skip_or_fail(str(why))
    if shutil.which("caddy") is None:
        skip_or_fail("apt-get install caddy brings a Caddy for tests")


@pytest.mark.parametrize(
    "written",  # by each proxy, the first one first
    [
        [SETS],
        [APPENDS],
        [SETS, SETS_HTTP],
        [SETS, CADDY_PASSES_ON],
        [APPENDS, APPENDS_HTTP],
        [APPENDS, PASSES_ON],
    ],
)
def test_scheme_and_address_are_those_of_the_visitor_and_not_what_they_claim(
    written, make_sqlite, tmp_path
):
    claims = {
        "X-Forwarded-Proto": "http",
        "X-Forwarded-For": '192.0.2.1, "192.0.2.2',
        "X-Forwarded-Host": "evil.example",
        "X_Forwarded_For": "192.0.2.3",
        "Forwarded": "for=192.0.2.4;proto=http",
    }
    environ = make_environ(
        make_sqlite(),
        TRUSTED_PROXIES=str(len(written)),
        PUBLIC_URL=f"https://{HOST}",
        LIMIT_PER_IP="1/day",
    )
    with run_gunicorn(environ) as service, ExitStack() as running:
        port = service.port
        for count, proto in enumerate(reversed(written)):
            port = running.enter_context(run_proxy(tmp_path / str(count), port, proto))
        answers = [get_from(f"127.0.0.{n}", port, **claims) for n in (57, 58, 57)]

    assert [answer.status_code for answer in answers] == [401, 401, 429]
    assert all("Strict-Transport-Security" in answer.headers for answer in answers)
