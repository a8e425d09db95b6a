"""Requests as a server hands them to the app, with any bytes in paths and headers."""

import io

from flask import Flask, Response
from support.world import code_of
from werkzeug.test import run_wsgi_app

API = ("/api/", "/embed/api/")


class RawClient:
    def __init__(self, app: Flask) -> None:
        self._app = app

    def send(
        self,
        method: str,
        path: str,
        *,
        query: str = "",
        headers: dict[str, str] | None = None,
        body: bytes = b"",
    ) -> Response:
        """Send text whose characters stand for bytes, as in WSGI."""
        environ = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "RAW_URI": f"{path}?{query}",
            "REMOTE_ADDR": "192.0.2.1",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "localhost",
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.input_terminated": True,
            "wsgi.errors": io.StringIO(),
            "wsgi.multithread": True,
        }
        for name, value in (headers or {}).items():
            key = name.upper().replace("-", "_")
            environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
        chunks, status, answer_headers = run_wsgi_app(self._app, environ, buffered=True)
        answer = Response(b"".join(chunks), status, answer_headers)
        check_answer(answer, path, method)
        return answer


def check_answer(answer: Response, path: str, method: str) -> None:
    """Check what holds for every answer: no failure of ours, and the API's one form of errors."""
    assert answer.status_code < 500, answer.get_data()
    if path.startswith(API) and answer.status_code >= 400 and method != "HEAD":
        code_of(answer)
