"""The class of requests, the app's runtime, and the service's own origin."""

import re
from functools import lru_cache
from typing import Any
from urllib.parse import quote_from_bytes, urlsplit

from flask import Request, current_app, request

from embed.domain.origins import parse_origin
from embed.errors import ApiError
from embed.runtime import EXTENSION, Runtime

# The API's blueprint, and its twin under /embed, where browsers send the session cookie.
API = "api"
OWN_API = "own_api"

_ASCII = bytes(range(128)).decode("ascii")


class LenientRequest(Request):
    """A request that reads raw bytes in the query string as if percent-encoded.

    Browsers encode them. Werkzeug fails on those that aren't UTF-8, and would look for another
    route if a client offers to switch to websockets (RFC 9110, section 7.8).
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.environ.pop("HTTP_UPGRADE", None)
        if not self.query_string.isascii():
            self.query_string = quote_from_bytes(self.query_string, _ASCII).encode("ascii")


def runtime() -> Runtime:
    found: Runtime = current_app.extensions[EXTENSION]
    return found


def is_api_request() -> bool:
    """Return whether the path belongs to the API, even if unknown: such callers expect JSON.

    That includes paths in capitals and with a slash too many.
    """
    path = re.sub("/+", "/", f"{request.path}/".lower())
    return path.startswith(("/api/", "/embed/api/"))


def is_dashboard_request() -> bool:
    """Return whether the path belongs to the dashboard, even if unknown."""
    return f"{request.path}/".startswith("/dashboard/")


def own_origin() -> str:
    """Return the service's own origin: PUBLIC_URL's, else the request's.

    Raises ApiError `invalid_host` when the request's Host header is invalid.
    """
    public_url = runtime().settings.public_url
    origin = parse_origin(public_url or f"{request.scheme}://{request.host}")
    if origin is None:
        raise ApiError("invalid_host")
    return origin


def is_health_check() -> bool:
    """Return whether the request is a health check, which may name any host and has no limit."""
    return request.endpoint in ("healthz", "readyz")


def check_host() -> None:
    """Refuse all host names but PUBLIC_URL's, if it's set: no other name is trusted.

    The port is ignored, since a proxy may change it. Health checks may name any host, since load
    balancers use an address. Raises ApiError `invalid_host`.
    """
    public_url = runtime().settings.public_url
    is_ours = public_url is None or find_host_name() == _read_host_name(public_url)
    if not is_ours and not is_health_check():
        raise ApiError("invalid_host")


def find_host_name() -> str | None:
    """Return the name or address in the Host header in its normal form, or None if it's invalid."""
    return _read_host_name(f"http://{request.host}")


@lru_cache(maxsize=256)
def _read_host_name(url: str) -> str | None:
    origin = parse_origin(url)
    return None if origin is None else urlsplit(origin).hostname


def own_host() -> str:
    """Return the host that the message to sign names, with its port unless it's the default."""
    return own_origin().partition("://")[2]
