"""Visitors and an owner who use a server over HTTP, as browsers do."""

import base64
import http.client
import json
import re
from http.client import HTTPMessage
from typing import NamedTuple
from urllib.parse import urlencode

import base58
import brotli
from nacl.signing import SigningKey

from bench.service import EMAIL, PASSWORD, TrackedPage

TIMEOUT_S = 30
BROWSER = {"Accept-Encoding": "gzip, br"}


class WrongAnswer(Exception):
    """A figure would mean nothing: not every answer was the right one."""


class Answer(NamedTuple):
    status: int
    content: bytes
    headers: HTTPMessage

    @property
    def text(self) -> str:
        is_compressed = self.headers["Content-Encoding"] == "br"
        return (brotli.decompress(self.content) if is_compressed else self.content).decode()


class Client:
    """Sends requests over one connection, or over one each."""

    def __init__(self, port: int, *, keeps_alive: bool = True) -> None:
        self._always = {} if keeps_alive else {"Connection": "close"}
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)

    def send(
        self, method: str, path: str, headers: dict[str, str], body: str | None = None
    ) -> Answer:
        self._connection.request(method, path, body, self._always | headers)
        answer = self._connection.getresponse()
        return Answer(answer.status, answer.read(), answer.headers)

    def post_form(self, path: str, headers: dict[str, str], fields: dict[str, object]) -> Answer:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.send("POST", path, headers | form, urlencode(fields, doseq=True))

    def close(self) -> None:
        self._connection.close()


class Owner(NamedTuple):
    """An owner's session, which several clients may share, as sign-ins are limited."""

    cookie: str
    csrf_token: str

    @classmethod
    def sign_in(cls, client: Client) -> "Owner":
        form = client.send("GET", "/dashboard/sign-in", {})
        fields = {"csrf_token": find_token(form.text), "email": EMAIL, "password": PASSWORD}
        before = {"Cookie": find_cookie(form.headers)}
        cookie = find_cookie(client.post_form("/dashboard/sign-in", before, fields).headers)
        account = client.send("GET", "/dashboard/account", {"Cookie": cookie})
        # The cookie has the token.
        return cls(find_cookie(account.headers) or cookie, find_token(account.text))

    def read_queue(self, client: Client, page_id: str) -> Answer:
        path = f"/dashboard/pages/{page_id}/queue"
        return client.send("GET", path, BROWSER | {"Cookie": self.cookie})

    def decide(self, client: Client, page_id: str, decision: str, ids: list[str]) -> Answer:
        path = f"/dashboard/pages/{page_id}/queue/decide"
        fields = {"csrf_token": self.csrf_token, "decision": decision, "ids": ids}
        return client.post_form(path, BROWSER | {"Cookie": self.cookie}, fields)


class Visitor:
    """Somebody with a new wallet and, after opening the widget, a session."""

    def __init__(self, client: Client, page: TrackedPage, cookie: str = "") -> None:
        self._client = client
        self._page = page
        self._key = SigningKey.generate()
        self._address = base58.b58encode(bytes(self._key.verify_key)).decode()
        self._headers = BROWSER | page.headers | ({"Cookie": cookie} if cookie else {})
        self._etag: str | None = None
        self._nonce: dict[str, str] = {}
        self.submission_id = ""

    def open_widget(self) -> Answer:
        answer = self._client.send("GET", self._page.widget_path, BROWSER)
        self._headers["Cookie"] = find_cookie(answer.headers)
        return answer

    def read(self) -> Answer:
        """Read the list, or learn that it is unchanged."""
        headers = self._headers | ({"If-None-Match": self._etag} if self._etag else {})
        answer = self._client.send("GET", f"/embed/api/tracking/{self._page.id}", headers)
        self._etag = answer.headers["ETag"]
        return answer

    def ask_nonce(self) -> Answer:
        answer = self._post(
            "siws/nonce", {"trackingPageId": self._page.id, "walletAddress": self._address}
        )
        self._nonce = json.loads(answer.text)
        return answer

    def submit(self) -> Answer:
        signature = self._key.sign(self._nonce["message"].encode()).signature
        body = {
            "trackingPageId": self._page.id,
            "walletAddress": self._address,
            "nickname": "Visitor",
            "nonceId": self._nonce["nonceId"],
            "signature": base64.b64encode(signature).decode(),
        }
        answer = self._post("submissions", body)
        self.submission_id = json.loads(answer.text)["submissionId"]
        return answer

    def poll(self) -> Answer:
        path = f"/embed/api/session/submissions?trackingPageId={self._page.id}"
        return self._client.send("GET", path, self._headers)

    def _post(self, path: str, body: dict[str, str]) -> Answer:
        headers = self._headers | {"Content-Type": "application/json"}
        return self._client.send("POST", f"/embed/api/{path}", headers, json.dumps(body))


def check(answer: Answer, status: int) -> Answer:
    """Raises WrongAnswer."""
    if answer.status != status:
        raise WrongAnswer(f"{answer.status} where {status} was expected: {answer.text[:200]}")
    return answer


def find_cookie(headers: HTTPMessage) -> str:
    return (headers["Set-Cookie"] or "").partition(";")[0]


def find_token(page: str) -> str:
    found = re.search(r'name="csrf_token"[^>]* value="([^"]+)"', page)
    if found is None:
        raise WrongAnswer("a page without a form")
    return found[1]
