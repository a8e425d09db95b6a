"""This server and its background work: how a request arrived, what was done, what is wrong."""

import re
from datetime import timedelta

import pytest
from support.owner_browser import OwnerBrowser, read_text

from embed.db.models import Job, Lease
from embed.db.work_status import hold_lease
from embed.outbound import RequestFailed
from embed.web.dashboard import server

pytestmark = pytest.mark.slow

PATH, BACKGROUND = "/dashboard/server", "/dashboard/background"
NOBODY = "The background work isn't running."
FINE = "Everything is in order."
PROXY, PUBLIC = {"TRUSTED_PROXIES": "1"}, {"PUBLIC_URL": "https://localhost"}
CLIENT = "203.0.113.7"
FORWARDED, CLOUDFLARE = {"X-Forwarded-For": CLIENT}, {"CF-Connecting-IP": CLIENT}
TWICE = {"X-Forwarded-For": f"{CLIENT}, 10.0.0.1"}


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch) -> None:
    monkeypatch.setattr(server, "list_changed_headers", lambda _: [])


def time_out(_: str) -> None:
    raise RequestFailed("timed out")


def see(world, **headers: str) -> str:
    client = world.app.test_client()
    client.environ_base["HTTP_REFERER"] = "https://localhost/"  # forms sent by HTTPS need it
    owner = OwnerBrowser(world, client=client)
    answer = owner.get(PATH, headers=headers, environ_overrides={"REMOTE_ADDR": "10.0.0.9"})
    assert answer.status_code == 200
    return read_text(answer)


@pytest.mark.parametrize(
    ("settings", "headers", "arrived"),
    [
        (
            PUBLIC | {"TRUSTED_PROXIES": "2"},
            TWICE | {"X-Forwarded-Proto": "https, http"},
            f"counted by {CLIENT} Connected from 10.0.0.9 Scheme https Host localhost",
        ),
        # nginx with real_ip: Cloudflare wrote one address, and nginx appended what it took over.
        (
            PUBLIC | PROXY,
            {"X-Forwarded-For": f"{CLIENT}, {CLIENT}"} | CLOUDFLARE,
            f"counted by {CLIENT}",
        ),
    ],
    ids=["through two proxies", "a proxy that knows Cloudflare"],
)
def test_request_as_it_should_be_is_shown_as_it_arrived(world_with, settings, headers, arrived):
    text = see(world_with(**settings), **headers)

    assert FINE in text
    assert arrived in text


@pytest.mark.parametrize(
    ("settings", "headers", "fault"),
    [
        (PROXY, TWICE | CLOUDFLARE, f"Cloudflare says that your address is {CLIENT}, but the"),
        ({}, CLOUDFLARE, "counts you as 10.0.0.9."),
        ({}, FORWARDED, "TRUSTED_PROXIES is 0, but this request came through a proxy."),
        (PROXY, {}, "TRUSTED_PROXIES is 1, but X-Forwarded-For has 0 addresses"),
        (PROXY, TWICE, "TRUSTED_PROXIES is 1, but this request came through 2 proxies."),
        (PROXY, FORWARDED, "PUBLIC_URL is not set"),
        (PUBLIC, {}, "This request arrived by http, but PUBLIC_URL is https://localhost."),
    ],
)
def test_what_is_wrong_is_said(world_with, settings, headers, fault):
    text = see(world_with(**settings), **headers)

    assert fault in text
    assert FINE not in text


@pytest.mark.parametrize(
    ("look", "fault"),
    [
        (lambda _: ["Vary", "Via"], "headers of the service's answers: Vary, Via. Have it"),
        (time_out, "The service doesn't reach itself at PUBLIC_URL."),
    ],
)
def test_look_at_public_url_is_told(world_with, monkeypatch, look, fault):
    monkeypatch.setattr(server, "list_changed_headers", look)

    assert fault in see(world_with(PUBLIC_URL="http://localhost"))


def test_people_who_may_create_pages_find_it_and_guests_do_not(world):
    owner, guest = OwnerBrowser(world), OwnerBrowser(world, "guest@example.com")
    guest.owner.is_guest = True
    guest.owner.save()

    assert f'href="{PATH}"' in owner.get("/dashboard/").text
    assert f'href="{PATH}"' not in guest.get("/dashboard/").text
    refused = guest.get(PATH)
    assert refused.status_code == 403
    assert "you can't create pages or see how this server is set up" in read_text(refused)


# The background work


def test_owner_is_warned_when_nobody_works(world, owner):
    assert NOBODY in owner.see(BACKGROUND)
    hold_lease("a", "worker", world.clock(), world.clock())
    assert NOBODY not in owner.see(BACKGROUND)

    world.clock.forward(seconds=30)
    assert NOBODY in owner.see(BACKGROUND)


def test_owner_sees_what_was_done_when_and_what_failed_but_not_where(world, owner):
    now, hour = world.clock(), timedelta(hours=1)
    times = {"started_at": now, "finished_at": now}
    Job.create(name="listings", **times, summary="2 joined.", due_at=now + hour)
    failed = {"failed_at": now, "failure": "No endpoint answers.", "due_at": now - hour}
    Job.create(name="balances", **times, summary="Read 3 balances.", **failed)
    Job.create(name="prune", started_at=now)
    hold_lease("a", "worker", now, now)
    Lease.update(host="machine.internal", process_id=4711).execute()

    page = owner.see(BACKGROUND)

    assert not re.search("machine.internal|4711", page)
    for said in (
        "Wallets that joined or left Last started Jan 31, 2026, 9:30 AM UTC"
        " Last finished Jan 31, 2026, 9:30 AM UTC"
        " Next run Jan 31, 2026, 10:30 AM UTC Result: 2 joined.",
        "Failed Jan 31, 2026, 9:30 AM UTC : No endpoint answers.",
        "Balances that were read before are shown, with their age.",
        "Before: Read 3 balances.",
        "Deletion of old data Last started Jan 31, 2026, 9:30 AM UTC"
        " Last finished never Next run running now",
    ):
        assert said in page
