"""What is counted, in the process that does it."""

import re
from collections.abc import Callable
from functools import partial

import pytest
from limits import parse
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics import MetricWrapperBase
from support.many_submissions import add_submissions
from support.owner_browser import find_token
from support.receivers import run_http_receiver
from support.scrapes import Scraped
from support.world import SITE, Visitor, code_of, with_session

from embed import metrics
from embed.domain import times
from embed.events.messages import send_messages
from embed.notifications import receivers
from embed.notifications.delivery import deliver
from embed.runtime import EXTENSION
from embed.submissions import decisions
from embed.web.dashboard import sign_in

READ = "/api/embed/tracking/<page_id>"


ON = {"METRICS_BIND": "127.0.0.1:9100", "ALLOW_PRIVATE_TARGETS": "1"}


@pytest.fixture
def counted() -> Callable[[], Scraped]:
    """Count from zero; ``counted()`` returns what was counted."""
    registry = CollectorRegistry()
    for one in vars(metrics).values():
        if isinstance(one, MetricWrapperBase):
            if one._labelnames:
                one.clear()
            registry.register(one)
    return lambda: Scraped(generate_latest(registry).decode())


@pytest.fixture
def metered(world_with, counted):
    """The world with metrics; nothing listens, as that is up to the server."""
    return world_with(**ON)


# Requests


def test_requests_count_by_route_method_and_code_and_are_timed(metered, counted):
    for _ in range(3):
        metered.read()
    metered.read(key="svc_pub_" + "0" * 32)
    metered.call("DELETE", f"/api/embed/tracking/{metered.page_id}")

    requests = partial(counted().sum, "embed_http_requests_total")
    assert requests(route=READ, method="GET", code="200") == 3
    assert requests(route=READ, method="GET", code="401") == 1
    assert requests(route="unknown", method="DELETE", code="405") == 1
    assert requests() == 5
    timed = "embed_http_request_duration_seconds"
    assert counted().sum(f"{timed}_bucket", route=READ, method="GET", le="+Inf") == 4
    assert 0 < counted().sum(f"{timed}_sum", route=READ) < 30


def test_what_clients_make_up_is_one_series(metered, counted):
    for number in range(20):
        metered.call("GET", f"/nothing/{number}")
        metered.call(f"METHOD{number}", "/nothing")

    found = counted()
    assert found.by_label("embed_http_requests_total", "route") == {"unknown": 40}
    assert found.by_label("embed_http_requests_total", "method") == {"GET": 20, "other": 20}


def test_refused_requests_count_by_error_and_by_limit(world_with, counted):
    world = world_with(**ON, LIMIT_PER_KEY="2/hour")
    codes = [code_of(world.read()) for _ in range(5)]
    world.read(headers={"Authorization": None})

    assert codes == [None, None, *["rate_limit_key"] * 3]
    found = counted()
    assert found.by_label("embed_rate_limit_refusals_total", "limit") == {"rate_limit_key": 3}
    assert found.by_label("embed_refusals_total", "error") == {
        "rate_limit_key": 3,
        "missing_key": 1,
    }


def test_refused_attempts_to_sign_in_count_apart_from_those_of_visitors(
    metered, counted, monkeypatch
):
    monkeypatch.setattr(sign_in, "PER_ACCOUNT", parse("1/hour"))
    path, client = "/dashboard/sign-in", metered.app.test_client()
    fields = {"csrf_token": find_token(client.get(path).text), "email": "a@b.c", "password": "x"}
    statuses = [client.post(path, data=fields).status_code for _ in range(3)]

    assert statuses == [422, 429, 429]
    assert counted().by_label("embed_rate_limit_refusals_total", "limit") == {"sign_in": 2}


# Submissions


def test_submissions_count_by_outcome(metered, counted):
    metered.submit(Visitor())
    metered.configure(auto_approve=True)
    metered.submit(Visitor())
    metered.configure(auto_approve=False, min_balance=1)
    metered.submit(with_session(metered))
    metered.submit(Visitor())
    draft = metered.draft(Visitor())
    metered.post(draft | {"signature": metered.draft(Visitor())["signature"]})

    found = counted()
    assert found.by_label("embed_submissions_total", "outcome") == {
        "pending": 1,
        "auto_approved": 1,
        "soft_rejected": 2,
        "refused": 1,
    }
    assert found.by_label("embed_submissions_total", "reason") == {
        "": 2,
        "ca_gate": 2,
        "invalid_signature": 1,
    }


def test_decisions_count_by_kind_and_those_that_were_not_possible_do_not(metered, counted):
    ids = add_submissions(metered, 3)
    change = metered.change("owner@example.com")

    decisions.approve(metered.page, ids, change)
    decisions.undo(metered.page, ids[:2], change)
    decisions.reject(metered.page, ids, change)

    assert counted().by_label("embed_decisions_total", "decision") == {
        "approved": 3,
        "undone": 2,
        "rejected": 2,
    }


# Deliveries


def test_deliveries_count_by_result(metered, counted):
    metered.clock.now = times.now()
    runtime = metered.app.extensions[EXTENSION]
    with run_http_receiver() as http_receiver:
        webhook = receivers.add_webhook(metered.page_id, http_receiver.url, metered.change())
        message = ("queue.filling", {"pending": 8, "queueCapacity": 10})
        for _ in range(3):
            send_messages(metered.page_id, [message], metered.clock())
        http_receiver.statuses = [204, 500, 410, 204]
        for _ in range(3):
            deliver(webhook.id, runtime)
            metered.clock.forward(hours=1)

    assert counted().by_label("embed_deliveries_total", "kind") == {"webhook": 4}
    assert counted().by_label("embed_deliveries_total", "result") == {
        "delivered": 2,
        "failed": 1,
        "given_up": 1,
    }


# All of them


def test_what_may_happen_is_exported_before_it_does(counted):
    def list_limits() -> set[str]:
        return {one.labels["limit"] for one in counted().samples if "limit" in one.labels}

    assert list_limits() == set()
    metrics.begin_known_series()
    assert list_limits() == {"rate_limit_ip", "rate_limit_key", "rate_limit_session", "sign_in"}


def test_labels_hold_nothing_that_names_anybody(metered, counted):
    visitor = with_session(metered)
    submitted = metered.submit(visitor, "Ann Example").json["submissionId"]
    metered.read()
    metered.list_own(visitor)
    metered.client.get(f"/embed/tracking/{metered.page_id}?key={metered.public_key}")
    metered.client.get(f"/api/embed/tracking/{visitor.address}")
    metered.client.get("/dashboard/sign-in", environ_base={"REMOTE_ADDR": "198.51.100.7"})

    text = counted().text
    secrets = [metered.public_key, metered.page_id, submitted, visitor.address, visitor.cookie]
    assert [
        one for one in [*secrets, "svc_pub_", "198.51.100", "Ann Example", SITE] if one in text
    ] == []
    long_words = re.findall(r"[0-9A-Za-z]{20,}", text)
    assert [one for one in long_words if not one.isdigit()] == []  # but of a number
