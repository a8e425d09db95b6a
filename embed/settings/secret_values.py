"""What the settings hold that no log may show."""

from collections.abc import Iterable, Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

_SHORTEST_KEY = 16  # of what stands in a path, as providers of RPC have it


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
