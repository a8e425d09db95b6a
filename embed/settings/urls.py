"""Settings that are addresses."""

import re
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict

from embed.domain.origins import parse_origin
from embed.settings.values import SettingsError

DEFAULT_DATABASE_URL = "sqlite:///instance/embed.db"

_NO_HOST = re.compile(r"[\s@\\%*]")
_STORAGE = re.compile(r"(?:memory|(?:redis|valkey)(?:s|\+unix|\+cluster|\+sentinel)?)://.*")


def parse_database_url(given: Mapping[str, str]) -> str:
    url = given.get("DATABASE_URL", DEFAULT_DATABASE_URL)
    if url.startswith("sqlite:///") and url != "sqlite:///":
        return url
    if url.startswith(("postgresql://", "postgres://")):
        # Postgres accepts both schemes, but the database library only the long one.
        return _check_postgres_url("postgresql://" + url.partition("://")[2])
    raise SettingsError(
        "DATABASE_URL must look like sqlite:///path/to/file.db or postgresql://user@host/db."
    )


def _check_postgres_url(url: str) -> str:
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise SettingsError(f"DATABASE_URL cannot be read: {str(error).strip()}.") from None
    return url


def parse_public_url(given: Mapping[str, str]) -> str | None:
    url = given.get("PUBLIC_URL")
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.path.strip("/") or parts.query or parts.fragment or _NO_HOST.search(url):
        raise SettingsError(
            "PUBLIC_URL must be an address without a path, such as https://embed.example.com."
        )
    origin = parse_origin(url)
    if origin is None:
        raise SettingsError("PUBLIC_URL must name a host, such as https://embed.example.com.")
    return origin


def parse_storage_uri(given: Mapping[str, str]) -> str:
    uri = given.get("RATELIMIT_STORAGE_URI", "memory://")
    if not (_STORAGE.fullmatch(uri) and _has_usable_port(uri)):
        raise SettingsError("RATELIMIT_STORAGE_URI must look like memory:// or redis://host:6379.")
    return uri


def _has_usable_port(uri: str) -> bool:
    """Tell whether the port is valid; cluster and sentinel addresses are left to their client."""
    try:
        return "+" in urlsplit(uri).scheme or urlsplit(uri).port != 0
    except ValueError:
        return False


def parse_rpc_urls(given: Mapping[str, str]) -> tuple[str, ...]:
    """Read the endpoints; no error repeats one, since many hold a secret."""
    if "SOLANA_RPC_URL" not in given:
        return ()
    urls = tuple(url.strip() for url in given["SOLANA_RPC_URL"].split(","))
    if not all(_has_form(url, ("http", "https")) for url in urls):
        raise SettingsError(
            "SOLANA_RPC_URL must look like https://api.mainnet-beta.solana.com; several are"
            " separated by commas."
        )
    return urls


def parse_smtp_url(given: Mapping[str, str]) -> str | None:
    url = given.get("SMTP_URL")
    if url is not None and not _has_form(url, ("smtp", "smtps")):
        raise SettingsError("SMTP_URL must look like smtp://user:password@host:587.")
    return url


def _has_form(url: str, schemes: Sequence[str]) -> bool:
    """Tell whether an address has one of these schemes, a host and a usable port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def parse_bind(given: Mapping[str, str], name: str) -> tuple[str, int] | None:
    """Read ``host:port``, the host as an IP address or ``localhost``."""
    raw = given.get(name)
    if raw is None:
        return None
    host, _, port = raw.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not (
        _is_local_name(host) and port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536
    ):
        raise SettingsError(f"{name} must look like 127.0.0.1:9100.")
    return host, int(port)


def _is_local_name(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return host == "localhost"
    return True
