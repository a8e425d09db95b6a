"""Settings from environment variables, and the file that replaces SECRET_KEY."""

import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Self
from urllib.parse import quote, unquote

from limits import RateLimitItem

from embed.domain.texts import parse_email
from embed.settings.values import (
    SettingsError,
    parse_bind,
    parse_choice,
    parse_database_url,
    parse_limit,
    parse_public_url,
    parse_retention,
    parse_rpc_urls,
    parse_seconds,
    parse_smtp_url,
    parse_span,
    parse_storage_uri,
    parse_switch,
    parse_whole_number,
    read,
)

__all__ = ["INSTANCE_DIR", "PROJECT_DIR", "VARIABLES", "Settings", "SettingsError"]

_PACKAGE_DIR = Path(__file__).resolve().parent.parent
IS_INSTALLED = (_PACKAGE_DIR / "templates").is_dir()  # as a package, not run from a checkout
# Has the templates, static files, catalogs, documents and gunicorn's configuration.
PROJECT_DIR = _PACKAGE_DIR if IS_INSTALLED else _PACKAGE_DIR.parent
INSTANCE_DIR = PROJECT_DIR / "instance"
if IS_INSTALLED:
    _state_dir = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    INSTANCE_DIR = Path(_state_dir, "tracking-embed")
# The base of relative paths in settings.
_BASE_DIR = INSTANCE_DIR if IS_INSTALLED else PROJECT_DIR
_SQLITE = "sqlite:///"

_AROUND = " \"'`\u201c\u201d\u201e\u2018\u2019"
MIN_KEY_LENGTH = 16  # characters
_SHORTEST_KEY = 16  # characters of a key in a path, as RPC providers use
# Scheme, user and password, path and query.
_PARTS = re.compile(r"([^:]*)://(?:([^/?#]*)@)?[^/?#]*([^?#]*)\??([^#]*).*", re.DOTALL)
_HOW_TO_MAKE_A_KEY = (
    f"use at least {MIN_KEY_LENGTH} random characters, such as the output of "
    'python3 -c "import secrets; print(secrets.token_urlsafe(48))".'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The parsed settings; see the table in docs/settings.md."""

    # The first signs, all verify; () without SECRET_KEY, until with_secret_key is called.
    secret_keys: tuple[str, ...] = field(repr=False)
    instance_dir: Path  # has the file that replaces SECRET_KEY, and the default database
    database_url: str = read(parse_database_url, f"{_SQLITE}instance/embed.db")
    public_url: str | None = read(parse_public_url)
    trusted_proxies: int = read(partial(parse_whole_number, least=0), "0")
    ratelimit_storage_uri: str = read(parse_storage_uri, "memory://")
    limit_per_ip: RateLimitItem = read(parse_limit, "600/minute")
    limit_per_key: RateLimitItem = read(parse_limit, "6000/minute")
    limit_session_nonces: RateLimitItem = read(parse_limit, "20/10 minutes")
    limit_session_submissions: RateLimitItem = read(parse_limit, "10/10 minutes")
    limit_ip_submissions: RateLimitItem = read(parse_limit, "20/10 minutes")
    limit_refreshes: RateLimitItem = read(parse_limit, "60/minute")  # per page
    first_owner: str | None = read(parse_email)
    max_wallets: int = read(partial(parse_whole_number, least=1), "50000")  # per page
    nonce_lifetime: timedelta = read(parse_seconds, "600")
    # The first one that works is used; () for none.
    solana_rpc_url: tuple[str, ...] = read(parse_rpc_urls, "", is_secret=True)
    limit_rpc: RateLimitItem = read(parse_limit, "40/10 seconds")  # per method and RPC server
    balance_refresh: timedelta = read(partial(parse_span, example="10 minutes"), "10 minutes")
    # How long daily balances are kept.
    balance_history: timedelta = read(partial(parse_span, example="90 days"), "90 days")
    # How long rejections keep names and what was signed, and activity logs their entries.
    rejected_kept: timedelta | None = read(partial(parse_retention, example="365 days"), "365 days")
    # The program that does the background work.
    background: str = read(partial(parse_choice, of=("gunicorn", "worker")), "gunicorn")
    smtp_url: str | None = read(parse_smtp_url, is_secret=True)
    allow_private_targets: bool = read(parse_switch, "0")
    front_page: bool = read(parse_switch, "1")  # whether / answers
    web_concurrency: int = read(partial(parse_whole_number, least=1), "1")  # gunicorn's processes
    metrics_bind: tuple[str, int] | None = read(parse_bind)  # address and port in gunicorn
    log_format: str = read(partial(parse_choice, of=("text", "json")), "text")

    @property
    def key_file(self) -> Path | None:
        """The file that replaces SECRET_KEY; None if that's set."""
        return None if self.secret_keys else self.instance_dir / "secret_key"

    @property
    def base_url(self) -> str:
        """The start of links that are made without a request, and so without its host."""
        return self.public_url or "http://127.0.0.1:8000"

    @property
    def uses_chain(self) -> bool:
        """Whether balances are read from the chain; if not, those that owners enter count."""
        return bool(self.solana_rpc_url)

    @property
    def balance_max_age(self) -> timedelta:
        """How old a balance may be to count as current; older ones are shown as old."""
        return 3 * self.balance_refresh

    @property
    def secrets(self) -> tuple[str, ...]:
        """What logs must not show: keys, and the secrets in addresses, as written and decoded."""
        found = set(self.secret_keys)
        urls = (self.database_url, self.ratelimit_storage_uri, self.smtp_url, *self.solana_rpc_url)
        for url in filter(None, urls):
            for raw in _find_secrets(url):
                found |= {raw, unquote(raw)}
        return tuple(sorted(found))

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] = os.environ) -> Self:
        """Read every setting; an empty variable counts as unset. Raises SettingsError."""
        given = {name: value for name, value in environ.items() if value.strip()}
        for name in VARIABLES.keys() & given.keys():
            value = given[name]
            if value.strip(_AROUND) != value or not value.isprintable():
                raise SettingsError(
                    f"{name} has quotes or spaces around its value, or invisible characters in it,"
                    f" which would be part of the value. Write {name}= and only the value."
                )
        keys = parse_secret_keys(given["SECRET_KEY"]) if "SECRET_KEY" in given else ()
        instance_dir = _BASE_DIR / given.get("INSTANCE_DIR", INSTANCE_DIR)
        given.setdefault("DATABASE_URL", f"{_SQLITE}{quote(str(instance_dir / 'embed.db'))}")
        values: dict[str, Any] = {}
        mistakes: list[str] = []
        for setting in _list_read():
            name = setting.name.upper()
            raw = given.get(name, setting.metadata["default"])
            try:
                values[setting.name] = None if raw is None else setting.metadata["parse"](raw)
            except ValueError as mistake:
                mistakes.append(f"{name} {mistake}")
        if mistakes:
            raise SettingsError(*mistakes)
        return cls(secret_keys=keys, instance_dir=instance_dir, **values)

    def with_existing_key(self) -> Self:
        """Return settings with the key in `key_file`, if it can be read. Raises SettingsError."""
        if self.key_file is not None and os.access(self.key_file, os.R_OK):
            return self.with_secret_key()
        return self

    def with_secret_key(self) -> Self:
        """Return settings that can sign; without SECRET_KEY, with the key in `key_file`.

        The file is created the first time. Raises SettingsError.
        """
        if self.key_file is None:
            return self
        return replace(self, secret_keys=(load_secret_key(self.key_file),))


def _list_read() -> list[Field[Any]]:
    return [setting for setting in fields(Settings) if setting.metadata]


# Every variable with its default as text.
VARIABLES: Mapping[str, str | None] = {"SECRET_KEY": None, "INSTANCE_DIR": "instance"} | {
    setting.name.upper(): setting.metadata["default"] for setting in _list_read()
}


def find_database_file(database_url: str) -> Path | None:
    """Return SQLite's file, or None with Postgres."""
    if not database_url.startswith(_SQLITE):
        return None
    return _BASE_DIR / unquote(database_url.removeprefix(_SQLITE))


# Secrets


def parse_secret_keys(raw: str) -> tuple[str, ...]:
    """Raises SettingsError."""
    keys = tuple(key.strip() for key in raw.split(","))
    if not all(keys):
        raise SettingsError("SECRET_KEY has an empty entry between commas.")
    if min(map(len, keys)) < MIN_KEY_LENGTH:  # old keys too: guessing one is enough to sign in
        raise SettingsError(f"SECRET_KEY contains a key that is too short; {_HOW_TO_MAKE_A_KEY}")
    return keys


def load_secret_key(path: Path) -> str:
    """Read the installation's secret key; create its file (mode 0600) if it doesn't exist.

    Raises SettingsError if the file can't be created, is empty or isn't UTF-8.
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
    """Create `path` with its whole text, unless another process just created it."""
    with NamedTemporaryFile("w", dir=path.parent, prefix=f"{path.name}.") as draft:
        draft.write(text)
        draft.flush()
        os.fsync(draft.fileno())
        with suppress(FileExistsError):
            os.link(draft.name, path)


def _find_secrets(url: str) -> list[str]:
    """Return the secrets in an address, as written, followed by the whole address."""
    scheme, user, path, query = _PARTS.findall(url)[0]
    is_http = scheme in ("http", "https")
    found = [user, user.partition(":")[2]] if is_http or ":" in user else []
    for name, _, value in (pair.partition("=") for pair in query.split("&")):
        if is_http or "password" in name:  # for Postgres, these are mostly options
            found.append(value)
    if is_http:
        found += [part for part in path.split("/") if len(part) >= _SHORTEST_KEY]
    return [*filter(None, found), url] if any(found) else []
