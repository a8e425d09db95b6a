"""Servers to measure, and the clients that use them over HTTP like browsers."""

import http.client
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPMessage
from json import dumps, loads
from typing import Any, NamedTuple
from urllib.parse import urlencode

import brotli
from support.world import PageClient

TIMEOUT_S = 30


class WrongAnswer(Exception):
    """An answer was wrong, so the figures would mean nothing."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """A running server: its name in tables, where it answers, and whose CPU is counted."""

    name: str
    port: int
    pid: int  # its children count too
    others: tuple[int, ...] = ()  # its database and Redis
    page_id: str = ""
    public_key: str = ""


class Answer(NamedTuple):
    content: bytes
    headers: HTTPMessage

    @property
    def text(self) -> str:
        is_compressed = self.headers["Content-Encoding"] == "br"
        return (brotli.decompress(self.content) if is_compressed else self.content).decode()

    @property
    def json(self) -> Any:
        return loads(self.text)


class Client(PageClient):
    """Sends requests over one connection, for speed."""

    root = "/embed/api"  # the widget's

    def __init__(self, server: Server) -> None:
        self.page_id, self.public_key = server.page_id, server.public_key
        self.widget_path = f"/embed/tracking/{server.page_id}?key={server.public_key}"
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)

    def send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        json: object = None,
        data: Mapping[str, object] | None = None,
        status: int = 200,
    ) -> Answer:
        """Send JSON, a form or nothing. Raises WrongAnswer for another status."""
        body, sent = None, {"Accept-Encoding": "gzip, br", **headers}
        if json is not None:
            body, sent["Content-Type"] = dumps(json), "application/json"
        elif data is not None:
            body = urlencode(data, doseq=True)
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        self._connection.request(method, path, body, sent)
        response = self._connection.getresponse()
        answer = Answer(response.read(), response.headers)
        if response.status != status:
            raise WrongAnswer(f"{response.status} instead of {status}: {answer.text[:200]}")
        return answer

    def get(
        self, path: str, headers: Mapping[str, str] | None = None, *, status: int = 200
    ) -> Answer:
        return self.send("GET", path, headers=headers or {}, status=status)

    def read(self) -> Answer:
        """Read the list uncompressed, as servers of sites do."""
        headers = {"Accept-Encoding": "identity"}
        return self.call("GET", f"/api/embed/tracking/{self.page_id}", headers=headers)

    def close(self) -> None:
        self._connection.close()
