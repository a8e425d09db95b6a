"""Each request has an id, which its answer and its lines in the log name."""

import re

import pytest
from support.apps import Apps

from embed.logs.context import find_context

MADE = re.compile(r"[0-9a-f]{16}")
HEADER = "X-Request-Id"


@pytest.fixture
def apps() -> Apps:
    return Apps()


def read_ids(answer) -> list[str]:
    answer.close()  # as a server does at its end
    return answer.headers.getlist(HEADER)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("HEAD", "/embed.js"),
        ("GET", "/healthz"),
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


@pytest.mark.parametrize(
    ("proxies", "given", "is_taken_over"),
    [
        ("0", "7b1c2d3e-0f4a-4b5c-8d6e-9f0a1b2c3d4e", False),
        ("1", "7b1c2d3e-0f4a-4b5c-8d6e-9f0a1b2c3d4e", True),
        ("1", "a" * 64, True),
        ("1", "1234567", False),
        ("1", "a" * 65, False),
        ("1", "svc_pub_0123456789abcdefghijklmnopqrstuv", False),
        ("1", "émigré-émigré", False),
    ],
)
def test_id_of_a_trusted_proxy_is_taken_over_if_it_is_one(
    world_with, proxies, given, is_taken_over
):
    world = world_with(TRUSTED_PROXIES=proxies)

    (shown,) = read_ids(world.client.get("/api/embed/nothing", headers={HEADER: given}))

    assert (shown == given) is is_taken_over
    assert is_taken_over or MADE.fullmatch(shown)
