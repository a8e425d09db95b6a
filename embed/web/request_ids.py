"""An id for each request: in every line that is logged meanwhile, and in the answer."""

import re
from collections.abc import Callable, Iterable
from typing import Any, cast

from flask import Flask, Request
from werkzeug.wsgi import ClosingIterator

from embed.domain.identifiers import is_id
from embed.logs.context import (
    PAGE_ID,
    REQUEST_ID_HEADER,
    ROUTE,
    begin_request,
    end_request,
    make_request_id,
)

# A UUID, nginx's $request_id and the like, but neither a key nor an address.
_FORM = re.compile(r"[0-9A-Za-z-]{8,64}")

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def init_request_ids(app: Flask, trusted_proxies: int) -> None:
    """Call this last: it goes around all other middleware."""
    middleware = _RequestIds(app.wsgi_app, believes_given=trusted_proxies > 0)
    app.wsgi_app = middleware  # type: ignore[method-assign]  # Flask's way


class _RequestIds:
    """WSGI middleware, so that answers which Flask does not make have the header, too."""

    def __init__(self, app: Application, *, believes_given: bool) -> None:
        self._app = app
        self._believes_given = believes_given

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        request_id = self._choose_id(environ)

        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            _note_route(environ)
            return start_response(status, [*headers, (REQUEST_ID_HEADER, request_id)], *more)

        begin_request(request_id, environ)
        try:
            body = self._app(environ, start)
        except BaseException:
            end_request()
            raise
        return ClosingIterator(body, end_request)

    def _choose_id(self, environ: dict[str, Any]) -> str:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        if self._believes_given and _FORM.fullmatch(given):
            return cast(str, given)
        return make_request_id()


def _note_route(environ: dict[str, Any]) -> None:
    """Keep for the access log what Flask forgets at the end of the request."""
    request: Request | None = environ.get("werkzeug.request")
    if request is None or request.url_rule is None:
        return
    environ[ROUTE] = request.url_rule.rule
    page_id = (request.view_args or {}).get("page_id", "")
    if is_id(page_id):
        environ[PAGE_ID] = page_id
