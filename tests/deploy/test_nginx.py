"""deploy/nginx.conf in front of one instance: its own check, and what it logs."""

import subprocess
from functools import partial

import pytest
import requests
from deploy_files import PLAIN_HTTP
from support.absence import skip_or_fail
from support.caddy import HOST
from support.nginx import LOG, adapt_sample, find_nginx, run_nginx, write_config
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import Unavailable, find_free_port, provide, run_gunicorn
from support.waiting import wait_for
from support.world import Visitor

pytestmark = pytest.mark.slow

ADDRESS = "127.0.0.57"  # of this machine, as all of 127.0.0.0/8


def test_nginx_takes_the_sample(tmp_path):
    try:
        program = find_nginx()
    except Unavailable as why:
        skip_or_fail(str(why))
    config = write_config(tmp_path, adapt_sample(find_free_port(), (8000,), tmp_path))

    done = subprocess.run(
        [program, "-t", "-c", config, "-e", tmp_path / "error.log"], capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr


@pytest.fixture
def logged(make_sqlite, tmp_path):
    """A page behind nginx, a function that returns what nginx has logged since, and the service."""
    environ = make_environ(make_sqlite(), TRUSTED_PROXIES="1")
    with run_gunicorn(environ) as server:
        page = RemotePage(server.url, environ)
        for url in provide(partial(run_nginx, server.port, folder=tmp_path)):
            page.server_url = url
            yield page, lambda: (tmp_path / LOG).read_text(), server.url


class FromElsewhere(requests.adapters.HTTPAdapter):
    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(ADDRESS, 0), **options)


def test_log_has_no_key_no_one_time_link_and_no_whole_address(logged):
    page, read_log, _ = logged
    visitor = Visitor()
    page.open_widget(visitor)
    page.submit(visitor)
    link = page.command("owners", "create", "owner@example.com")["passwordUrl"]
    token = link.rpartition("/")[2]
    with requests.Session() as client:
        client.mount("http://", FromElsewhere())
        for path in [
            f"/dashboard/password/{token}",
            f"/embed/tracking/{page.page_id}?key={page.public_key}",
            f"/embed/tracking/{page.public_key}",
            f"/?next=/dashboard/password/{token}",
            f"/dashbord/password/{token}",
            f"/%0A/{token}/x/{page.public_key}",
            f"/{page.public_key}/{page.public_key}",
        ]:
            headers = {"Referer": f"{page.server_url}/?key={page.public_key}"}
            client.get(page.server_url + path, headers=headers, timeout=TIMEOUT_S)

    log = read_log()
    assert "127.0.0.0/24 [" in log
    assert '"GET /dashboard/password/..." 200 ' in log
    assert f'"GET /embed/tracking/{page.page_id}" 200 ' in log
    assert '"POST /embed/api/submissions" 201 ' in log
    for secret in (page.public_key, token, visitor.cookie, visitor.address, ADDRESS):
        assert secret not in log
    assert "127.0.0.1" not in log


def test_visitors_do_not_choose_the_id_by_which_both_logs_name_their_request(logged):
    page, read_log, _ = logged
    chosen = "chosen-by-a-visitor"

    answer = requests.get(page.server_url, headers={"X-Request-Id": chosen}, timeout=TIMEOUT_S)

    request_id = answer.headers["X-Request-Id"]
    assert chosen not in request_id
    # It is written after the answer.
    wait_for(lambda: read_log().endswith(f" {request_id}\n"), read_log)


MEBIBYTE = 1024 * 1024


@pytest.mark.parametrize(
    ("size", "is_passed_on"), [(18 * MEBIBYTE - 1000, True), (19 * MEBIBYTE, False)]
)
def test_form_of_18_mib_gets_the_answer_of_the_service(size, is_passed_on, logged):
    page, _, _ = logged
    form = {"email": "x" * (size - len("email="))}

    answer = requests.post(f"{page.server_url}/dashboard/sign-in", data=form, timeout=TIMEOUT_S)

    assert 400 <= answer.status_code < 500
    assert ("Content-Security-Policy" in answer.headers) is is_passed_on


def test_pages_without_https_are_redirected_and_api_calls_refused():
    http_port = find_free_port()
    for _ in provide(partial(run_nginx, find_free_port(), http_port=http_port)):
        for path, status, location in PLAIN_HTTP:
            url = f"http://127.0.0.1:{http_port}{path}"
            how = {"headers": {"Host": HOST}, "allow_redirects": False}
            answer = requests.get(url, timeout=TIMEOUT_S, **how)

            assert (answer.status_code, answer.headers.get("Location")) == (status, location)
