"""Who keeps a place when all are taken: connections are counted by their client's address."""

from collections import Counter

from embed.domain.client_addresses import name_client
from embed.server.connection import Connection


class Places:
    """Lets at most `count` connections have a place.

    When all are taken, clients with many connections make room for those with fewer.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._clients: dict[Connection, str] = {}  # of those that have a place
        self._idle: dict[Connection, None] = {}  # of them; the first has been so for longest

    def __contains__(self, conn: Connection) -> bool:
        return conn in self._clients

    def __len__(self) -> int:
        """Return how many are taken."""
        return len(self._clients)

    def take(self, conn: Connection) -> bool:
        """Return whether a connection has a place; it takes one if one is free."""
        if conn not in self._clients:
            if len(self) >= self._count:
                return False
            self._clients[conn] = _name_client(conn)
        return True

    def leave(self, conn: Connection) -> None:
        """Free the place of a connection; does nothing if it has none."""
        self._clients.pop(conn, None)
        self._idle.pop(conn, None)

    def mark(self, conn: Connection) -> None:
        """Remember whether a connection waits for a request, and since when."""
        if conn.is_idle and conn in self:
            self._idle.setdefault(conn)
        else:
            self._idle.pop(conn, None)

    def find_one_to_end(self, newcomer: Connection) -> Connection | None:
        """Return a connection that is to leave its place to a newcomer.

        The client with the most loses one: the one that has been idle longest, if the client
        holds at least as many as the newcomer's. If none is idle, the one with the least progress,
        if the client holds more; or as many, if the newcomer has sent a request that the other
        still sends. A request that waits for a thread comes last, and one that a thread handles
        is not ended.
        """
        counts = Counter(self._clients.values())
        own = counts[_name_client(newcomer)]
        held = {conn: counts[client] for conn, client in self._clients.items()}
        idle = [conn for conn in self._idle if held[conn] >= own]
        if idle:
            return max(idle, key=held.__getitem__)
        busy = [
            conn
            for conn in held
            if (held[conn] > own and not conn.is_handled)
            or (held[conn] == own and not newcomer.is_idle and _is_sending(conn))
        ]
        return min(
            busy,
            key=lambda conn: (-held[conn], conn.queue is not None, conn.deadline),
            default=None,
        )


def _is_sending(conn: Connection) -> bool:
    return conn.queue is None and not conn.unsent_bytes


def _name_client(conn: Connection) -> str:
    """Return what the client is counted by; all clients of a unix socket are one."""
    return name_client(conn.client[0]) if isinstance(conn.client, tuple) else ""
