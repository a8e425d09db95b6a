"""Settings read from environment variables."""

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import psycopg
from limits import RateLimitItem, parse_many
from psycopg.conninfo import conninfo_to_dict

from embed.domain.origins import parse_origin

PROJECT_DIR = Path(__file__).resolve().parent.parent
INSTANCE_DIR = PROJECT_DIR / "instance"
DEFAULT_DATABASE_URL = "sqlite:///instance/embed.db"

VARIABLES = (
    "DATABASE_URL",
    "SECRET_KEY",
    "PUBLIC_URL",
    "TRUSTED_PROXIES",
    "RATELIMIT_STORAGE_URI",
    "LIMIT_PER_IP",
    "LIMIT_PER_KEY",
    "LIMIT_SESSION_NONCES",
    "LIMIT_SESSION_SUBMISSIONS",
    "LIMIT_IP_SUBMISSIONS",
    "MAX_WALLETS",
    "NONCE_LIFETIME",
    "SOLANA_RPC_URL",
    "LIMIT_RPC",
    "BALANCE_REFRESH",
    "BALANCE_HISTORY",
    "QUEUE_URL",
    "SMTP_URL",
    "ALLOW_PRIVATE_TARGETS",
    "FRONT_PAGE",
)

MIN_KEY_LENGTH = 16  # characters
_HOW_TO_MAKE_A_KEY = (
    f"use at least {MIN_KEY_LENGTH} random characters, such as those that this command prints: "
    'python3 -c "import secrets; print(secrets.token_urlsafe(48))".'
)

_NO_HOST = re.compile(r"[\s@\\%*]")
_SPAN = re.compile(r"([0-9]{1,5}) (second|minute|hour|day)s?")
_STORAGE = re.compile(r"(?:memory|(?:redis|valkey)(?:s|\+unix|\+cluster|\+sentinel)?)://.*")


class SettingsError(ValueError):
    """A variable has an invalid value; the text names the variable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The parsed settings; the README has a table of them."""

    secret_keys: tuple[str, ...] = field(repr=False)  # the first signs, all verify
    database_url: str
    public_url: str | None
    trusted_proxies: int
    ratelimit_storage_uri: str
    limit_per_ip: RateLimitItem
    limit_per_key: RateLimitItem
    limit_session_nonces: RateLimitItem
    limit_session_submissions: RateLimitItem
    limit_ip_submissions: RateLimitItem
    max_wallets: int  # per page
    nonce_lifetime: timedelta
    solana_rpc_url: tuple[str, ...] = field(repr=False)  # the first that works; () for none
    limit_rpc: RateLimitItem  # calls of one method to one endpoint
    balance_refresh: timedelta
    balance_history: timedelta  # how long a balance of each day is kept
    queue_url: str | None = field(repr=False)  # None: a file beside the database
    smtp_url: str | None = field(repr=False)
    allow_private_targets: bool
    front_page: bool  # whether / answers

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read every setting; an empty variable counts as unset.

        Creates ``instance/secret_key`` if ``SECRET_KEY`` is not set and the file does not exist.
        Raises SettingsError.
        """
        given = {name: value.strip() for name, value in environ.items() if value.strip()}
        return cls(
            secret_keys=_parse_secret_keys(given),
            database_url=_parse_database_url(given),
            public_url=_parse_public_url(given),
            trusted_proxies=_parse_whole_number(given, "TRUSTED_PROXIES", default=0, least=0),
            ratelimit_storage_uri=_parse_storage_uri(given),
            limit_per_ip=_parse_limit(given, "LIMIT_PER_IP", "600/minute"),
            limit_per_key=_parse_limit(given, "LIMIT_PER_KEY", "6000/minute"),
            limit_session_nonces=_parse_limit(given, "LIMIT_SESSION_NONCES", "20/10 minutes"),
            limit_session_submissions=_parse_limit(
                given, "LIMIT_SESSION_SUBMISSIONS", "10/10 minutes"
            ),
            limit_ip_submissions=_parse_limit(given, "LIMIT_IP_SUBMISSIONS", "20/10 minutes"),
            max_wallets=_parse_whole_number(given, "MAX_WALLETS", default=50_000, least=1),
            nonce_lifetime=timedelta(
                seconds=_parse_whole_number(given, "NONCE_LIFETIME", default=600, least=1)
            ),
            solana_rpc_url=_parse_rpc_urls(given),
            limit_rpc=_parse_limit(given, "LIMIT_RPC", "40/10 seconds"),
            balance_refresh=_parse_span(given, "BALANCE_REFRESH", "10 minutes"),
            balance_history=_parse_span(given, "BALANCE_HISTORY", "90 days"),
            queue_url=_parse_queue_url(given),
            smtp_url=_parse_smtp_url(given),
            allow_private_targets=_parse_switch(given, "ALLOW_PRIVATE_TARGETS", default="0"),
            front_page=_parse_switch(given, "FRONT_PAGE", default="1"),
        )


def _parse_secret_keys(given: Mapping[str, str]) -> tuple[str, ...]:
    if "SECRET_KEY" not in given:
        return (load_secret_key(INSTANCE_DIR / "secret_key"),)
    keys = tuple(key.strip() for key in given["SECRET_KEY"].split(","))
    if not all(keys):
        raise SettingsError("SECRET_KEY has an empty entry between commas.")
    if not all(key.isprintable() for key in keys):  # undecodable bytes cannot be used as a key
        raise SettingsError("SECRET_KEY must consist of printable characters.")
    if min(map(len, keys)) < MIN_KEY_LENGTH:  # the old ones too: whoever guesses one can sign in
        raise SettingsError(f"SECRET_KEY contains a key that is too short; {_HOW_TO_MAKE_A_KEY}")
    return keys


def load_secret_key(path: Path) -> str:
    """Read the installation's secret key; create its file (mode 0600) the first time.

    Raises SettingsError if the file cannot be created, is empty or is not UTF-8.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            _write_once(path, secrets.token_urlsafe(48))
        key = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"SECRET_KEY is not set, and {path} cannot be used: {error}") from None
    if not key:
        raise SettingsError(f"{path} is empty; delete it, or set SECRET_KEY.")
    if len(key) < MIN_KEY_LENGTH:
        raise SettingsError(f"{path} contains a key that is too short; {_HOW_TO_MAKE_A_KEY}")
    return key


def _write_once(path: Path, text: str) -> None:
    """Create `path` with its whole text, unless another process has created it meanwhile."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _parse_database_url(given: Mapping[str, str]) -> str:
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


def _parse_public_url(given: Mapping[str, str]) -> str | None:
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


def _parse_storage_uri(given: Mapping[str, str]) -> str:
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


def _parse_limit(given: Mapping[str, str], name: str, default: str) -> RateLimitItem:
    try:
        (limit,) = parse_many(given.get(name, default))  # only one limit is supported
    except ValueError:
        raise SettingsError(f"{name} must look like 600/minute or 20/10 minutes.") from None
    if limit.amount < 1:
        raise SettingsError(f"{name} must allow 1 or more.")
    return limit


def _parse_whole_number(given: Mapping[str, str], name: str, *, default: int, least: int) -> int:
    raw = given.get(name, str(default))
    if not (raw.isascii() and raw.isdigit() and len(raw) < 10 and int(raw) >= least):
        raise SettingsError(f"{name} must be a whole number, {least} or more.")
    return int(raw)


def _parse_switch(given: Mapping[str, str], name: str, *, default: str) -> bool:
    raw = given.get(name, default)
    if raw not in ("0", "1"):
        raise SettingsError(f"{name} must be 0 or 1.")
    return raw == "1"


def _parse_span(given: Mapping[str, str], name: str, default: str) -> timedelta:
    span = parse_span(given.get(name, default))
    if not span:
        raise SettingsError(f"{name} must look like {default}.")
    return span


def parse_span(text: str) -> timedelta | None:
    """Return how long ``10 minutes`` or ``1 day`` are; None for any other form."""
    form = _SPAN.fullmatch(text)
    try:
        return timedelta(**{f"{form[2]}s": int(form[1])}) if form else None
    except OverflowError:
        return None


def _parse_rpc_urls(given: Mapping[str, str]) -> tuple[str, ...]:
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


def _parse_queue_url(given: Mapping[str, str]) -> str | None:
    url = given.get("QUEUE_URL")
    if url is None or (url.startswith("unix:///") and url != "unix:///"):
        return url
    if not _has_form(url, ("redis", "rediss")):
        raise SettingsError("QUEUE_URL must look like redis://host:6379/1.")
    return url


def _parse_smtp_url(given: Mapping[str, str]) -> str | None:
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
