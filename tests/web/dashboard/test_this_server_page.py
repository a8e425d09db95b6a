"""This server: how a request arrived, and what is wrong with that."""

import pytest
from support.owner_browser import OwnerBrowser, read_text

from embed.outbound import RequestFailed
from embed.web.dashboard import server

pytestmark = pytest.mark.slow

PATH = "/dashboard/server"
FINE = "Everything is in order."


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


def test_direct_request_is_shown_as_it_arrived(world):
    text = see(world)

    assert FINE in text
    assert "Address you're counted by 10.0.0.9 Connected from 10.0.0.9 Scheme http" in text
    assert "X-Forwarded-For not received" in text


def test_request_through_the_trusted_proxies_is_fine(world_with):
    world = world_with(TRUSTED_PROXIES="2", PUBLIC_URL="https://localhost")
    forwarded = {
        "X-Forwarded-For": "203.0.113.7, 10.0.0.1",
        "X-Forwarded-Proto": "https, http",
    }

    text = see(world, **forwarded)

    assert FINE in text
    assert "counted by 203.0.113.7 Connected from 10.0.0.9 Scheme https Host localhost" in text


def test_proxy_that_knows_cloudflare_is_fine(world_with):
    world = world_with(TRUSTED_PROXIES="1", PUBLIC_URL="https://localhost")
    # nginx with real_ip: Cloudflare wrote the first address, and nginx appended what it took over.
    forwarded = {"X-Forwarded-For": "203.0.113.7, 203.0.113.7", "CF-Connecting-IP": "203.0.113.7"}

    assert FINE in see(world, **forwarded)


@pytest.mark.parametrize(
    ("settings", "headers", "fault"),
    [
        (
            {"TRUSTED_PROXIES": "1"},
            {"X-Forwarded-For": "203.0.113.7, 10.0.0.1", "CF-Connecting-IP": "203.0.113.7"},
            "Cloudflare says that your address is 203.0.113.7, but the service counts you",
        ),
        ({}, {"CF-Connecting-IP": "203.0.113.7"}, "counts you as 10.0.0.9."),
        (
            {},
            {"X-Forwarded-For": "203.0.113.7"},
            "TRUSTED_PROXIES is 0, but this request came through a proxy.",
        ),
        ({}, {"X-Forwarded-Proto": "https"}, "TRUSTED_PROXIES is 0, but"),
        ({"TRUSTED_PROXIES": "1"}, {}, "TRUSTED_PROXIES is 1, but X-Forwarded-For has 0 addresses"),
        (
            {"TRUSTED_PROXIES": "1"},
            {"X-Forwarded-For": "203.0.113.7, 10.0.0.1"},
            "TRUSTED_PROXIES is 1, but this request came through 2 proxies.",
        ),
        (
            {"TRUSTED_PROXIES": "1"},
            {"X-Forwarded-For": "203.0.113.7"},
            "PUBLIC_URL is not set",
        ),
        (
            {"PUBLIC_URL": "https://localhost"},
            {},
            "This request arrived by http, but PUBLIC_URL is https://localhost.",
        ),
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
        (lambda _: [], FINE),
    ],
)
def test_look_at_public_url_is_told(world_with, monkeypatch, look, fault):
    monkeypatch.setattr(server, "list_changed_headers", look)

    text = see(world_with(PUBLIC_URL="http://localhost"))

    assert fault in text
    assert (FINE in text) == (fault == FINE)


def test_people_who_may_create_pages_find_it_and_guests_do_not(world):
    owner, guest = OwnerBrowser(world), OwnerBrowser(world, "guest@example.com")
    guest.owner.is_guest = True
    guest.owner.save()

    assert f'href="{PATH}"' in owner.get("/dashboard/").text
    assert f'href="{PATH}"' not in guest.get("/dashboard/").text
    refused = guest.get(PATH)
    assert refused.status_code == 403
    assert "you can't create pages or see how this server is set up" in read_text(refused)
