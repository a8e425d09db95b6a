"""Settings read from environment variables."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Self
from urllib.parse import unquote

from limits import RateLimitItem

from embed.settings.secret_keys import list_secrets, load_secret_key, parse_secret_keys
from embed.settings.urls import (
    DEFAULT_DATABASE_URL,
    parse_bind,
    parse_database_url,
    parse_public_url,
    parse_rpc_urls,
    parse_smtp_url,
    parse_storage_uri,
)
from embed.settings.values import (
    SettingsError,
    parse_background,
    parse_choice,
    parse_limit,
    parse_span,
    parse_switch,
    parse_whole_number,
    read_span,
)

__all__ = [
    "DEFAULT_DATABASE_URL",
    "INSTANCE_DIR",
    "PROJECT_DIR",
    "VARIABLES",
    "Settings",
    "SettingsError",
    "find_database_file",
    "load_secret_key",
    "parse_span",
]

PROJECT_DIR = Path(__file__).resolve().parent.parent.parent
INSTANCE_DIR = PROJECT_DIR / "instance"
_SQLITE = "sqlite:///"

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
    "BACKGROUND",
    "QUEUE_URL",
    "SMTP_URL",
    "ALLOW_PRIVATE_TARGETS",
    "FRONT_PAGE",
    "WEB_CONCURRENCY",
    "METRICS_BIND",
    "LOG_FORMAT",
)


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
    background: str  # who does the background work: gunicorn or worker
    queue_url: str | None = field(repr=False)  # deprecated: part of `background`
    smtp_url: str | None = field(repr=False)
    allow_private_targets: bool
    front_page: bool  # whether / answers
    web_concurrency: int  # gunicorn's worker processes
    metrics_bind: tuple[str, int] | None  # address and port
    log_format: str  # text or json

    @property
    def uses_chain(self) -> bool:
        """Tell whether balances are read from the chain; if not, those that owners enter count."""
        return bool(self.solana_rpc_url)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no log may show."""
        urls = (self.database_url, self.ratelimit_storage_uri, self.queue_url, self.smtp_url)
        return list_secrets(self.secret_keys, (*urls, *self.solana_rpc_url))

    @property
    def deprecations(self) -> tuple[str, ...]:
        """Sentences for those who start the service with variables that others replace."""
        if self.queue_url is None:
            return ()
        return (
            "QUEUE_URL only means that gunicorn does no background work, as the database is the"
            " queue. Set BACKGROUND=worker in its place.",
        )

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read every setting; an empty variable counts as unset.

        Creates ``instance/secret_key`` if ``SECRET_KEY`` is not set and the file does not exist.
        Raises SettingsError.
        """
        given = {name: value.strip() for name, value in environ.items() if value.strip()}
        return cls(
            secret_keys=parse_secret_keys(given, INSTANCE_DIR / "secret_key"),
            database_url=parse_database_url(given),
            public_url=parse_public_url(given),
            trusted_proxies=parse_whole_number(given, "TRUSTED_PROXIES", default=0, least=0),
            ratelimit_storage_uri=parse_storage_uri(given),
            limit_per_ip=parse_limit(given, "LIMIT_PER_IP", "600/minute"),
            limit_per_key=parse_limit(given, "LIMIT_PER_KEY", "6000/minute"),
            limit_session_nonces=parse_limit(given, "LIMIT_SESSION_NONCES", "20/10 minutes"),
            limit_session_submissions=parse_limit(
                given, "LIMIT_SESSION_SUBMISSIONS", "10/10 minutes"
            ),
            limit_ip_submissions=parse_limit(given, "LIMIT_IP_SUBMISSIONS", "20/10 minutes"),
            max_wallets=parse_whole_number(given, "MAX_WALLETS", default=50_000, least=1),
            nonce_lifetime=timedelta(
                seconds=parse_whole_number(given, "NONCE_LIFETIME", default=600, least=1)
            ),
            solana_rpc_url=parse_rpc_urls(given),
            limit_rpc=parse_limit(given, "LIMIT_RPC", "40/10 seconds"),
            balance_refresh=read_span(given, "BALANCE_REFRESH", "10 minutes"),
            balance_history=read_span(given, "BALANCE_HISTORY", "90 days"),
            background=parse_background(given),
            queue_url=given.get("QUEUE_URL"),
            smtp_url=parse_smtp_url(given),
            allow_private_targets=parse_switch(given, "ALLOW_PRIVATE_TARGETS", default="0"),
            front_page=parse_switch(given, "FRONT_PAGE", default="1"),
            web_concurrency=parse_whole_number(given, "WEB_CONCURRENCY", default=1, least=1),
            metrics_bind=parse_bind(given, "METRICS_BIND"),
            log_format=parse_choice(given, "LOG_FORMAT", default="text", of=("text", "json")),
        )


def find_database_file(database_url: str) -> Path | None:
    """Return SQLite's file, or None with Postgres."""
    if not database_url.startswith(_SQLITE):
        return None
    return PROJECT_DIR / unquote(database_url.removeprefix(_SQLITE))
