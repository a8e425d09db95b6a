"""Tasks for each of many keys, such as receivers of notifications."""

import pytest
from one_process import OneProcess

from embed.db.models import Job
from embed.worker.jobs import KeyedJob
from embed.worker.tasks import LeaseLost

pytestmark = pytest.mark.databases("sqlite", "postgres")


def test_keyed_tasks_begin_as_threads_become_free(process: OneProcess):
    waiting = [f"r{number}" for number in range(5)]
    done = []

    def serve(key, _runtime, _keep_alive) -> None:
        waiting.remove(key)
        done.append(key)

    job = KeyedJob("receiver", lambda _now: dict.fromkeys(waiting, "one"), serve, at_once=2)
    process.define(job)

    assert process.look() == process.look() == 2
    assert (process.run_all(), process.work(), process.work()) == (2, 2, 1)
    assert done == [f"r{number}" for number in range(5)]
    assert process.woken == 5
    assert process.work() == 0


def test_key_has_one_task_at_a_time_however_many_processes_look(process: OneProcess):
    seen = []

    def serve(key, _runtime, _keep_alive) -> None:
        seen.append((key, process.rival(job).look()))

    job = KeyedJob("receiver", lambda _now: {"r": "one"}, serve)
    process.define(job)
    process.work()

    assert seen == [("r", 0)]


def test_key_is_due_again_as_soon_as_its_task_has_ended(process: OneProcess):
    process.define(KeyedJob("receiver", lambda _now: {"r": "one"}, lambda *_: "Sent."))

    assert [process.work() for _ in range(3)] == [1, 1, 1]
    assert Job.get_by_id("receiver r").summary == "Sent."


def test_key_whose_task_fails_waits_and_holds_up_no_other(process: OneProcess):
    def serve(key, _runtime, _keep_alive) -> None:
        if key == "bad":
            raise RuntimeError

    process.define(KeyedJob("receiver", lambda _now: {"bad": "one", "good": "one"}, serve))

    assert [process.work() for _ in range(3)] == [2, 1, 1]
    process.forward(seconds=10)
    assert process.work() == 2


def test_keyed_task_of_a_process_that_stops_is_told_so(process: OneProcess):
    def serve(_key, _runtime, keep_alive) -> None:
        keep_alive()
        process.runner.stop(0)
        with pytest.raises(LeaseLost):
            keep_alive()
        keep_alive()

    process.define(KeyedJob("receiver", lambda _now: {"r": "one"}, serve))
    process.work()

    report = Job.get_by_id("receiver r")
    assert (report.leased_by, report.failure) == (None, None)


def test_keys_that_are_always_due_hold_up_no_others(process: OneProcess):
    served = []

    def serve(key, _runtime, _keep_alive) -> None:
        process.forward(seconds=1)
        served.append(key)

    process.define(KeyedJob("receiver", lambda _now: dict.fromkeys("abc", "one"), serve, at_once=1))
    for _ in range(6):
        process.work()

    assert served == ["a", "b", "c"] * 2


def test_keys_have_their_turn_after_the_clock_went_back_too(process: OneProcess):
    served = []
    job = KeyedJob(
        "receiver",
        lambda _now: dict.fromkeys("abc", "one"),
        lambda key, *_: (process.forward(seconds=1), served.append(key)),
        at_once=1,
    )
    process.define(job)
    for _ in range(3):
        process.work()
    process.forward(hours=-1)
    for _ in range(3):
        process.work()

    assert sorted(served[3:]) == ["a", "b", "c"]


def test_no_number_of_keys_is_too_large_for_a_statement(process: OneProcess):
    keys = {f"r{number}": f"group {number // 1000}" for number in range(70_000)}
    process.define(KeyedJob("receiver", lambda _now: keys, lambda *_: None))

    assert process.work() == 8


def test_group_waits_for_one_task_of_each_other_group_however_many_keys_these_have(
    process: OneProcess,
):
    keys = {f"{group}{number}": group for group in "abc" for number in range(50)} | {"k": "small"}
    served = []

    def serve(key, _runtime, _keep_alive) -> None:
        process.forward(seconds=1)
        served.append(keys[key])

    process.define(KeyedJob("receiver", lambda _now: keys, serve, at_once=2))
    for _ in range(20):
        process.work()

    assert [served.count(group) for group in ("a", "b", "c", "small")] == [10, 10, 10, 10]


def test_places_that_become_free_go_to_the_group_with_the_fewest_tasks(process: OneProcess):
    keys = dict.fromkeys("abcdef", "crowd")
    process.define(KeyedJob("receiver", lambda _now: keys, lambda *_: None, at_once=4))
    process.look()
    keys |= dict.fromkeys("xyz", "other")

    process.run_all(most=3)
    process.look()

    assert process.running == ["receiver d", "receiver x", "receiver e", "receiver y"]
