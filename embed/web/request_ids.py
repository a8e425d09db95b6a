"""An id for each request, in every line logged during it and in the answer."""

import re

from flask import Flask, Response, request

from embed.domain.identifiers import is_id
from embed.logs.context import (
    PAGE_ID,
    REQUEST_ID_HEADER,
    ROUTE,
    begin_request,
    find_context,
    make_request_id,
)

# A UUID, nginx's $request_id and the like, but neither a key nor an address.
_FORM = re.compile(r"[0-9A-Za-z-]{8,64}")


def init_request_ids(app: Flask, trusted_proxies: int) -> None:
    """Register before all other hooks, so their lines and their refusals have the id."""

    @app.before_request
    def begin() -> None:
        given = request.headers.get(REQUEST_ID_HEADER, "")
        is_believed = trusted_proxies > 0 and _FORM.fullmatch(given)
        begin_request(given if is_believed else make_request_id(), request.environ)

    @app.after_request
    def add_request_id(response: Response) -> Response:
        _note_route()
        # Caches store static files, where the id would be another request's.
        if not (response.status_code == 200 and request.path.startswith("/static/")):
            response.headers[REQUEST_ID_HEADER] = find_context().request_id
        return response


def _note_route() -> None:
    """Store for the access log what Flask forgets at the end of the request."""
    if request.url_rule is None:
        return
    request.environ[ROUTE] = request.url_rule.rule
    page_id = (request.view_args or {}).get("page_id", "")
    if is_id(page_id):
        request.environ[PAGE_ID] = page_id
