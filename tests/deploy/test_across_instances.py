"""Two instances of two processes behind nginx act as one service."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import requests
from support.deployments import Deployment, run_grown
from support.http_client import TIMEOUT_S
from support.remote import RemotePage, at_once, make_environ, summarise
from support.servers import Gunicorn, open_valkey, provide
from support.world import Visitor

pytestmark = pytest.mark.slow


@contextmanager
def open_grown(database_url: str, **variables: str) -> Iterator[Deployment]:
    with (
        open_valkey() as valkey,
        run_grown(make_environ(database_url, **variables), f"redis+unix://{valkey.path}") as grown,
    ):
        yield grown


@pytest.fixture(scope="module")
def grown(make_postgres) -> Iterator[Deployment]:
    yield from provide(lambda: open_grown(make_postgres()))


@pytest.fixture
def page(grown) -> RemotePage:
    return RemotePage(grown.url, grown.environ)


@pytest.fixture
def ask(page, grown) -> Callable[[int], RemotePage]:
    """Send what follows to one of the instances: ``ask(0)``."""

    def choose(number: int) -> RemotePage:
        page.server_url = grown.instances[number].url
        return page

    return choose


def test_revoked_key_is_refused_by_every_process_from_the_next_request_on(ask):
    key = ask(0).make_key("--tier", "secret")
    read = [lambda number=number: ask(number).read(key=key["key"]) for number in (0, 1)]
    assert summarise([one() for one in read * 8]) == {(200, None): 16}

    ask(0).command("keys", "revoke", key["id"])

    assert summarise([one() for one in read * 8]) == {(401, "revoked_key"): 16}


def test_change_is_read_everywhere_at_once(ask):
    for _ in range(12):
        ask(0).command("wallets", "add", ask(0).page_id, Visitor().address)
    for round_number in range(6):
        whole = ask(round_number % 2).read()
        known = {"If-None-Match": whole.headers["ETag"]}
        assert {ask(number).read(headers=known).status_code for number in (0, 1) * 4} == {304}
        added = Visitor().address

        ask(0).command("wallets", "add", ask(0).page_id, added)

        for number in (0, 1) * 4:
            answer = ask(number).read(headers=known)
            assert answer.status_code == 200, answer.text
            assert answer.headers["ETag"] != whole.headers["ETag"]
            assert added in answer.text


def test_limits_are_exact_over_four_processes(make_postgres):
    limits = {"LIMIT_PER_KEY": "20/hour", "LIMIT_PER_IP": "40/hour"}
    for grown in provide(lambda: open_grown(make_postgres(), **limits)):
        page = RemotePage(grown.url, grown.environ)

        answers = at_once([page.read] * 60)

        assert summarise(answers) == {
            (200, None): 20,
            (429, "rate_limit_key"): 20,
            (429, "rate_limit_ip"): 20,
        }


def wait_for_readers(statuses: list[list[int]], others: list[Gunicorn]) -> None:
    """Wait until the others have answered some more requests."""
    enough = sum(map(len, statuses)) + 20
    others[0].wait_until(lambda: sum(map(len, statuses)) >= enough)


def test_no_reader_notices_that_one_instance_after_the_other_restarts(page, grown):
    is_over = threading.Event()
    statuses: list[list[int]] = [[], [], [], []]

    def read_on(seen: list[int]) -> None:
        while not is_over.is_set():
            seen.append(page.read().status_code)

    readers = [threading.Thread(target=read_on, args=(seen,)) for seen in statuses]
    for reader in readers:
        reader.start()
    try:
        for instance in grown.instances:
            instance.stop()
            wait_for_readers(statuses, others=[one for one in grown.instances if one != instance])
            instance.start()
            requests.get(f"{instance.url}/healthz", timeout=TIMEOUT_S).raise_for_status()
    finally:
        is_over.set()
        for reader in readers:
            reader.join(TIMEOUT_S)

    assert {status for seen in statuses for status in seen} == {200}
