"""Visitors, an owner and readers who use a service without a pause, and what they were told."""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from typing import Any

import psycopg2
import requests
from database import count_pending
from remote_owner import RemoteOwner
from support.remote import RemotePage
from support.waiting import wait_for
from support.world import Visitor

CAPACITY = 4
VISITORS = 3
PAUSE_S = 0.03  # of each client between two requests, so that the tests leave the servers some time
ANSWERED_WITHIN_S = 60
CUT_OFF = (requests.ConnectionError, requests.exceptions.ChunkedEncodingError)


@dataclass(frozen=True)
class Told:
    """An answer to a request of the load; without a status, the connection ended before it."""

    began_at: float  # as time.monotonic()
    ended_at: float
    what: str
    is_repeated: bool  # after an attempt without a final answer
    status: int | None
    text: str = ""
    retry_after: str | None = None


@dataclass(frozen=True)
class Submitted:
    """A submission that was acknowledged, or that is known to be stored without an answer."""

    page_id: str
    wallet: str
    nonce_id: str
    id: str | None  # None: its answer was lost
    status: str


@dataclass
class Record:
    """What all clients together were told."""

    answers: list[Told] = field(default_factory=list)
    submitted: list[Submitted] = field(default_factory=list)
    decisions: dict[str, str] = field(default_factory=dict)  # status by submission
    unexpected: list[str] = field(default_factory=list)
    most_pending: int = 0
    probed: set[str] = field(default_factory=set)  # wallets of submissions beside the load


class Load:
    """Use as a context: the clients begin with it, and end with it.

    Two pages take submissions: one approves by itself, the other has a short queue that its owner
    works off. A client that gets no answer, or 503, repeats the same request until there is one.
    """

    def __init__(self, urls: Sequence[str], environ: dict[str, str]) -> None:
        self.urls = urls
        self.database_url = environ["DATABASE_URL"]
        self.record = Record()
        self.auto_page = RemotePage(urls[0], environ, "--auto-approve")
        self.queue_page = RemotePage(urls[0], environ, "--queue-capacity", str(CAPACITY))
        self._owner = RemoteOwner(self.queue_page)
        self._undecided: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._over = threading.Event()
        clients = [*[self._visit] * VISITORS, self._review, self._read, self._watch_queue]
        self._threads = [threading.Thread(target=self._run, args=(one,)) for one in clients]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _run(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:  # it ends one client only, and the test fails for it
            self.record.unexpected.append(f"{act.__name__}: {error!r}")

    def wait_for(self, number: int, status: str | None = None) -> None:
        """Wait until so many more submissions were acknowledged, of one status if it is given."""

        def count() -> int:
            return sum(status in (None, one.status) for one in list(self.record.submitted))

        wanted = count() + number
        wait_for(lambda: count() >= wanted)

    # The clients

    def _visit(self) -> None:
        ways = cycle(
            [(page, url) for url in self.urls for page in (self.auto_page, self.queue_page)]
        )
        while not self._over.wait(PAUSE_S):
            page, url = next(ways)
            page = at(page, url)
            visitor = Visitor()
            nonce = self._ask("nonce", lambda page=page, one=visitor: page.ask_nonce(one))
            if nonce is not None and nonce.status_code == 200:
                self._submit(page, page.draft(visitor, nonce=nonce.json))

    def _submit(self, page: RemotePage, draft: dict[str, str]) -> None:
        """Submit until there is an answer, even when the load is over."""
        answer, is_repeated = self._ask_until_answered("submit", lambda: page.post(draft))
        stored = {"page_id": page.page_id, "wallet": draft["walletAddress"]}
        stored["nonce_id"] = draft["nonceId"]
        if answer.status_code == 201:
            told = answer.json
            self.record.submitted.append(
                Submitted(**stored, id=told["submissionId"], status=told["status"])
            )
            if told["status"] == "pending":
                self._undecided.put(told["submissionId"])
        elif is_repeated and answer.json == {"error": "invalid_nonce"}:
            # The first attempt was stored, and its answer was lost.
            is_auto = page.page_id == self.auto_page.page_id
            status = "auto_approved" if is_auto else "pending"
            self.record.submitted.append(Submitted(**stored, id=None, status=status))
        elif (page.page_id, answer.json) != (self.queue_page.page_id, {"error": "queue_full"}):
            self.record.unexpected.append(f"submit: {answer.status_code} {answer.text}")

    def _review(self) -> None:
        for decision, status in cycle([("approve", "approved"), ("reject", "rejected")]):
            while self._undecided.empty():
                if self._over.wait(PAUSE_S):
                    return
            submission_id = self._undecided.get()
            url = self.urls[len(self.record.decisions) % len(self.urls)]
            decide = partial(self._owner.decide, url, decision, submission_id)
            answer, is_repeated = self._ask_until_answered("decide", decide)
            if answer.status_code == 303 or (is_repeated and answer.status_code == 409):
                self.record.decisions[submission_id] = status
            else:
                self.record.unexpected.append(f"decide: {answer.status_code} {answer.text[-2000:]}")

    def _read(self) -> None:
        for url in cycle(self.urls):
            if self._over.wait(PAUSE_S):
                return
            answer = self._ask("read", at(self.auto_page, url).read)
            if answer is not None and answer.status_code != 200:
                self.record.unexpected.append(f"read: {answer.status_code} {answer.text}")

    def _watch_queue(self) -> None:
        while not self._over.wait(PAUSE_S):
            try:
                pending = count_pending(self.database_url, self.queue_page.page_id)
            except psycopg2.OperationalError:
                continue  # it is away
            self.record.most_pending = max(pending, self.record.most_pending)

    def _ask_until_answered(self, what: str, call: Callable[[], Any]) -> tuple[Any, bool]:
        """Return the first answer other than 503, and whether it took more than one attempt."""
        deadline = time.monotonic() + ANSWERED_WITHIN_S
        answer, is_repeated = self._ask(what, call), False
        while answer is None:
            assert time.monotonic() < deadline, "the service has not come back"
            time.sleep(PAUSE_S)
            answer, is_repeated = self._ask(what, call, is_repeated=True), True
        return answer, is_repeated

    def _ask(self, what: str, call: Callable[[], Any], *, is_repeated: bool = False) -> Any:
        """Return an answer other than 503, or None; note every answer."""
        began_at = time.monotonic()
        try:
            answer = call()
        except CUT_OFF:
            status, text, retry_after = None, "", None
        else:
            status, text = answer.status_code, answer.text[-300:]
            retry_after = answer.headers.get("Retry-After")
        told = Told(began_at, time.monotonic(), what, is_repeated, status, text, retry_after)
        self.record.answers.append(told)
        return None if status in (None, 503) else answer


def at(page: RemotePage, url: str) -> RemotePage:
    """Return the page as another instance serves it."""
    other = copy(page)
    other.server_url = url
    return other
