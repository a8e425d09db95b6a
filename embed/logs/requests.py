"""What request and log know of each other: an id, and what stands in the request's environ."""

import secrets

REQUEST_ID_HEADER = "X-Request-Id"
# Set by the app, for the access log.
ROUTE, PAGE_ID = "embed.route", "embed.page_id"


def make_request_id() -> str:
    return secrets.token_hex(8)
