"""deploy/Caddyfile: its own check, and a real Caddy in front of two instances."""

import json
import re
import subprocess
from collections.abc import Iterator
from http.client import HTTPResponse

import pytest
from deploy_files import PLAIN_HTTP
from support.caddy import HOST, SAMPLE, Caddy, find_caddy, make_caddy_environ
from support.remote import RemotePage, make_environ
from support.servers import run_gunicorn
from support.world import SITE

pytestmark = pytest.mark.slow

TOKEN = "a-token-of-a-one-time-link-that-nobody-else-has"


@pytest.mark.parametrize("upstreams", ["", "embed1:8000 embed2:8000"])
def test_caddy_takes_the_sample(upstreams, tmp_path):
    environ = make_caddy_environ(tmp_path)
    if upstreams:
        environ |= {"EMBED_UPSTREAMS": upstreams, "PUBLIC_URL": "https://other.example.com"}

    done = subprocess.run(
        [find_caddy(), "validate", "--adapter", "caddyfile", "--config", SAMPLE],
        capture_output=True,
        text=True,
        env=environ,
    )

    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def served(make_sqlite, redis_url, tmp_path_factory) -> Iterator[tuple]:
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
        running = Caddy(tmp_path_factory.mktemp("caddy"), upstreams)
        try:
            yield running, (one, other), page
        finally:
            running.end()


def read(caddy: Caddy, page: RemotePage) -> HTTPResponse:
    headers = {"Authorization": f"Bearer {page.public_key}", "Origin": SITE}
    return caddy.get(f"/api/embed/tracking/{page.page_id}", **headers)


@pytest.mark.parametrize(("path", "status", "location"), PLAIN_HTTP)
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
    assert read(caddy, page).status == 200
    for path in (
        f"/embed/tracking/{page.page_id}?key={page.public_key}",
        f"/embed/tracking/{page.public_key}/x",
        f"/dashboard/password/{TOKEN}",
        f"/dashbord/password/{TOKEN}/x?y=z",
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
