"""The samples behind another real proxy, which does to requests what Cloudflare does.

https://developers.cloudflare.com/fundamentals/reference/http-headers/
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support.caddy import HOST, Caddy, ask
from support.certificates import make_certificate
from support.nginx import run_nginx, run_servers
from support.remote import make_environ
from support.servers import find_free_port, provide, run_gunicorn

pytestmark = pytest.mark.slow

EDGE_ADDRESS = "127.0.0.9"
EDGE = """
    server {{
        listen 127.0.0.1:{port} ssl;
        ssl_certificate {certificate};
        ssl_certificate_key {certificate};
        location / {{
            proxy_bind {address};
            proxy_pass {origin};
            proxy_ssl_server_name on;
            proxy_ssl_name {host};
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header CF-Connecting-IP $remote_addr;
            proxy_set_header CF-Visitor '{{"scheme":"$scheme"}}';
        }}
    }}
"""
# What operators add, with Cloudflare's addresses: to nginx's conf.d, and in the Caddyfile.
NGINX = f"set_real_ip_from {EDGE_ADDRESS};\nreal_ip_header CF-Connecting-IP;\n"
CADDY_EXAMPLE = "#trusted_proxies 192.0.2.0/24 2001:db8::/32"
CADDY = f"trusted_proxies {EDGE_ADDRESS}"


def trust_edge(sample: str) -> str:
    assert CADDY_EXAMPLE in sample
    return sample.replace(CADDY_EXAMPLE, CADDY)


@contextmanager
def run_sample(proxy: str, service_port: int, folder: Path) -> Iterator[str]:
    """Yield the sample's address."""
    if proxy == "nginx":
        yield from provide(partial(run_nginx, service_port, beside=NGINX))
    else:
        caddy = Caddy(folder, f"127.0.0.1:{service_port}", adapt=trust_edge)
        try:
            yield f"https://127.0.0.1:{caddy.https_port}"
        finally:
            caddy.end()


@pytest.fixture(params=["nginx", "Caddy"])
def visit(request, make_sqlite, tmp_path) -> Iterator[Callable[..., int]]:
    """A function that visits through the edge or around it, claiming some address."""
    environ = make_environ(
        make_sqlite(), TRUSTED_PROXIES="1", PUBLIC_URL=f"https://{HOST}", LIMIT_PER_IP="1/day"
    )
    edge_port = find_free_port()
    with (
        run_gunicorn(environ) as service,
        run_sample(request.param, service.port, tmp_path) as origin,
        run_servers(
            EDGE.format(
                port=edge_port,
                certificate=make_certificate(tmp_path / "edge.pem"),
                address=EDGE_ADDRESS,
                origin=origin,
                host=HOST,
            ),
            edge_port,
        ),
    ):
        url = urlsplit(origin)

        def visit(visitor: int, *, claimed: int, around: bool = False) -> int:
            answer = ask(
                url.port if around else edge_port,
                "/embed/tracking/x",
                tls=url.scheme == "https" if around else True,
                address=f"127.0.0.{visitor}",
                **dict.fromkeys(("X-Forwarded-For", "CF-Connecting-IP"), f"127.0.0.{claimed}"),
                **{"X-Forwarded-Proto": "http", "CF-Visitor": '{"scheme":"http"}'},
            )
            assert "Strict-Transport-Security" in answer.headers  # the service knows of HTTPS
            return answer.status

        yield visit


def test_visitors_count_by_their_own_address_through_cloudflare_and_around_it(visit):
    assert [visit(n, claimed=90) for n in (57, 58, 57)] == [401, 401, 429]
    assert visit(57, claimed=91) == 429
    assert visit(90, claimed=57) == 401  # what others claimed was not counted
    # By the same address around Cloudflare, they are the same visitors.
    assert [visit(n, claimed=92, around=True) for n in (57, 60, 60)] == [429, 401, 429]
    assert visit(60, claimed=93, around=True) == 429
    assert visit(92, claimed=57, around=True) == 401
