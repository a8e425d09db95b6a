"""Visitors and an owner who use the service of bench/soak.py, and how long they wait."""

import base64
import gzip
import http.client
import json
import re
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlencode

import base58
from nacl.signing import SigningKey

from bench.soak_service import EMAIL, PASSWORD, Service
from bench.tracking_read import SITE

TIMEOUT_S = 30
MOST_PROBLEMS = 20  # that are kept


class Clients:
    """Threads that send the mix from entering the context to leaving it, at `rate` a second.

    Without a rate they send as fast as they are answered.
    """

    def __init__(self, service: Service, owner: "Owner", number: int, rate: float | None) -> None:
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
        client = _Client(port, service, self._owner)
        next_at = time.monotonic() + self._pause_s * number / len(self._threads)
        for request in self._list_requests(client):
            if self._over.wait(max(0.0, next_at - time.monotonic())):
                return
            # A client that is late catches up, so that the rate stays what it is meant to be.
            next_at += self._pause_s
            self._send(request)

    def _list_requests(self, client: "_Client") -> Iterator["_Step"]:
        for _ in count():
            visitor = _Visitor(client)
            yield "widget page", visitor.open_widget, (200,)
            yield "read", visitor.read, (200,)
            for _ in range(3):
                yield "read, mostly unchanged", visitor.read, (200, 304)
            yield "nonce", visitor.ask_nonce, (200,)
            yield "submit", visitor.submit, (201,)
            yield "session poll", visitor.poll, (200,)
            yield "queue", client.read_queue, (200,)
            yield "decide", visitor.be_rejected, (303,)
            yield "session poll", visitor.poll, (200,)

    def _send(self, request: "_Step") -> None:
        kind, act, expected = request
        began_at = time.monotonic()
        try:
            status, text = act()
        except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
            status, text = 0, repr(error)
        took_s = time.monotonic() - began_at
        with self._lock:
            self.seconds_by_kind[kind].append(took_s)
            if status not in expected:
                self.problem_count += 1
                if len(self.problems) < MOST_PROBLEMS:
                    self.problems.append(f"{kind}: {status} {text[:200]}")


_Answer = tuple[int, str]  # status and text
_Step = tuple[str, Callable[[], _Answer], tuple[int, ...]]  # kind, request, statuses that are right


@dataclass(frozen=True)
class Owner:
    """The owner's session, which all clients share, as sign-ins are limited."""

    cookie: str
    csrf_token: str


def sign_in(service: Service) -> Owner:
    nobody = _Client(service.ports[0], service, Owner("", ""))
    _, text, headers = nobody.send("GET", "/dashboard/sign-in", {})
    visitor = _Client(service.ports[0], service, Owner(_find_cookie(headers), ""))
    fields = {"csrf_token": _find_token(text), "email": EMAIL, "password": PASSWORD}
    _, _, headers = visitor.post("/dashboard/sign-in", fields)
    cookie = _find_cookie(headers)
    _, text, headers = nobody.send("GET", "/dashboard/account", {"Cookie": cookie})
    return Owner(_find_cookie(headers) or cookie, _find_token(text))  # the cookie has the token


class _Client:
    """Sends requests over a connection each, and decides as the owner."""

    def __init__(self, port: int, service: Service, owner: Owner) -> None:
        self.service = service
        self._port = port
        self._owner = owner

    def send(
        self, method: str, path: str, headers: dict[str, str], body: str | None = None
    ) -> tuple[int, str, http.client.HTTPMessage]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT_S)
        try:
            always = {"Connection": "close", "Accept-Encoding": "gzip"}
            connection.request(method, path, body, always | headers)
            answer = connection.getresponse()
            is_compressed = answer.headers["Content-Encoding"] == "gzip"
            text = gzip.decompress(answer.read()) if is_compressed else answer.read()
            return answer.status, text.decode(), answer.headers
        finally:
            connection.close()

    def read_queue(self) -> _Answer:
        path = f"/dashboard/pages/{self.service.page_id}/queue"
        return self.send("GET", path, {"Cookie": self._owner.cookie})[:2]

    def reject(self, submission_id: str) -> _Answer:
        path = f"/dashboard/pages/{self.service.page_id}/queue/decide"
        fields = {"csrf_token": self._owner.csrf_token, "decision": "reject", "ids": submission_id}
        return self.post(path, fields)[:2]

    def post(self, path: str, fields: dict[str, str]) -> tuple[int, str, http.client.HTTPMessage]:
        form = "application/x-www-form-urlencoded"
        headers = {"Cookie": self._owner.cookie, "Content-Type": form}
        return self.send("POST", path, headers, urlencode(fields))


class _Visitor:
    """A visitor with a new wallet and a session."""

    def __init__(self, client: _Client) -> None:
        self._client = client
        self._key = SigningKey.generate()
        self._address = base58.b58encode(bytes(self._key.verify_key)).decode()
        self._page_id = client.service.page_id
        self._headers = {"Authorization": f"Bearer {client.service.key}", "Origin": SITE}
        self._etag: str | None = None
        self._nonce: dict[str, str] = {}
        self._submission_id = ""

    def open_widget(self) -> _Answer:
        path = f"/embed/tracking/{self._page_id}?key={self._client.service.key}"
        status, text, headers = self._client.send("GET", path, {})
        self._headers["Cookie"] = _find_cookie(headers)
        return status, text

    def read(self) -> _Answer:
        headers = self._headers | ({"If-None-Match": self._etag} if self._etag else {})
        path = f"/embed/api/tracking/{self._page_id}"
        status, text, answered = self._client.send("GET", path, headers)
        self._etag = answered["ETag"]
        return status, text

    def ask_nonce(self) -> _Answer:
        body = {"trackingPageId": self._page_id, "walletAddress": self._address}
        status, text = self._post("siws/nonce", body)
        self._nonce = json.loads(text)
        return status, text

    def submit(self) -> _Answer:
        signature = self._key.sign(self._nonce["message"].encode()).signature
        body = {
            "trackingPageId": self._page_id,
            "walletAddress": self._address,
            "nickname": "Visitor",
            "nonceId": self._nonce["nonceId"],
            "signature": base64.b64encode(signature).decode(),
        }
        status, text = self._post("submissions", body)
        self._submission_id = json.loads(text)["submissionId"]
        return status, text

    def poll(self) -> _Answer:
        path = f"/embed/api/session/submissions?trackingPageId={self._page_id}"
        return self._client.send("GET", path, self._headers)[:2]

    def be_rejected(self) -> _Answer:
        return self._client.reject(self._submission_id)

    def _post(self, path: str, body: dict[str, str]) -> _Answer:
        headers = self._headers | {"Content-Type": "application/json"}
        return self._client.send("POST", f"/embed/api/{path}", headers, json.dumps(body))[:2]


def _find_cookie(headers: http.client.HTTPMessage) -> str:
    return (headers["Set-Cookie"] or "").partition(";")[0]


def _find_token(page: str) -> str:
    found = re.search(r'name="csrf_token"[^>]* value="([^"]+)"', page)
    if found is None:
        raise ValueError("a page without a form")
    return found[1]
