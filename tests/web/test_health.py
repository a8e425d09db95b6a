"""Health checks: yes or no, for everyone, whatever else is refused."""

import pytest
from support.apps import Apps

from embed.db.work_status import hold_lease
from embed.factory import create_app
from embed.logs.lines import make_formatter
from embed.logs.redaction import Redactor
from embed.settings import Settings

CHECKS = ["/healthz", "/readyz"]
EVERYBODY = {"Authorization": None, "Origin": None}


@pytest.fixture
def apps() -> Apps:
    return Apps()


@pytest.fixture
def worked(clock):
    """Let a process of the background work report."""

    def report() -> None:
        hold_lease("a", "worker", clock(), clock())

    return report


def ask(world, path, method="GET", **arguments):
    return world.call(method, path, headers=EVERYBODY | arguments.pop("headers", {}), **arguments)


@pytest.mark.parametrize("path", CHECKS)
def test_health_check_answers_yes_without_a_key_and_says_no_more(world, worked, path):
    worked()

    answer = ask(world, path)

    assert (answer.status_code, answer.text) == (200, "yes\n")
    assert answer.content_type == "text/plain; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert not {"Set-Cookie", "Retry-After"} & set(answer.headers.keys())


def test_health_checks_are_never_limited_and_do_not_count(world_with, worked):
    world = world_with(LIMIT_PER_IP="1/hour")
    worked()

    assert {ask(world, path).status_code for path in CHECKS * 3} == {200}
    assert world.read().status_code == 200
    assert world.read().status_code == 429
    assert {ask(world, path).status_code for path in CHECKS} == {200}


def test_health_checks_name_any_host_and_what_looks_like_one_is_none(world_with, worked):
    world = world_with(PUBLIC_URL="https://embed.example")
    worked()

    for path in CHECKS:
        assert ask(world, path, headers={"Host": "10.0.0.7:8000"}).status_code == 200
        assert ask(world, f"{path}/").status_code == 400
        assert ask(world, path, "POST").status_code == 400


def test_ready_is_no_without_a_database_while_the_process_is_well(environ, tmp_path, caplog):
    environ["DATABASE_URL"] = f"postgresql://embed@/embed?host={tmp_path}"
    client = create_app(Settings.from_environ(environ)).test_client()

    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")

    assert (answer.status_code, answer.text) == (503, "no\n")
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Not ready. The database cannot answer. " in caplog.text


def test_stranger_who_asks_cannot_hide_from_the_log_why_it_is_not_ready(world, caplog, monkeypatch):
    monkeypatch.setattr(caplog.handler, "formatter", make_formatter("text", Redactor()))
    reason = "Not ready. The background work isn't running."

    assert ask(world, f"/readyz?x={reason}").status_code == 503

    assert caplog.text.endswith(f"WARNING {reason}\n")


def test_ready_is_no_until_somebody_does_the_background_work(world, worked, clock, monkeypatch):
    monkeypatch.setattr("embed.web.health._FRESH_S", 0.0)
    assert ask(world, "/readyz").status_code == 503
    worked()
    assert ask(world, "/readyz").status_code == 200

    clock.forward(seconds=31)

    assert ask(world, "/readyz").status_code == 200  # another may take over
    monkeypatch.setattr("embed.web.health._WORKER_GRACE_S", 0.0)
    assert ask(world, "/readyz").status_code == 503
