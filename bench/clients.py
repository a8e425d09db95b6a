"""Visitors and an owner who use a server over HTTP like browsers."""

import base64
import http.client
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPMessage
from typing import NamedTuple
from urllib.parse import urlencode

import base58
import brotli
from nacl.signing import SigningKey

TIMEOUT_S = 30
BROWSER = {"Accept-Encoding": "gzip, br"}
SITE = "https://site.example"  # it shows the page
EMAIL, PASSWORD = "owner@example.com", "a password of the benchmark"  # used nowhere else
NICKNAME = "Visitor"


class WrongAnswer(Exception):
    """An answer was wrong, so the figures would mean nothing."""


class Answer(NamedTuple):
    status: int
    content: bytes
    headers: HTTPMessage

    @property
    def text(self) -> str:
        is_compressed = self.headers["Content-Encoding"] == "br"
        return (brotli.decompress(self.content) if is_compressed else self.content).decode()

    @property
    def cookie(self) -> str:
        return (self.headers["Set-Cookie"] or "").partition(";")[0]

    def find(self, pattern: str) -> str:
        found = re.search(pattern, self.text)
        if found is None:
            raise WrongAnswer(f"no {pattern} in {self.text[:200]}")
        return found[1]


class Client:
    """Sends requests over one connection."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)

    def get(self, path: str, headers: dict[str, str], status: int = 200) -> Answer:
        return self._send("GET", path, headers, None, status)

    def post(self, path: str, headers: dict[str, str], sent: object, status: int = 200) -> Answer:
        """Send JSON."""
        json_headers = {"Content-Type": "application/json"}
        return self._send("POST", path, headers | json_headers, json.dumps(sent), status)

    def post_form(self, path: str, cookie: str, fields: Mapping[str, object]) -> Answer:
        """Send a dashboard form, which answers with a redirect."""
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie}
        return self._send("POST", path, headers, urlencode(fields, doseq=True), 303)

    def close(self) -> None:
        self._connection.close()

    def _send(
        self, method: str, path: str, headers: dict[str, str], body: str | None, status: int
    ) -> Answer:
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        answer = Answer(response.status, response.read(), response.headers)
        if answer.status != status:
            raise WrongAnswer(f"{answer.status} instead of {status}: {answer.text[:200]}")
        return answer


@dataclass(frozen=True)
class TrackedPage:
    id: str
    key: str  # a public key for SITE

    @property
    def path(self) -> str:
        return f"/embed/tracking/{self.id}?key={self.key}"

    @property
    def list_path(self) -> str:
        return f"/api/embed/tracking/{self.id}"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}", "Origin": SITE}


class Owner:
    """An owner's session; several clients can share it, since sign-ins are limited."""

    _CSRF = r'name="csrf_token"[^>]* value="([^"]+)"'

    def __init__(self, client: Client) -> None:
        form = client.get("/dashboard/sign-in", {})
        fields = {"csrf_token": form.find(self._CSRF), "email": EMAIL, "password": PASSWORD}
        self._cookie = client.post_form("/dashboard/sign-in", form.cookie, fields).cookie
        account = self.open("account", client)
        self._cookie = account.cookie or self._cookie  # has the token
        self._csrf_token = account.find(self._CSRF)

    def open(self, path: str, client: Client) -> Answer:
        return client.get(f"/dashboard/{path}", BROWSER | {"Cookie": self._cookie})

    def decide(self, client: Client, page: TrackedPage, decision: str, ids: list[str]) -> None:
        fields = {"csrf_token": self._csrf_token, "decision": decision, "ids": ids}
        client.post_form(f"/dashboard/pages/{page.id}/queue/decide", self._cookie, fields)


class Visitor:
    """Someone with a new wallet and, after opening the widget, a session."""

    def __init__(
        self, client: Client, page: TrackedPage, cookie: str = "", nickname: str = NICKNAME
    ) -> None:
        self._client = client
        self._page = page
        self._key = SigningKey.generate()
        self._address = base58.b58encode(bytes(self._key.verify_key)).decode()
        self._cookie, self._nickname = cookie, nickname
        self._nonce: dict[str, str] = {}
        self.submission_id = ""

    def open_widget(self) -> Answer:
        answer = self._client.get(self._page.path, BROWSER)
        self._cookie = answer.cookie
        return answer

    def read(self) -> Answer:
        return self._client.get(self._page.list_path, BROWSER | self._page.headers)

    def ask_nonce(self) -> None:
        fields = {"trackingPageId": self._page.id, "walletAddress": self._address}
        answer = self._client.post("/embed/api/siws/nonce", self._headers, fields)
        self._nonce = json.loads(answer.text)

    def submit(self) -> None:
        signature = self._key.sign(self._nonce["message"].encode()).signature
        fields = {
            "trackingPageId": self._page.id,
            "walletAddress": self._address,
            "nickname": self._nickname,
            "nonceId": self._nonce["nonceId"],
            "signature": base64.b64encode(signature).decode(),
        }
        answer = self._client.post("/embed/api/submissions", self._headers, fields, 201)
        self.submission_id = json.loads(answer.text)["submissionId"]

    def poll_own(self) -> Answer:
        """Ask for the status of the submissions."""
        path = f"/embed/api/session/submissions?trackingPageId={self._page.id}"
        return self._client.get(path, self._headers)

    @property
    def _headers(self) -> dict[str, str]:
        return BROWSER | self._page.headers | ({"Cookie": self._cookie} if self._cookie else {})
