"""Opening a connection, only to see whether that is possible."""

import socket
import ssl

from embed.outbound.guard import Reach, guarded
from embed.outbound.http import RequestFailed, find_reason


def check_connection(host: str, port: int, *, is_tls: bool, reach: Reach, timeout_s: float) -> None:
    """Connect, with TLS if asked, and hang up. Raises RequestFailed."""
    try:
        with (
            guarded(reach=reach, timeout_s=timeout_s),
            socket.create_connection((host, port), timeout=timeout_s) as connection,
        ):
            if is_tls:
                context = ssl.create_default_context()
                context.wrap_socket(connection, server_hostname=host).close()
    except (OSError, UnicodeError) as failure:
        raise RequestFailed(find_reason(failure)) from None
