"""Visitors and an owner who use the service of bench/soak.py, and how long they wait."""

import http.client
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

from bench.soak_service import Service
from bench.visitors import Answer, Client, Owner, Visitor

MOST_PROBLEMS = 20  # that are kept


class Clients:
    """Threads that send the mix from entering the context to leaving it, at `rate` a second.

    Without a rate they send as fast as they are answered.
    """

    def __init__(self, service: Service, owner: Owner, number: int, rate: float | None) -> None:
        self.seconds_by_kind: defaultdict[str, list[float]] = defaultdict(list)
        self.problems: list[str] = []
        self.problem_count = 0
        self._service, self._owner = service, owner
        self._pause_s = number / rate if rate else 0.0
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._run, args=(port_number,)) for port_number in range(number)
        ]

    def __enter__(self) -> "Clients":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def count(self) -> int:
        return sum(map(len, list(self.seconds_by_kind.values())))

    def _run(self, number: int) -> None:
        """Go through the mix again and again, a request at its time."""
        service = self._service
        port = service.ports[number % len(service.ports)]
        client = Client(port, keeps_alive=False)
        next_at = time.monotonic() + self._pause_s * number / len(self._threads)
        for request in self._list_requests(client):
            if self._over.wait(max(0.0, next_at - time.monotonic())):
                return
            # A client that is late catches up, so that the rate stays what it is meant to be.
            next_at += self._pause_s
            self._send(request)

    def _list_requests(self, client: Client) -> Iterator["_Step"]:
        page = self._service.page
        for _ in count():
            visitor = Visitor(client, page)
            yield "widget page", visitor.open_widget, (200,)
            yield "read", visitor.read, (200,)
            for _ in range(3):
                yield "read, mostly unchanged", visitor.read, (200, 304)
            yield "nonce", visitor.ask_nonce, (200,)
            yield "submit", visitor.submit, (201,)
            yield "session poll", visitor.poll, (200,)
            yield "queue", partial(self._owner.read_queue, client, page.id), (200,)
            reject = partial(self._owner.decide, client, page.id, "reject", [visitor.submission_id])
            yield "decide", reject, (303,)
            yield "session poll", visitor.poll, (200,)

    def _send(self, request: "_Step") -> None:
        kind, act, expected = request
        began_at = time.monotonic()
        try:
            answer = act()
            status, text = answer.status, answer.text
        except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
            status, text = 0, repr(error)
        took_s = time.monotonic() - began_at
        with self._lock:
            self.seconds_by_kind[kind].append(took_s)
            if status not in expected:
                self.problem_count += 1
                if len(self.problems) < MOST_PROBLEMS:
                    self.problems.append(f"{kind}: {status} {text[:200]}")


_Step = tuple[str, Callable[[], Answer], tuple[int, ...]]  # kind, request, statuses that are right
