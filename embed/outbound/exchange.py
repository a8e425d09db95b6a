"""One request to the service's own address, and everything that its answer shows."""

import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from embed.outbound.guard import Reach, guarded
from embed.outbound.http import RequestFailed, find_reason

_CHUNK_BYTES = 64 * 1024


class CertificateRefused(RequestFailed):
    """The server's certificate is not trusted, has expired or is for another name."""


@dataclass(frozen=True, slots=True)
class Exchange:
    status: int
    headers: tuple[tuple[str, str], ...]  # as they came, repeated ones too
    body: bytes  # its beginning
    own_address: tuple[str, int]  # from which the request was sent
    certificate_ends_at: datetime | None  # None: without TLS

    def list_values(self, name: str) -> list[str]:
        return [value for each, value in self.headers if each.lower() == name.lower()]


def exchange(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    body: bytes = b"",
    timeout_s: float,
    max_bytes: int,
) -> Exchange:
    """Send a request, and return the answer without following it elsewhere.

    Certificates are checked against those that the system trusts.
    Raises RequestFailed, CertificateRefused.
    """
    try:
        with guarded(reach=Reach.ANY, timeout_s=timeout_s):
            connection = _open(url, timeout_s)
            try:
                return _ask(connection, method, urlsplit(url).path, headers, body, max_bytes)
            finally:
                connection.close()
    except ssl.SSLCertVerificationError as refusal:
        raise CertificateRefused(str(refusal.verify_message)) from None
    except (OSError, HTTPException, UnicodeError) as failure:
        raise RequestFailed(find_reason(failure)) from None


def _open(url: str, timeout_s: float) -> HTTPConnection:
    parts = urlsplit(url)
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return HTTPSConnection(parts.hostname or "", parts.port, timeout=timeout_s, context=context)
    return HTTPConnection(parts.hostname or "", parts.port, timeout=timeout_s)


def _ask(
    connection: HTTPConnection,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes,
    max_bytes: int,
) -> Exchange:
    connection.connect()
    own_address = connection.sock.getsockname()[:2]
    socket = connection.sock
    certificate = socket.getpeercert() if isinstance(socket, ssl.SSLSocket) else None
    # One that is refused before all of its body was sent is answered all the same.
    with suppress(BrokenPipeError, ConnectionResetError):
        connection.request(method, path, body or None, dict(headers))
    response = connection.getresponse()
    return Exchange(
        status=response.status,
        headers=tuple(response.getheaders()),
        body=response.read(max_bytes),
        own_address=own_address,
        certificate_ends_at=None if certificate is None else _read_end(certificate),
    )


def _read_end(certificate: dict[str, Any]) -> datetime:
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(certificate["notAfter"]), UTC)
