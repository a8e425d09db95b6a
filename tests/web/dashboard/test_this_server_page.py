"""This server: how a request arrived, and what is wrong with that."""

import pytest
from support.owner_browser import OwnerBrowser, read_text

from embed.outbound import RequestFailed
from embed.web.dashboard import server

pytestmark = pytest.mark.slow

PATH = "/dashboard/server"
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
        ({}, {}, "counted by 10.0.0.9 Connected from 10.0.0.9 Scheme http"),
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
    ids=["directly", "through two proxies", "a proxy that knows Cloudflare"],
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
        ({}, {"X-Forwarded-Proto": "https"}, "TRUSTED_PROXIES is 0, but"),
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

    text = see(world_with(PUBLIC_URL="http://localhost"))

    assert fault in text
    assert FINE not in text


def test_people_who_may_create_pages_find_it_and_guests_do_not(world):
    owner, guest = OwnerBrowser(world), OwnerBrowser(world, "guest@example.com")
    guest.owner.is_guest = True
    guest.owner.save()

    assert f'href="{PATH}"' in owner.get("/dashboard/").text
    assert f'href="{PATH}"' not in guest.get("/dashboard/").text
    refused = guest.get(PATH)
    assert refused.status_code == 403
    assert "you can't create pages or see how this server is set up" in read_text(refused)
