"""Secrets: SECRET_KEY, or the file that stands in for it, and what else no log may show."""

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import parse_qsl, unquote, urlsplit

from embed.settings.values import SettingsError

MIN_KEY_LENGTH = 16  # characters
_SHORTEST_KEY = 16  # of what stands in a path, as providers of RPC have it
_HOW_TO_MAKE_A_KEY = (
    f"use at least {MIN_KEY_LENGTH} random characters, such as those that this command prints: "
    'python3 -c "import secrets; print(secrets.token_urlsafe(48))".'
)


def parse_secret_keys(raw: str) -> tuple[str, ...]:
    """Raises SettingsError."""
    keys = tuple(key.strip() for key in raw.split(","))
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
    with NamedTemporaryFile("w", dir=path.parent, prefix=f"{path.name}.") as draft:
        draft.write(text)
        draft.flush()
        os.fsync(draft.fileno())
        with suppress(FileExistsError):
            os.link(draft.name, path)


def list_secrets(keys: Iterable[str], urls: Iterable[str | None]) -> tuple[str, ...]:
    """Return keys, and the passwords and keys in addresses, as they are written and decoded."""
    found = set(keys)
    for url in filter(None, urls):
        for raw in _find_in_url(url):
            found |= {raw, unquote(raw)}
    return tuple(sorted(found))


def _find_in_url(url: str) -> Iterator[str]:
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:  # a form that only its own client reads
        return
    if password is not None:
        yield password
    is_http = parts.scheme in ("http", "https")
    for name, value in parse_qsl(parts.query):
        if is_http or "password" in name:  # Postgres has its options there
            yield value
    if is_http:
        yield from (part for part in parts.path.split("/") if len(part) >= _SHORTEST_KEY)
