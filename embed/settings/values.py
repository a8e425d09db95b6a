"""Parses settings: numbers, times, choices and addresses."""

import re
from collections.abc import Callable, Sequence
from dataclasses import field
from datetime import timedelta
from ipaddress import ip_address
from typing import TypeVar
from urllib.parse import unquote, urlsplit

import psycopg2
from limits import RateLimitItem, parse_many
from psycopg2.extensions import parse_dsn

from embed.domain.origins import parse_origin

_SPAN = re.compile(r"([0-9]{1,5}) (second|minute|hour|day)s?")
_NO_HOST = re.compile(r"[\s@\\%*]")
_STORAGE = re.compile(r"(?:memory|(?:redis|valkey)(?:s|\+unix|\+cluster|\+sentinel)?)://.*")
# An `@` is only allowed before the host and in SMTP_URL's sender; clients disagree about others.
_ADDRESS = re.compile(
    r"[^\s:/]+://(?:[^\s@/?#]*@)?[^\s@/?#;]*(?:[/?#][^\s@]*|/?\?from=[^\s@]+@[^\s@]+)?"
)
_WRONG_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
# For errors about addresses, which quote nothing, since it may be part of a password.
_ESCAPES = "in user and password, write % as %25, @ as %40, / as %2F and a space as %20."

Value = TypeVar("Value")


class SettingsError(ValueError):
    """Variables have invalid values; each argument is a sentence that names one of them."""

    def __str__(self) -> str:
        return " ".join(self.args)


def read(
    parse: Callable[[str], Value], default: str | None = None, *, is_secret: bool = False
) -> Value:
    """Describe how a setting is read from the variable with its name in capitals.

    `parse` raises ValueError with the rest of a sentence that begins with the variable's name. If
    the variable isn't set, `default` is parsed.
    """
    described: Value = field(metadata={"parse": parse, "default": default}, repr=not is_secret)
    return described


def parse_limit(raw: str) -> RateLimitItem:
    try:
        (limit,) = parse_many(raw)  # only one limit is supported
    except ValueError:
        raise ValueError("must look like 600/minute or 20/10 minutes.") from None
    if limit.amount < 1:
        raise ValueError("must allow 1 or more.")
    return limit


def parse_whole_number(raw: str, *, least: int, of: str = "") -> int:
    if not (raw.isascii() and raw.isdigit() and len(raw) < 10 and int(raw) >= least):
        raise ValueError(f"must be a whole number{of}, {least} or more.")
    return int(raw)


def parse_seconds(raw: str) -> timedelta:
    return timedelta(seconds=parse_whole_number(raw, least=1, of=" of seconds"))


def parse_span(raw: str, *, example: str) -> timedelta:
    """Read a time such as ``10 minutes`` or ``1 day``."""
    form = _SPAN.fullmatch(raw)
    try:
        span = timedelta(**{f"{form[2]}s": int(form[1])}) if form else None
    except OverflowError:
        span = None
    if not span:
        raise ValueError(f"must look like {example}.")
    return span


def parse_retention(raw: str, *, example: str) -> timedelta | None:
    """Read a time as parse_span does; ``0`` means for ever."""
    try:
        return None if raw == "0" else parse_span(raw, example=example)
    except ValueError:
        raise ValueError(f"must look like {example}, or be 0.") from None


def parse_switch(raw: str) -> bool:
    return parse_choice(raw, of=("0", "1")) == "1"


def parse_choice(raw: str, *, of: Sequence[str]) -> str:
    if raw not in of:
        raise ValueError(f"must be {' or '.join(of)}.")
    return raw


def parse_database_url(url: str) -> str:
    if url.startswith("sqlite:///") and url != "sqlite:///":
        if "%00" in url:
            raise ValueError("names a file with a NUL byte.")
        return url
    if url.startswith(("postgresql://", "postgres://")):
        # Postgres accepts both schemes; the database library only accepts the long one.
        url = "postgresql://" + url.partition("://")[2]
        if not _is_conninfo(url):
            raise ValueError(f"must look like postgresql://user:password@host/db; {_ESCAPES}")
        return url
    raise ValueError("must look like sqlite:///path/to/file.db or postgresql://user@host/db.")


def _is_conninfo(url: str) -> bool:
    try:
        ports = str(parse_dsn(url).get("port", "")).split(",")
    except psycopg2.ProgrammingError:
        return False
    return _is_readable(url) and all(re.fullmatch("[0-9]*", port) for port in ports)


def parse_public_url(url: str) -> str:
    parts = urlsplit(url) if _has_form(url, ("http", "https")) else None
    if (
        parts is None
        or parts.path.strip("/")
        or parts.query
        or parts.fragment
        or _NO_HOST.search(url)
    ):
        raise ValueError("must be an address without a path, such as https://embed.example.com.")
    origin = parse_origin(url)
    if origin is None:
        raise ValueError("must name a host, such as https://embed.example.com.")
    return origin


def parse_storage_uri(uri: str) -> str:
    if not (_STORAGE.fullmatch(uri) and _is_readable(uri) and _has_usable_port(uri)):
        raise ValueError(f"must look like memory:// or redis://user:password@host:6379; {_ESCAPES}")
    return uri


def _has_usable_port(uri: str) -> bool:
    """Return whether the port is valid; clients check cluster and sentinel addresses."""
    try:
        return "+" in urlsplit(uri).scheme or urlsplit(uri).port != 0
    except ValueError:
        return False


def parse_rpc_urls(raw: str) -> tuple[str, ...]:
    """Read the RPC servers; errors never quote one, since many contain a secret."""
    urls = tuple(url.strip() for url in raw.split(",")) if raw else ()
    if not all(_has_form(url, ("http", "https")) for url in urls):
        raise ValueError(
            "must look like https://api.mainnet-beta.solana.com; separate several with commas;"
            f" {_ESCAPES}"
        )
    return urls


def parse_smtp_url(url: str) -> str:
    if not _has_form(url, ("smtp", "smtps")):
        raise ValueError(f"must look like smtp://user:password@host:587; {_ESCAPES}")
    if not unquote(url).isascii():
        raise ValueError("may only have ASCII characters, as mail servers disagree about others.")
    return url


def _has_form(url: str, schemes: Sequence[str]) -> bool:
    """Return whether an address has one of these schemes, a host and a usable port."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
        return is_usable and _is_readable(url)
    except ValueError:
        return False


def _is_readable(url: str) -> bool:
    """Return whether all clients find the same host and password in an address."""
    return _ADDRESS.fullmatch(url) is not None and _WRONG_ESCAPE.search(url) is None


def parse_bind(raw: str) -> tuple[str, int]:
    """Read ``host:port``; the host is an IP address or ``localhost``."""
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
