"""Settings that are addresses."""

import re
from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from embed.domain.origins import parse_origin

_NO_HOST = re.compile(r"[\s@\\%*]")
_STORAGE = re.compile(r"(?:memory|(?:redis|valkey)(?:s|\+unix|\+cluster|\+sentinel)?)://.*")


def parse_database_url(url: str) -> str:
    if url.startswith("sqlite:///") and url != "sqlite:///":
        if "%00" in url:
            raise ValueError("names a file with a NUL byte.")
        return url
    if url.startswith(("postgresql://", "postgres://")):
        # Postgres accepts both schemes, but the database library only the long one.
        return _check_postgres_url("postgresql://" + url.partition("://")[2])
    raise ValueError("must look like sqlite:///path/to/file.db or postgresql://user@host/db.")


def _check_postgres_url(url: str) -> str:
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise ValueError(f"cannot be read: {str(error).strip()}.") from None
    return url


def parse_public_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.path.strip("/") or parts.query or parts.fragment or _NO_HOST.search(url):
        raise ValueError("must be an address without a path, such as https://embed.example.com.")
    origin = parse_origin(url)
    if origin is None:
        raise ValueError("must name a host, such as https://embed.example.com.")
    return origin


def parse_storage_uri(uri: str) -> str:
    if not (_STORAGE.fullmatch(uri) and _has_usable_port(uri)):
        raise ValueError("must look like memory:// or redis://host:6379.")
    return uri


def _has_usable_port(uri: str) -> bool:
    """Tell whether the port is valid; cluster and sentinel addresses are left to their client."""
    try:
        return "+" in urlsplit(uri).scheme or urlsplit(uri).port != 0
    except ValueError:
        return False


def parse_rpc_urls(raw: str) -> tuple[str, ...]:
    """Read the endpoints; no error repeats one, since many hold a secret."""
    urls = tuple(url.strip() for url in raw.split(",")) if raw else ()
    if not all(_has_form(url, ("http", "https")) for url in urls):
        raise ValueError(
            "must look like https://api.mainnet-beta.solana.com; several are separated by commas."
        )
    return urls


def parse_smtp_url(url: str) -> str:
    if not _has_form(url, ("smtp", "smtps")):
        raise ValueError("must look like smtp://user:password@host:587.")
    return url


def _has_form(url: str, schemes: Sequence[str]) -> bool:
    """Tell whether an address has one of these schemes, a host and a usable port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def parse_bind(raw: str) -> tuple[str, int]:
    """Read ``host:port``, the host as an IP address or ``localhost``."""
    host, _, port = raw.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not (
        _is_local_name(host) and port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536
    ):
        raise ValueError("must look like 127.0.0.1:9100.")
    return host, int(port)


def _is_local_name(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return host == "localhost"
    return True
