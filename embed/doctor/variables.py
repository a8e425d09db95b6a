"""The settings: as far as they are valid, and what is wrong with them. Nothing is created."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from embed import settings as settings_module
from embed.doctor.findings import Finding
from embed.settings import VARIABLES, Settings, SettingsError, load_secret_key

_STAND_IN = "stands in for SECRET_KEY while settings are read"
# Errors of these quote parts of what was set, which may be a password.
_QUOTES_SECRETS = ("DATABASE_URL", "RATELIMIT_STORAGE_URI", "SMTP_URL")
_QUOTED = re.compile(r"""(["'`]).*?\1""")
_DEFAULT_PORT = "8000"  # gunicorn's, as is PORT
_NEW_KEY = 'python3 -c "import secrets; print(secrets.token_urlsafe(48))"'
# What people and samples write until something better comes; random keys do not contain these.
_WELL_KNOWN = (
    *("changeme", "change-me", "change_me", "change me", "change this", "changethis"),
    *("replace", "placeholder", "example", "password", "passphrase", "secret", "default"),
    *("insecure", "long random", "qwerty", "123456", "abcdef", "letmein"),
)
_FEW_CHARACTERS = 8  # different ones; the shortest key has 16 characters
# Those of the documentation among them.
_WEAK_PASSWORDS = {"a long password", "embed", "postgres", "password", "changeme", "secret"}
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True, slots=True)
class Installation:
    settings: Settings  # with the default where a variable is not valid
    secret_keys: tuple[str, ...]  # () if there is none, or none that can be used
    invalid: Mapping[str, str]  # a sentence by variable
    key_file: Path | None  # None where SECRET_KEY is set
    address: str  # where the service is asked

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Self:
        given = {name: environ[name] for name in VARIABLES if environ.get(name, "").strip()}
        invalid: dict[str, str] = {}
        usable: dict[str, str] = {}  # together
        for name, value in given.items():
            try:
                Settings.from_environ({"SECRET_KEY": _STAND_IN} | usable | {name: value})
            except SettingsError as error:
                text = str(error)
                invalid[name] = redact(text) if name in _QUOTES_SECRETS else text
            else:
                usable[name] = value
        if not environ.get("WEB_CONCURRENCY", "unset").strip():
            invalid["WEB_CONCURRENCY"] = "WEB_CONCURRENCY is empty, and gunicorn wants a number."
        keys: tuple[str, ...] = ()
        key_file = None if "SECRET_KEY" in given else settings_module.INSTANCE_DIR / "secret_key"
        # Path.exists raises where this user may not look.
        if key_file is not None and os.path.exists(key_file):  # noqa: PTH110
            try:
                keys = (load_secret_key(key_file),)
            except SettingsError as error:
                invalid["SECRET_KEY"] = str(error)
        settings = Settings.from_environ({"SECRET_KEY": _STAND_IN} | usable)
        if "SECRET_KEY" in usable:
            keys = settings.secret_keys
        port = environ.get("PORT", "").strip() or _DEFAULT_PORT
        return cls(
            settings=settings,
            secret_keys=keys,
            invalid=invalid,
            key_file=key_file,
            address=settings.public_url or f"http://127.0.0.1:{port}",
        )


def redact(text: str) -> str:
    """Return an error's text without what it quotes."""
    return _QUOTED.sub("…", text)


def check_variables(installation: Installation) -> Iterator[Finding]:
    for name, sentence in installation.invalid.items():
        yield Finding(
            "setting_invalid",
            f"The service does not start with this setting: {sentence}",
            f"Correct {name}, or leave it out, which means its default. The README has a table of"
            " all settings.",
        )
    yield from _check_secrets(installation)
    public_url = urlsplit(installation.settings.public_url or "")
    if public_url.scheme == "http" and public_url.hostname not in _LOOPBACK:
        yield Finding(
            "public_url_http",
            "PUBLIC_URL begins with http://. Keys and sessions travel readable, wallets do not sign"
            " on such pages, and nobody can sign in to the dashboard.",
            f"Give the service HTTPS by a proxy, and set PUBLIC_URL=https://{public_url.netloc}",
        )
    if installation.settings.public_url is None and installation.settings.trusted_proxies:
        yield describe_missing_address("TRUSTED_PROXIES says that a proxy is in front")


def describe_missing_address(reason: str) -> Finding:
    return Finding(
        "public_url_missing",
        f"PUBLIC_URL is not set, although {reason}. The service trusts any Host header, and the"
        " texts that visitors sign name whatever host it gives.",
        "Set PUBLIC_URL to the address that visitors use, such as https://embed.example.com",
    )


def _check_secrets(installation: Installation) -> Iterator[Finding]:
    if any(map(is_weak, installation.secret_keys)):
        yield Finding(
            "secret_weak",
            "SECRET_KEY contains a key that can be guessed. Whoever guesses it can sign in as any"
            " owner.",
            f"Create a new one by {_NEW_KEY} and set SECRET_KEY to it alone; sessions end then.",
        )
    password = _read_password(installation.settings.database_url)
    if password in _WEAK_PASSWORDS:
        yield Finding(
            "secret_weak",
            "The password in DATABASE_URL is one that others try first.",
            "Set another by ALTER ROLE ... PASSWORD '...' in psql, and change DATABASE_URL.",
        )


def is_weak(key: str) -> bool:
    """Tell whether a key is no random one: it has few different characters, or well-known words."""
    lower = key.lower()
    return len(set(lower)) < _FEW_CHARACTERS or any(word in lower for word in _WELL_KNOWN)


def _read_password(url: str) -> str | None:
    try:
        password = urlsplit(url).password
    except ValueError:  # several hosts, which libpq reads and this does not
        return None
    return None if password is None else unquote(password)


def check_process_count(settings: Settings) -> Iterator[Finding]:
    is_memory = settings.ratelimit_storage_uri.startswith("memory:")
    if settings.web_concurrency > 1 and is_memory:
        yield describe_unshared_limits(f"WEB_CONCURRENCY is {settings.web_concurrency}")


def describe_unshared_limits(reason: str) -> Finding:
    return Finding(
        "limits_not_shared",
        f"{reason}, and RATELIMIT_STORAGE_URI is memory://, where each process counts limits for"
        " itself.",
        "Set RATELIMIT_STORAGE_URI=redis://127.0.0.1:6379 (a Redis that you run), or"
        " WEB_CONCURRENCY=1",
    )
