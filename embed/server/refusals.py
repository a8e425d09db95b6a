"""Answers to requests that never reach the app."""

from contextlib import suppress
from http import HTTPStatus

from gunicorn.http import errors

from embed.logs.context import REQUEST_ID_HEADER, make_request_id
from embed.server.connection import Connection

# Others are 400. InvalidResponseHeader is about what the app wanted to send.
_STATUS_BY_ERROR = {
    errors.ExpectationFailed: 417,
    errors.ForbiddenProxyRequest: 403,
    errors.InvalidResponseHeader: 500,
    errors.InvalidResponseHeaderName: 500,
    errors.LimitRequestHeaders: 431,
    errors.LimitRequestLine: 414,
    errors.UnsupportedTransferCoding: 501,
}

_RETRY_AFTER_S = 5


def find_status(error: BaseException) -> int:
    if not isinstance(error, errors.ParseException):
        return 500
    return _STATUS_BY_ERROR.get(type(error), 400)


def write_refusal(client: Connection, status: int) -> str:
    """Send a refusal that says nothing but its status, and return its request id."""
    request_id = make_request_id()
    body = f"{status} {HTTPStatus(status).phrase}\n"
    head = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Connection: close",
        "Content-Type: text/plain",
        "X-Content-Type-Options: nosniff",
        f"Content-Length: {len(body)}",
        f"{REQUEST_ID_HEADER}: {request_id}",
    ]
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        head.append(f"Retry-After: {_RETRY_AFTER_S}")
    with suppress(OSError):  # the client has hung up
        client.sendall("\r\n".join([*head, "", body]).encode("ascii"))
    return request_id
