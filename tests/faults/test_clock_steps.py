"""The clock goes back an hour, ahead two hours, and comes back, while the service runs."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from threading import Event

import pytest
from checks import check_answers, check_nothing_lost, fault_under
from load import Load
from stepped_clock import SteppedClock, SteppedGunicorn
from support.receivers import HttpReceiver, run_http_receiver
from support.remote import RemotePage, make_environ
from support.waiting import wait_for
from support.world import Visitor, another_wallet

pytestmark = pytest.mark.slow

STEPS = (-1, 2, 0)  # hours from the true time
DAY_S = 24 * 3600


@pytest.fixture
def clock(tmp_path) -> SteppedClock:
    return SteppedClock(tmp_path)


@pytest.fixture
def start(clock, make_sqlite) -> Iterator:
    """Start the small form, with some settings: ``start(NAME=value)``."""
    servers = []

    def start_server(**variables: str) -> SteppedGunicorn:
        environ = make_environ(make_sqlite(), ALLOW_PRIVATE_TARGETS="1", **variables)
        server = SteppedGunicorn(environ | clock.environ)
        servers.append(server)
        server.environ = environ
        server.start()
        return server

    yield start_server
    for server in servers:
        server.stop()


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with run_http_receiver() as receiver:
        yield receiver


def test_everything_goes_on(start, clock, receiver):
    # The nonces that are under way outlive the steps.
    server = start(NONCE_LIFETIME=str(DAY_S))
    with Load([server.url], server.environ) as load, fault_under(load) as fault:
        load.auto_page.command("webhooks", "add", load.auto_page.page_id, receiver.url)
        for hours in STEPS:
            clock.step_to(hours, server)
            told = len(receiver.received)
            load.wait_for(10)
            wait_for(lambda told=told: len(receiver.received) > told)

    check_answers(load, fault)
    check_nothing_lost(load)
    assert {told.status for told in load.record.answers} <= {200, 201, 303, 429}
    assert set(Counter(receiver.ids).values()) <= {1, 2}  # at least once


def test_waits_stay_as_long_as_they_may_be_and_nonces_single_use(start, clock):
    server = start(LIMIT_SESSION_SUBMISSIONS="2/10 minutes")
    page, visitor, rejected = RemotePage(server.url, server.environ), Visitor(), Visitor()
    page.open_widget(visitor)
    used = page.draft(visitor)
    assert page.post(used, cookie=visitor.cookie).status_code == 201
    assert page.submit(another_wallet(visitor)).status_code == 201
    clock.step_to(2, server)
    page.command("submissions", "reject", page.submit(rejected).json["submissionId"])

    for hours in (2, *STEPS):
        clock.step_to(hours, server)
        assert_refused(page.submit(another_wallet(visitor)), "rate_limit_session", 600)
        assert_refused(page.submit(rejected), "cooldown_active", DAY_S)
        assert page.post(used).json == {"error": "invalid_nonce"}
        assert page.submit(Visitor()).status_code == 201
        assert len(page.list_own(visitor).json["submissions"]) >= 2  # the session's cookie is good


def assert_refused(answer, code: str, longest_s: int) -> None:
    assert answer.json == {"error": code}
    assert longest_s - 3 * 3600 < int(answer.headers["Retry-After"]) <= longest_s
    assert int(answer.headers["Retry-After"]) > 0


def test_what_waited_or_was_under_way_when_the_clock_went_back_is_not_stuck(start, clock, receiver):
    server = start()
    page = RemotePage(server.url, server.environ)
    page.command("webhooks", "add", page.page_id, receiver.url)

    # An attempt that failed two hours in the future.
    clock.step_to(2, server)
    receiver.statuses = [500]
    assert page.submit(Visitor()).status_code == 201
    wait_for(lambda: receiver.received)
    clock.step_to(0, server)
    wait_for(lambda: len(receiver.received) == 2)

    # A process that was killed there, with a message on its way.
    clock.step_to(2, server)
    (worker,) = server.list_workers()
    is_stored = Event()
    receiver.before_answer = lambda: is_stored.wait(60) and os.kill(worker, signal.SIGKILL)
    assert page.submit(Visitor()).status_code == 201
    is_stored.set()
    wait_for(lambda: worker not in server.list_workers())
    assert len(receiver.received) == 3
    receiver.before_answer = lambda: None
    clock.step_to(0, server)
    wait_for(lambda: len(receiver.received) == 4)
    assert len(set(receiver.ids)) == 2
