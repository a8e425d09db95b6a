"""A scrape answers whatever is away."""

import threading
from time import monotonic

import pytest
from peewee import OperationalError
from prometheus_client import generate_latest
from support.scrapes import Scraped

from embed.monitoring import gauges
from embed.monitoring.bounded import BoundedQuestion
from embed.monitoring.endpoint import make_registry
from embed.settings import Settings

pytestmark = pytest.mark.slow

LIMIT_S = 30


@pytest.fixture
def ask(app, environ, tmp_path, monkeypatch):
    """Scrape this process: ``ask()``; it waits for as long as a busy machine takes."""
    monkeypatch.setattr(gauges, "ANSWER_WITHIN_S", LIMIT_S)
    registry = make_registry(Settings.from_environ(environ), tmp_path)
    return lambda: Scraped(generate_latest(registry).decode())


def test_scrape_tells_what_the_database_says(ask):
    assert ask().sum("embed_database_up") == 1
    assert "embed_submissions_pending" in ask().names


def test_database_that_is_away_is_told_and_its_gauges_are_missing(ask, monkeypatch):
    def fail(*_, **__):
        raise OperationalError("gone")

    monkeypatch.setattr(gauges, "read_gauges", fail)
    found = ask()

    assert found.sum("embed_database_up") == 0
    assert "embed_submissions_pending" not in found.names
    assert "embed_rate_limit_fallback" in found.names


def test_database_that_hangs_holds_up_a_scrape_only_for_a_while(ask, monkeypatch):
    asked, released = [], threading.Event()

    def hang(*_, **__):
        asked.append(1)
        released.wait(LIMIT_S)
        return {}

    monkeypatch.setattr(gauges, "read_gauges", hang)
    monkeypatch.setattr(gauges, "ANSWER_WITHIN_S", 0.1)
    began = monotonic()
    assert [ask().sum("embed_database_up") for _ in range(3)] == [0, 0, 0]

    assert monotonic() - began < LIMIT_S
    assert len(asked) == 1, "the one that hangs is waited for, and no other is begun"
    released.set()


def test_balances_that_take_long_do_not_make_the_database_seem_away(ask, monkeypatch):
    released = threading.Event()
    monkeypatch.setattr(gauges, "read_balances_gauge", lambda *_, **__: released.wait(LIMIT_S))
    monkeypatch.setattr(gauges, "ANSWER_WITHIN_S", 3.0)
    monkeypatch.setattr(gauges, "read_gauges", lambda _: {"embed_submissions_pending": 3})

    found = ask()

    assert found.sum("embed_database_up") == 1
    assert "embed_submissions_pending" in found.names
    assert "embed_balances_age_seconds" not in found.names
    released.set()


def test_mistake_of_ours_is_not_taken_for_an_outage():
    def fail() -> None:
        raise KeyError("a mistake")

    with pytest.raises(KeyError):
        BoundedQuestion(fail, "fails").begin().result(LIMIT_S)


def test_who_asks_meanwhile_gets_the_same_answer_and_later_a_new_one():
    released, answers = threading.Event(), iter(range(9))

    def answer() -> int:
        released.wait(LIMIT_S)
        return next(answers)

    question = BoundedQuestion(answer, "answers")
    first, second = question.begin(), question.begin()
    released.set()

    assert [first.result(LIMIT_S), second.result(LIMIT_S)] == [0, 0]
    assert question.begin().result(LIMIT_S) == 1


def test_limits_in_memory_are_no_fallback(ask):
    assert ask().sum("embed_rate_limit_fallback") == 0


def test_storage_that_cannot_even_be_opened_is_a_fallback(ask, monkeypatch):
    def fail(_) -> None:
        raise ConnectionError("no node of the cluster answers")

    monkeypatch.setattr(gauges.storages, "open_storage", fail)

    assert ask().sum("embed_rate_limit_fallback") == 1
