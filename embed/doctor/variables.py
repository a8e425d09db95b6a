"""Checks the settings, and reads the valid ones, without creating anything."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from psycopg2.extensions import parse_dsn

from embed.doctor.findings import Finding
from embed.rate_limits.storages import is_shared
from embed.settings import (
    VARIABLES,
    Settings,
    SettingsError,
    find_database_file,
)

_QUOTED = re.compile(r"""(["'`]).*?\1""")
_NEW_KEY = 'python3 -c "import secrets; print(secrets.token_urlsafe(48))"'
# Placeholders that people and samples use; random keys don't contain these.
_WELL_KNOWN = (
    *("change", "replace", "placeholder", "example", "password", "passphrase", "secret", "default"),
    *("insecure", "long random", "qwerty", "123456", "abcdef", "letmein"),
)
_FEW_CHARACTERS = 8  # distinct ones
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True, slots=True)
class Installation:
    # With defaults for invalid variables, and with secret keys if any are usable.
    settings: Settings
    invalid: Mapping[str, str]  # a sentence for each variable
    key_file: Path | None  # None if SECRET_KEY is set

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Self:
        given = {name: environ[name] for name in VARIABLES if environ.get(name, "").strip()}
        invalid: dict[str, str] = {}
        usable: dict[str, str] = {}  # together
        for name, value in given.items():
            try:
                Settings.from_environ(usable | {name: value})
            except SettingsError as error:
                invalid[name] = str(error)
            else:
                usable[name] = value
        settings = Settings.from_environ(usable)
        key_file = None if "SECRET_KEY" in given else settings.key_file
        # The check of the files reports a file that this user can't read.
        if key_file is not None and os.access(key_file, os.R_OK, effective_ids=True):
            try:
                settings = settings.with_secret_key()
            except SettingsError as error:
                invalid["SECRET_KEY"] = str(error)
        return cls(settings, invalid, key_file)


def redact(text: str) -> str:
    """Return an error's text without its quotes."""
    return _QUOTED.sub("…", text)


def check_variables(installation: Installation) -> Iterator[Finding]:
    settings = installation.settings
    for name, sentence in installation.invalid.items():
        yield Finding(
            "setting_invalid",
            f"The service does not start with this setting: {sentence}",
            f"Correct {name}, or leave it out to use its default. docs/settings.md has a table of"
            " all settings.",
        )
    yield from _check_secrets(settings)
    public_url = urlsplit(settings.public_url or "")
    if public_url.scheme == "http" and public_url.hostname not in _LOOPBACK:
        yield Finding(
            "public_url_http",
            "PUBLIC_URL begins with http://. Keys and sessions are sent unencrypted, wallets don't"
            " sign on such pages, and nobody can sign in to the dashboard.",
            f"Put an HTTPS proxy in front, and set PUBLIC_URL=https://{public_url.netloc}",
        )
    if public_url.scheme == "https" and not settings.trusted_proxies:
        yield Finding(
            "proxy_not_trusted",
            "PUBLIC_URL begins with https://, but TRUSTED_PROXIES is 0. Behind a proxy, requests"
            " then seem to arrive over HTTP, and all visitors count as one client.",
            "Set TRUSTED_PROXIES to the number of proxies in front of the service. With the samples"
            " in deploy/ this is 1, behind Cloudflare too: see docs/operating.md.",
        )
    if settings.public_url is None and settings.trusted_proxies:
        yield Finding(
            "public_url_missing",
            "PUBLIC_URL is not set, although TRUSTED_PROXIES says that a proxy is in front. The"
            " service trusts any Host header, and the texts that visitors sign name the host in"
            " it.",
            "Set PUBLIC_URL to the address that visitors use, such as https://embed.example.com",
        )
    if settings.web_concurrency > 1 and not is_shared(settings.ratelimit_storage_uri):
        yield Finding(
            "limits_not_shared",
            f"gunicorn has {settings.web_concurrency} processes, and RATELIMIT_STORAGE_URI is"
            " memory://, so each of them counts limits separately.",
            "Set RATELIMIT_STORAGE_URI=redis://127.0.0.1:6379 (a Redis that you run), or start one"
            " process (WEB_CONCURRENCY=1).",
        )


def _check_secrets(settings: Settings) -> Iterator[Finding]:
    if any(map(is_weak, settings.secret_keys)):
        yield Finding(
            "secret_weak",
            "SECRET_KEY contains a key that can be guessed. Anyone who guesses it can sign in as"
            " any owner.",
            f"Create a new one with {_NEW_KEY} and set SECRET_KEY to it alone; all sessions end.",
        )
    url = settings.database_url
    password = None if find_database_file(url) else parse_dsn(url).get("password")
    if password is not None and is_weak(str(password)):
        yield Finding(
            "secret_weak",
            "The password in DATABASE_URL can be guessed.",
            "Set another with ALTER ROLE ... PASSWORD '...' in psql, and change DATABASE_URL.",
        )


def is_weak(secret: str) -> bool:
    """Return whether a secret isn't random: it has few distinct characters, or well-known words."""
    lower = secret.lower()
    return len(set(lower)) < _FEW_CHARACTERS or any(word in lower for word in _WELL_KNOWN)
