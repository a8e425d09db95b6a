"""An id for each request, in every line logged during it and in the answer."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, Request

from embed.domain.identifiers import is_id
from embed.logs.context import (
    PAGE_ID,
    REQUEST_ID_HEADER,
    ROUTE,
    begin_request,
    make_request_id,
)

# A UUID, nginx's $request_id and the like, but neither a key nor an address.
_FORM = re.compile(r"[0-9A-Za-z-]{8,64}")


def init_request_ids(app: Flask, trusted_proxies: int) -> None:
    """Add the ids outside of all other middleware, so call this last.

    Answers that Flask doesn't make get the header too.
    """
    inner = app.wsgi_app

    def add_request_id(
        environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        is_believed = trusted_proxies > 0 and _FORM.fullmatch(given)
        request_id = given if is_believed else make_request_id()

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            _note_route(environ)
            # Caches store static files, where the id would be another request's.
            if not (status.startswith("200") and environ["PATH_INFO"].startswith("/static/")):
                headers = [*headers, (REQUEST_ID_HEADER, request_id)]
            return start_response(status, headers, *more)

        begin_request(request_id, environ)
        return inner(environ, start)

    app.wsgi_app = add_request_id  # type: ignore[method-assign]  # Flask's way


def _note_route(environ: dict[str, Any]) -> None:
    """Store for the access log what Flask forgets at the end of the request."""
    request: Request | None = environ.get("werkzeug.request")
    if request is None or request.url_rule is None:
        return
    environ[ROUTE] = request.url_rule.rule
    page_id = (request.view_args or {}).get("page_id", "")
    if is_id(page_id):
        environ[PAGE_ID] = page_id
