"""What is logged of a database and a Redis that refuse, whose addresses hold passwords."""

import json

import pytest
import requests
from everything_logged import find_leaks
from support.remote import make_environ
from support.servers import (
    find_free_port,
    run_flask,
    run_gunicorn,
)
from support.waiting import LIMIT_S, wait_for

pytestmark = pytest.mark.slow

SECRETS = {
    "database password": "db-pass word-0001",
    "Redis password": "redis-password-0002",
}


@pytest.fixture
def environ(postgres_url) -> dict[str, str]:
    """Settings of servers that refuse: Postgres knows no such role, and Redis is not there."""
    nobody = "postgresql://nobody:db-pass%20word-0001@"
    closed = find_free_port()
    return make_environ(
        postgres_url.format(name="postgres").replace("postgresql://embed@", nobody),
        RATELIMIT_STORAGE_URI=f"redis://:{SECRETS['Redis password']}@127.0.0.1:{closed}/0",
        LOG_FORMAT="json",
    )


def read_lines(text: str) -> list[dict]:
    """Return the objects of a log; each line is one."""
    return [json.loads(line) for line in text.splitlines()]


def test_service_without_database_and_redis_says_so_without_passwords(environ, tmp_path):
    log = tmp_path / "log"
    with log.open("wb") as file, run_gunicorn(environ, stderr=file, stdout=file) as server:
        answer = requests.get(
            f"{server.url}/api/embed/tracking/x",
            headers={"Authorization": "Bearer svc_sec_" + "a" * 32},
            timeout=LIMIT_S,
        )
        assert answer.status_code == 503
        request_id = answer.headers["X-Request-Id"]
        wait_for(lambda: request_id in log.read_text(), log.read_text)

    lines = read_lines(log.read_text())
    said = [line["message"] for line in lines if line.get("requestId") == request_id]
    assert any("Rate limit storage unreachable" in each for each in said)
    assert any('role "nobody" does not exist' in each for each in said)
    assert find_leaks(log.read_text(), SECRETS) == []


def test_command_says_in_one_line_without_a_password_that_the_database_refuses(environ):
    ended = run_flask("pages", "list", environ=environ, check=False)

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert 'role "nobody" does not exist' in ended.stderr
    assert find_leaks(ended.stderr + ended.stdout, SECRETS) == []
