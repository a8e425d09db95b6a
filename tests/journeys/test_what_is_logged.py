"""What a whole run logs: no key, cookie, signature, one-time link or client address."""

import json

import pytest
import requests
from everything_logged import SETTINGS_SECRETS, Run, find_leaks
from support.remote import RemotePage, make_environ
from support.servers import PROJECT_DIR, find_free_port, run_flask, run_gunicorn
from support.waiting import LIMIT_S, wait_for

pytestmark = pytest.mark.slow

NETWORKS = ("203.0.113.0/24", "2001:db8:5::/48")
RPC = f"http://127.0.0.1:1/v2/{SETTINGS_SECRETS['RPC path']}?api-key={SETTINGS_SECRETS['RPC key']}"


@pytest.mark.parametrize("form", ["text", "json"])
def test_every_kind_of_line_has_its_form_and_names_no_secret_and_no_client(
    form, make_sqlite, redis_url, tmp_path
):
    environ = make_environ(
        make_sqlite(),
        TRUSTED_PROXIES="1",
        SOLANA_RPC_URL=RPC,
        SMTP_URL=f"smtp://user:{SETTINGS_SECRETS['SMTP password']}@127.0.0.1:1",
        ALLOW_PRIVATE_TARGETS="1",
        PYTHONPATH=str(PROJECT_DIR / "tests"),
        LOG_FORMAT=form,
    )
    if form == "json":  # two workers, whose Redis wants a password
        password = SETTINGS_SECRETS["Redis password"]
        socket = redis_url.removeprefix("redis+unix://")
        environ["RATELIMIT_STORAGE_URI"] = f"redis+unix://:{password}@{socket}?db=8"
        environ["WEB_CONCURRENCY"] = "2"
    log = tmp_path / "log"
    with log.open("ab") as file:
        how = {"app": "support.failing_app:create()", "stdout": file, "stderr": file}
        with run_gunicorn(environ, "--log-level=debug", "--access-logfile=-", **how) as server:
            database = environ["DATABASE_URL"].removeprefix("sqlite:///")
            run = Run(RemotePage(server.url, environ), log, database)
            run.keep("SECRET_KEY", environ["SECRET_KEY"])
            run.do_everything()

    text = log.read_text()
    assert len(run.secrets) > 30
    assert find_leaks(text, run.secrets) == []
    for said in (
        "Solana RPC",
        "Refused an invalid HTTP request",
        "Unexpected failure of POST",
        "ValueError",
        "A library says",
        "Python warns of",
        "/embed/tracking/<page_id>",
        "/dashboard/password/<token>",
        *NETWORKS,
    ):
        assert said in text, said
    for line in text.splitlines():
        assert line.isprintable()
        if form == "json":
            assert {"time", "level", "logger", "processId", "message"} <= set(json.loads(line))
        else:
            assert line.startswith("    ") or line[:2] == "20", line


# A database and a Redis that refuse

PASSWORDS = {"database password": "db-pass word-0001", "Redis password": "redis-password-0002"}


@pytest.fixture
def refused(postgres_url) -> dict[str, str]:
    """Settings of servers that refuse: Postgres knows no such role, and Redis is not there."""
    nobody = "postgresql://nobody:db-pass%20word-0001@"
    closed = f"redis://:{PASSWORDS['Redis password']}@127.0.0.1:{find_free_port()}/0"
    url = postgres_url.format(name="postgres").replace("postgresql://embed@", nobody)
    return make_environ(url, RATELIMIT_STORAGE_URI=closed, LOG_FORMAT="json")


def test_service_without_database_and_redis_says_so_without_passwords(refused, tmp_path):
    log = tmp_path / "log"
    with log.open("wb") as file, run_gunicorn(refused, stderr=file, stdout=file) as server:
        key = {"Authorization": "Bearer svc_sec_" + "a" * 32}
        answer = requests.get(f"{server.url}/api/embed/tracking/x", headers=key, timeout=LIMIT_S)
        assert answer.status_code == 503
        request_id = answer.headers["X-Request-Id"]
        wait_for(lambda: request_id in log.read_text(), log.read_text)

    lines = [json.loads(line) for line in log.read_text().splitlines()]
    said = " ".join(one["message"] for one in lines if one.get("requestId") == request_id)
    assert "Rate limit storage unreachable" in said
    assert 'role "nobody" does not exist' in said
    assert find_leaks(log.read_text(), PASSWORDS) == []


def test_command_says_in_one_line_without_a_password_that_the_database_refuses(refused):
    ended = run_flask("pages", "list", environ=refused, check=False)

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert 'role "nobody" does not exist' in ended.stderr
    assert find_leaks(ended.stderr + ended.stdout, PASSWORDS) == []
