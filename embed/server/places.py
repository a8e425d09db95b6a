"""Who keeps a place when all are taken: connections are counted by their client's address."""

from collections import defaultdict
from dataclasses import dataclass, field
from operator import attrgetter

from embed.domain.clients import name_client
from embed.server.connection import Connection


@dataclass
class _Client:
    """Its connections that have a place; of the idle ones, the first has been so for longest."""

    connections: dict[Connection, None] = field(default_factory=dict)
    idle: dict[Connection, None] = field(default_factory=dict)

    @property
    def held(self) -> int:
        return len(self.connections)


class Places:
    """Lets at most `count` connections have a place.

    When all are taken, clients with many connections make room for those with fewer.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._names: dict[Connection, str] = {}  # of those who hold the places
        self._clients: defaultdict[str, _Client] = defaultdict(_Client)

    def __contains__(self, conn: Connection) -> bool:
        return conn in self._names

    def take(self, conn: Connection) -> bool:
        """Return whether a connection has a place; it takes one if one is free."""
        if conn not in self._names:
            if len(self._names) >= self._count:
                return False
            name = self._names[conn] = _find_name(conn)
            self._clients[name].connections[conn] = None
        return True

    def leave(self, conn: Connection) -> None:
        """Free the place of a connection; does nothing if it has none."""
        name = self._names.pop(conn, None)
        if name is not None:
            client = self._clients[name]
            client.connections.pop(conn)
            client.idle.pop(conn, None)
            if not client.held:
                del self._clients[name]

    def mark(self, conn: Connection) -> None:
        """Remember whether a connection waits for a request, and since when."""
        if conn in self._names:
            idle = self._clients[self._names[conn]].idle
            if conn.is_idle:
                idle.setdefault(conn)
            else:
                idle.pop(conn, None)

    def find_one_to_end(self, newcomer: Connection) -> Connection | None:
        """Return a connection that is to leave its place to a newcomer.

        The client with the most loses one: the one that has been idle longest, if the client
        holds at least as many as the newcomer's. If none is idle, the one with the least progress,
        if the client holds more; or as many, if the newcomer has sent a request that the other
        still sends. A request that waits for a thread comes last, and one that a thread handles
        is not ended.
        """
        its_client = self._clients.get(_find_name(newcomer))
        own = its_client.held if its_client else 0
        clients = sorted(self._clients.values(), key=attrgetter("held"), reverse=True)
        for client in clients:
            if client.idle and client.held >= own:
                return next(iter(client.idle))
        for client in clients:
            if client.held > own:
                found = [conn for conn in client.connections if not conn.is_handled]
            elif client.held == own and not newcomer.is_idle:
                found = [
                    conn
                    for conn in client.connections
                    if conn.queue is None and not conn.unsent_bytes
                ]
            else:
                break
            if found:
                return min(found, key=lambda conn: (conn.queue is not None, conn.deadline))
        return None


def _find_name(conn: Connection) -> str:
    """Return what the client is counted by; all clients of a unix socket are one."""
    return name_client(conn.client[0]) if isinstance(conn.client, tuple) else ""
