"""Each request has an id, which its answer and its lines in the log name."""

import re

import pytest
from support.apps import Apps
from support.world import Visitor

from embed.logs.context import find_context

MADE = re.compile(r"[0-9a-f]{16}")
HEADER = "X-Request-Id"


@pytest.fixture
def apps() -> Apps:
    return Apps()


def ask(world, given: str | None = None, path="/api/embed/nothing"):
    headers = {} if given is None else {HEADER: given}
    return read_ids(world.client.get(path, headers=headers))


def read_ids(answer) -> list[str]:
    answer.close()  # as a server does at its end
    return answer.headers.getlist(HEADER)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/nothing"),
        ("GET", "/api/nothing"),
        ("HEAD", "/embed.js"),
        ("GET", "/healthz"),
        ("GET", "/dashboard/"),
        ("GET", "/embed/tracking/x"),
        ("OPTIONS", "/api/embed/siws/nonce"),
        ("TRACE", "/"),
    ],
)
def test_every_answer_has_an_id_of_its_own(world, method, path):
    (one,), (other,) = (read_ids(world.client.open(path, method=method)) for _ in range(2))

    assert MADE.fullmatch(one)
    assert MADE.fullmatch(other)
    assert one != other


def test_bug_is_logged_with_the_id_that_the_caller_is_told(world, caplog, monkeypatch):
    seen = []
    see = [lambda _: seen.append(find_context().request_id) or True]
    monkeypatch.setattr(caplog.handler, "filters", see)
    world.app.add_url_rule("/api/bug", view_func=lambda: 1 / 0)

    answer = world.client.get("/api/bug")

    assert answer.status_code == 500
    assert set(seen) == {answer.headers[HEADER]}


def test_scripts_of_other_sites_may_read_it(world):
    exposed = world.ask_nonce(Visitor()).headers["Access-Control-Expose-Headers"]

    assert exposed == "Retry-After, X-Request-Id"


def test_id_that_a_client_makes_up_is_not_taken_over(world):
    assert MADE.fullmatch(*ask(world, "0123abcd-made-up"))


@pytest.mark.parametrize("given", ["7b1c2d3e-0f4a-4b5c-8d6e-9f0a1b2c3d4e", "a" * 64, "12345678"])
def test_id_of_a_trusted_proxy_is_taken_over(world_with, given):
    assert ask(world_with(TRUSTED_PROXIES="1"), given) == [given]


@pytest.mark.parametrize(
    "given",
    [
        "",
        "short",
        "a" * 65,
        "198.51.100.77",
        "svc_pub_0123456789abcdefghijklmnopqrstuv",
        "émigré-émigré",
    ],
)
def test_other_text_from_a_proxy_is_no_id(world_with, given):
    (shown,) = ask(world_with(TRUSTED_PROXIES="1"), given)

    assert MADE.fullmatch(shown)
