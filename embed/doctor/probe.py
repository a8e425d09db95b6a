"""How flask doctor asks the running service how requests reach it.

A request with a token that SECRET_KEY signed is answered with what the service saw of it. The
token lasts for a minute, and what it opens is of use only to whoever sent the request.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import msgspec
from itsdangerous import BadSignature

from embed.domain.signing import Signer
from embed.domain.times import Clock
from embed.settings import VARIABLES, Settings, find_database_file

HEADER = "X-Embed-Doctor"
# What the proxy has to pass on unchanged: headers of requests, and of answers.
REQUEST_HEADERS = ("Authorization", "Origin", "Cookie")
ANSWER_HEADERS = (
    "X-Frame-Options",
    "Content-Security-Policy",
    "Set-Cookie",
    "Cross-Origin-Opener-Policy",
    "Cross-Origin-Embedder-Policy",
    "Cross-Origin-Resource-Policy",
    "Access-Control-Allow-Origin",
    "Access-Control-Allow-Credentials",
)

_PURPOSE = "embed doctor"
_SHAPE: Any = tuple[str, dict[str, str]]
_LIFETIME = timedelta(minutes=1)
# What each process may have for itself.
_OWN = {"SECRET_KEY", "WEB_CONCURRENCY", "METRICS_BIND", "WORKER_METRICS_BIND", "LOG_FORMAT"}
_FINGERPRINT_LENGTH = 16


class Report(msgspec.Struct, frozen=True):
    """What the service saw of a request, and how it answered."""

    probe_id: str
    version: str  # of the code that runs
    scheme: str
    host: str
    forwarded_for: list[str]
    received: dict[str, str | None]  # REQUEST_HEADERS
    sent: list[tuple[str, str]]  # those of ANSWER_HEADERS
    differing: list[str]  # settings that are not those of the command


@dataclass(frozen=True, slots=True)
class Probe:
    id: str
    differing: list[str]


class ProbeSigner:
    """Makes the tokens of the command, and reads them in the service."""

    def __init__(self, secret_keys: Sequence[str], clock: Clock) -> None:
        self._keys = secret_keys
        self._signer = Signer(secret_keys, clock)

    def sign(self, settings: Settings, *, without: Sequence[str] = ()) -> tuple[str, str]:
        """Return a new probe's id, and a token that holds it and hashes of the settings."""
        probe_id = secrets.token_hex(8)
        hashes = {
            name: _hash(self._keys[0], value)
            for name, value in _list_values(settings).items()
            if name not in without
        }
        return probe_id, self._signer.sign(_PURPOSE, (probe_id, hashes), _LIFETIME)

    def read(self, token: str, settings: Settings) -> Probe | None:
        """Return None for a token that was not signed here, or has expired."""
        try:
            probe_id, hashes = self._signer.read(_PURPOSE, token, _SHAPE).value
        except BadSignature:
            return None
        values = _list_values(settings)
        differing = [
            name
            for name, value in values.items()
            if name in hashes and hashes[name] not in {_hash(key, value) for key in self._keys}
        ]
        return Probe(probe_id, differing)


def _list_values(settings: Settings) -> Mapping[str, str]:
    values = {name: str(getattr(settings, name.lower())) for name in VARIABLES if name not in _OWN}
    # The same setting names another file in another folder.
    path = find_database_file(settings.database_url)
    return values if path is None else values | {"DATABASE_URL": str(path.resolve())}


def _hash(key: str, value: str) -> str:
    """Hash with the key, as values hold passwords that could be guessed otherwise."""
    return hmac.new(key.encode(), value.encode(), hashlib.sha256).hexdigest()[:_FINGERPRINT_LENGTH]
