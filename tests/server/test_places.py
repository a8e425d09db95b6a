"""Which connection leaves its place to a newcomer when all are taken."""

import pytest

from embed.server.places import Places

MANY, SOME, FEW, NEW = "192.0.2.4", "192.0.2.3", "192.0.2.2", "192.0.2.1"


class Connection:
    def __init__(self, client: str, *, received: bytes = b"", unsent: int = 0, deadline: float = 0):
        self.client = (client, 4711) if client else ""
        self.received, self.unsent_bytes, self.deadline = received, unsent, deadline
        self.queue: object | None = None
        self.is_handled = False
        self.is_idle = not (received or unsent)


def idle(client: str) -> Connection:
    return Connection(client)


def sending(client: str, deadline: float = 0) -> Connection:
    return Connection(client, received=b"GET /", deadline=deadline)


def reading(client: str) -> Connection:
    return Connection(client, unsent=1)


def fill(*conns: Connection) -> Places:
    """Return places that are all taken."""
    places = Places(len(conns))
    for conn in conns:
        assert places.take(conn)
        places.mark(conn)
    return places


def find(places: Places, newcomer: Connection) -> Connection | None:
    assert not places.take(newcomer)
    return places.find_one_to_end(newcomer)


def test_client_with_the_most_places_loses_its_connection_that_was_idle_longest():
    conns = [idle(FEW), idle(MANY), idle(MANY), idle(SOME)]

    assert find(fill(*conns), idle(NEW)) is conns[1]


def test_connection_that_was_used_again_is_not_the_one_that_was_idle_longest():
    conns = [idle(MANY), idle(MANY)]
    places = fill(*conns)
    for conns[0].is_idle in (False, True):
        places.mark(conns[0])

    assert find(places, idle(NEW)) is conns[1]


@pytest.mark.parametrize("newcomer", [NEW, MANY])
def test_idle_connection_goes_before_any_request_does(newcomer):
    conns = [sending(MANY), sending(MANY), reading(MANY), idle(SOME), idle(SOME), idle(SOME)]

    assert find(fill(*conns), sending(newcomer)) is conns[3]


@pytest.mark.parametrize("busy", [sending, reading])
def test_client_with_the_most_places_loses_a_connection_that_is_not_idle(busy):
    conns = [busy(SOME), busy(MANY), busy(MANY)]

    assert find(fill(*conns), idle(NEW)) is conns[1]
    assert find(fill(*conns), idle(SOME)) is conns[1]


def test_connection_with_the_least_progress_is_the_first_to_go():
    conns = [sending(MANY, deadline=2), sending(MANY, deadline=1), sending(MANY, deadline=3)]

    assert find(fill(*conns), idle(NEW)) is conns[1]


@pytest.mark.parametrize("of_few", [idle, sending, reading])
@pytest.mark.parametrize("newcomer", [idle, sending])
def test_clients_with_fewer_places_lose_none_to_those_with_more(of_few, newcomer):
    conns = [of_few(FEW), reading(MANY), reading(MANY)]

    assert find(fill(*conns), newcomer(MANY)) is None


def test_request_takes_the_place_of_one_that_still_arrives_from_the_same_client():
    conns = [reading(MANY), sending(MANY)]

    assert find(fill(*conns), sending(MANY)) is conns[1]
    assert find(fill(*conns), idle(MANY)) is None


def test_request_that_no_thread_has_begun_goes_after_all_others_of_its_client():
    conns = [sending(MANY), sending(MANY), sending(MANY, deadline=9), sending(FEW)]
    places = fill(*conns)
    for conn in conns[:2]:
        conn.queue = "requests"
    conns[0].is_handled = True

    assert find(places, idle(NEW)) is conns[2]
    conns[2].queue, conns[2].is_handled = "requests", True
    assert find(places, idle(NEW)) is conns[1]
    assert find(places, sending(MANY)) is None
    conns[1].is_handled = True
    assert find(places, idle(NEW)) is conns[3]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6"),
        ("::ffff:192.0.2.9", "192.0.2.9"),
        ("", ""),  # of a unix socket
    ],
)
def test_connections_that_one_client_can_open_are_counted_together(one, other):
    conns = [idle(FEW), idle(one), idle(other)]

    assert find(fill(*conns), idle(NEW)) is conns[1]


def test_place_that_was_left_is_free_and_counts_no_more():
    conns = [idle(MANY), idle(MANY), idle(SOME), idle(SOME)]
    places = fill(*conns)
    for conn in conns[:2]:
        places.leave(conn)
        places.leave(conn)

    newcomers = [idle(NEW), idle(FEW)]

    assert [places.take(conn) for conn in newcomers] == [True, True]
    assert find(places, idle(MANY)) is conns[2]
    assert conns[0] not in places
