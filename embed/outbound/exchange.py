"""One request to the service's own address, and everything that its answer shows."""

import ssl
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from embed.outbound.guard import Reach, guarded
from embed.outbound.http import FAILURES, RequestFailed, explain

_HEAD_BYTES = 64 * 1024  # also for what is read ahead


class CertificateRefused(RequestFailed):
    """The server's certificate is not trusted, has expired or is for another name."""


@dataclass(frozen=True, slots=True)
class Exchange:
    status: int
    headers: tuple[tuple[str, str], ...]  # as they came, repeated ones too
    body: bytes  # its beginning
    certificate_ends_at: datetime | None  # None: without TLS

    def list_values(self, name: str) -> list[str]:
        return [value for each, value in self.headers if each.lower() == name.lower()]


def exchange(
    url: str, *, headers: Mapping[str, str], body: bytes, timeout_s: float, max_bytes: int
) -> Exchange:
    """Send a body by POST, or a GET request without one; follow no redirect.

    Certificates are checked against those that the system trusts.
    Raises RequestFailed, CertificateRefused.
    """
    parts = urlsplit(url)
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    try:
        connection = connect(parts.hostname or "", parts.port, timeout=timeout_s)
    except ValueError:  # the port is none
        raise RequestFailed("its address is not valid") from None
    with (
        guarded(reach=Reach.ANY, timeout_s=timeout_s, max_bytes=_HEAD_BYTES + max_bytes) as guard,
        closing(connection),
    ):
        try:
            connection.connect()
            certificate_ends_at = _find_end(connection)
            # One that is refused before all of its body was sent is answered all the same.
            with suppress(BrokenPipeError, ConnectionResetError):
                method = "POST" if body else "GET"
                connection.request(method, parts.path, body or None, dict(headers))
            with connection.getresponse() as response:
                beginning = response.read(max_bytes)
            if guard.is_expired:  # the connection was ended, which looks like the answer's end
                raise TimeoutError
        except ssl.SSLCertVerificationError as refusal:
            raise CertificateRefused(str(refusal.verify_message)) from None
        except FAILURES as failure:
            raise explain(failure, guard) from None
    return Exchange(
        status=response.status,
        headers=tuple(response.getheaders()),
        body=beginning,
        certificate_ends_at=certificate_ends_at,
    )


def _find_end(connection: HTTPConnection) -> datetime | None:
    """Return when the certificate of an open connection ends."""
    if not isinstance(connection.sock, ssl.SSLSocket):
        return None
    certificate: Any = connection.sock.getpeercert()
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(certificate["notAfter"]), UTC)
