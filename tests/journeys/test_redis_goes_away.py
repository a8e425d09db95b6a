"""Limits while the shared storage dies and comes back under load: no 500, and exact again."""

import threading
from collections import Counter

import pytest
import redis
import requests
from support.remote import TIMEOUT_S, RemotePage, make_environ
from support.servers import open_valkey, provide, run_gunicorn
from support.waiting import wait_for

pytestmark = pytest.mark.slow


@pytest.fixture
def valkey():
    yield from provide(open_valkey)


def test_nobody_gets_an_error_while_redis_dies_and_comes_back(make_sqlite, valkey):
    environ = make_environ(make_sqlite(), RATELIMIT_STORAGE_URI=f"redis+unix://{valkey.path}")
    with run_gunicorn(environ, "--workers", "2") as server:
        page = RemotePage(server.url, environ)
        statuses: Counter[int] = Counter()
        is_over = threading.Event()

        def read_on() -> None:
            while not is_over.is_set():
                statuses[page.read().status_code] += 1

        readers = [threading.Thread(target=read_on) for _ in range(6)]
        for reader in readers:
            reader.start()
        for _ in range(2):
            before = statuses.total()
            wait_for(lambda before=before: statuses.total() > before + 50)
            valkey.kill()
            wait_for(lambda before=before: statuses.total() > before + 150)
            valkey.start()
        is_over.set()
        for reader in readers:
            reader.join()

    assert set(statuses) == {200}


def test_limit_is_exact_again_after_redis_came_back(make_sqlite, valkey):
    environ = make_environ(
        make_sqlite(), RATELIMIT_STORAGE_URI=f"redis+unix://{valkey.path}", LIMIT_PER_KEY="20/hour"
    )
    with run_gunicorn(environ) as server, redis.Redis(unix_socket_path=str(valkey.path)) as shared:
        page = RemotePage(server.url, environ)
        valkey.kill()
        assert page.read().status_code == 200
        valkey.start()

        def is_counted_again() -> bool:  # Flask-Limiter asks again after a few seconds
            requests.get(f"{server.url}/dashboard/sign-in", timeout=TIMEOUT_S)
            return shared.dbsize() > 0

        wait_for(is_counted_again)
        key = page.make_key("--tier", "secret")["key"]
        codes = Counter(page.read(key=key).status_code for _ in range(30))

    assert codes == {200: 20, 429: 10}
