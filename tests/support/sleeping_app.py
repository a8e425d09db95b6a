"""An app for gunicorn that takes as long as a request says, and answers with its own address."""

import time
from collections.abc import Callable, Iterable
from typing import Any


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    time.sleep(int(environ["QUERY_STRING"]) / 1000)
    body = f"{environ['PATH_INFO']} {environ['wsgi.input'].read().decode()}\n".encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
