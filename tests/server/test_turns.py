"""One thread at a time runs the loop, and another one goes on when that is busy for long."""

import threading
from collections.abc import Callable

import pytest

from embed.server.turns import Turns

TIMEOUT_S = 30


class Loop:
    """Brings the tasks of a list, and tells in which threads its turns are taken."""

    def __init__(self, tasks: list[Callable[[], None]]) -> None:
        self.turns = Turns(self.take_turn)
        self.tasks = tasks
        self.threads: list[int] = []
        self.kept: list[bool] = []
        self.is_over = threading.Event()
        self.count = 0

    def take_turn(self) -> bool:
        self.count += 1
        assert self.count == 1, "two threads run the loop"
        self.threads.append(threading.get_ident())
        if not self.tasks:
            self.is_over.set()
            return False  # no thread gets the loop any more
        task = self.tasks.pop(0)
        begun = self.turns.begin_task()
        self.count -= 1
        task()
        runs_loop = self.turns.end_task(begun)
        self.kept.append(runs_loop)
        return runs_loop


def run(loop: Loop, threads: int) -> None:
    loop.turns.start(threads)
    while not loop.is_over.is_set():
        loop.turns.watch()


def test_short_tasks_are_done_by_the_thread_that_runs_the_loop():
    loop = Loop([lambda: None] * 100)
    loop.turns.start(3)

    assert loop.is_over.wait(TIMEOUT_S)
    assert len(set(loop.threads)) == 1
    assert loop.kept == [True] * 100


def test_tasks_that_take_long_are_done_at_the_same_time_while_the_loop_goes_on():
    together = threading.Barrier(3)
    loop = Loop([lambda: together.wait(TIMEOUT_S)] * 3)
    run(loop, threads=4)

    assert len(set(loop.threads[:3])) == 3
    assert not together.broken


def test_thread_that_was_busy_for_long_runs_the_loop_again_later():
    first, second = threading.Event(), threading.Event()

    def end_first() -> None:
        first.set()
        second.wait(TIMEOUT_S)

    loop = Loop([lambda: first.wait(TIMEOUT_S), end_first, second.set])
    run(loop, threads=2)

    assert second.is_set()
    assert loop.threads[0] == loop.threads[2] != loop.threads[1]


def test_what_the_loop_raises_ends_the_process():
    with pytest.raises(ZeroDivisionError):
        run(Loop([lambda: 1 / 0]), threads=1)


def test_nothing_is_watched_while_there_are_no_tasks(monkeypatch):
    monkeypatch.setattr(threading.Event, "wait", lambda event, _seconds: event.is_set())
    monkeypatch.setattr("embed.server.turns.time.sleep", lambda _seconds: pytest.fail("it looks"))

    Turns(lambda: True).watch()
