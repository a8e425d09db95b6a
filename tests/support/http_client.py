"""Flask's test client, over HTTP."""

from typing import Any
from urllib.parse import urlencode

import requests
from flask import Response

TIMEOUT_S = 60


class HttpAnswer(Response):
    """An answer over HTTP with the interface of Flask's test client."""

    @property
    def text(self) -> str:
        return self.get_data(as_text=True)


class HttpClient:
    """Sends to a server what tests otherwise hand to the app in their own process.

    Each test has client addresses of its own, as limits are counted by address: the last number
    is that of `environ_base`, the others are the test's. The server has to believe
    X-Forwarded-For.
    """

    def __init__(self, url: str, number: int = 0, cookies: dict[str, str] | None = None) -> None:
        """`cookies` are sent and updated, as by a browser; None: the client keeps none."""
        self._url = url
        self._number = number
        self._cookies = cookies

    def open(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: Any = None,
        query_string: Any = None,
        environ_base: dict[str, str] | None = None,
        content_type: str | None = None,
        **arguments: Any,
    ) -> Response:
        given = {"Host": "localhost", "X-Forwarded-For": self._find_address(environ_base or {})}
        if content_type is not None:
            given["Content-Type"] = content_type
        if self._cookies:
            given["Cookie"] = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        query = query_string if isinstance(query_string, str) else urlencode(query_string or {})
        answer = requests.request(
            method,
            self._url + path + (f"?{query}" if query else ""),
            headers=given | dict(headers or {}),
            allow_redirects=False,
            timeout=TIMEOUT_S,
            **arguments,
        )
        if self._cookies is not None:
            for line in answer.raw.headers.getlist("Set-Cookie"):
                name, _, value = line.partition(";")[0].partition("=")
                self._cookies[name] = value
        return HttpAnswer(answer.content, answer.status_code, answer.headers.items())

    def _find_address(self, environ: dict[str, str]) -> str:
        address = environ.get("REMOTE_ADDR", "127.0.0.1")
        if ":" in address:
            return address
        return f"10.{self._number // 256}.{self._number % 256}.{address.rpartition('.')[2]}"

    def get(self, path: str, **arguments: Any) -> Response:
        return self.open(path, **arguments)

    def head(self, path: str, **arguments: Any) -> Response:
        return self.open(path, method="HEAD", **arguments)

    def post(self, path: str, **arguments: Any) -> Response:
        return self.open(path, method="POST", **arguments)

    def put(self, path: str, **arguments: Any) -> Response:
        return self.open(path, method="PUT", **arguments)

    def options(self, path: str, **arguments: Any) -> Response:
        return self.open(path, method="OPTIONS", **arguments)
