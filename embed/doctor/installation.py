"""What is examined: the settings as far as they are valid. Nothing is created."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from embed import settings as settings_module
from embed.settings import VARIABLES, Settings, SettingsError, load_secret_key

_STAND_IN = "stands in for SECRET_KEY while settings are read"
# Errors of these quote parts of what was set, which may be a password.
_QUOTES_SECRETS = ("DATABASE_URL", "RATELIMIT_STORAGE_URI", "SMTP_URL")
_QUOTED = re.compile(r"""(["'`]).*?\1""")
_DEFAULT_PORT = "8000"  # gunicorn's, as is PORT


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
