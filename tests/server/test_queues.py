"""Which request is handled next, and how many are at a time."""

from types import SimpleNamespace

import pytest

from embed.server.queues import Queues

HEALTHZ, READYZ, OTHER = "/healthz", "/readyz", "/healthzz"


class Connection(SimpleNamespace):
    __hash__ = object.__hash__


def add(queues: Queues, *paths: str) -> None:
    for path in paths:
        conn = Connection(request=SimpleNamespace(path=path), is_handled=False)
        conn.queue = queues.find(conn)
        conn.queue.waiting.append(conn)


def begin_all(queues: Queues) -> list[str]:
    """Begin requests until no more may be handled at a time; return their paths."""
    return [conn.request.path for conn in iter(queues.begin_next, None)]


def test_requests_are_handled_in_turn_so_many_at_a_time_and_checks_beside_them():
    queues = Queues(2)
    add(queues, OTHER + "1", OTHER + "2", OTHER + "3", HEALTHZ, HEALTHZ, READYZ, READYZ)

    begun = begin_all(queues)

    assert sorted(begun) == sorted([OTHER + "1", OTHER + "2", HEALTHZ, READYZ])
    assert queues.most_at_a_time == len(begun)
    assert queues.find_ready() is None


@pytest.mark.parametrize("flood", [HEALTHZ, READYZ, OTHER])
def test_flood_of_one_kind_keeps_no_other_kind_waiting(flood):
    queues = Queues(1)
    add(queues, *[flood] * 10, HEALTHZ, READYZ, OTHER)

    begun = []
    for _ in range(3):
        conn = queues.begin_next()
        conn.queue.handled.remove(conn)
        begun.append(conn.request.path)

    assert sorted(begun) == sorted([HEALTHZ, READYZ, OTHER])
