"""One or two real proxies before the service, which write X-Forwarded-Proto in different ways."""

from contextlib import ExitStack

import pytest
from support.absence import skip_or_fail
from support.caddy import HOST, ask
from support.nginx import find_nginx, run_servers, write_proxy
from support.remote import make_environ
from support.servers import Unavailable, find_free_port, run_gunicorn

pytestmark = pytest.mark.slow

# What nginx writes as X-Forwarded-Proto. Between two proxies, HTTPS may have ended.
SETS, SETS_HTTP, PASSES_ON = "https", "http", "$http_x_forwarded_proto"
APPENDS = f"{PASSES_ON}, https"
FORWARDED = """
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto "{proto}";
"""


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    try:
        find_nginx()
    except Unavailable as why:
        skip_or_fail(str(why))


@pytest.mark.parametrize(
    "written",  # by each proxy, the first one first
    [[APPENDS], [SETS, SETS_HTTP], [APPENDS, PASSES_ON]],
)
def test_scheme_and_address_are_those_of_the_visitor_and_not_what_they_claim(written, make_sqlite):
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
        for proto in reversed(written):
            to, port = port, find_free_port()
            servers = write_proxy(port, to, FORWARDED.format(proto=proto))
            running.enter_context(run_servers(servers, port))
        answers = [
            ask(port, "/embed/tracking/x", tls=False, address=f"127.0.0.{n}", **claims)
            for n in (57, 58, 57)
        ]

    assert [answer.status for answer in answers] == [401, 401, 429]
    assert all("Strict-Transport-Security" in answer.headers for answer in answers)
