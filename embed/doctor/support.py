"""What a report of a fault needs, without a secret, an address, a key or a wallet."""

import platform
from collections.abc import Mapping
from datetime import timedelta
from importlib.metadata import version
from typing import Any

from limits import RateLimitItem
from peewee import PeeweeException

from embed import __version__
from embed.db.connection import db, read_server_version
from embed.db.models import Page, Person, Submission, Wallet
from embed.db.schema_version import list_applied_migrations, list_missing_migrations
from embed.doctor.database import open_for_reading
from embed.doctor.variables import Installation
from embed.settings import VARIABLES

_LIBRARIES = ("Flask", "gunicorn", "peewee", "psycopg", "Werkzeug")
_COUNTED = {"owners": Person, "pages": Page, "wallets": Wallet, "submissions": Submission}
# Values that cannot be an address or a secret; of others only whether they are set is told.
_HARMLESS = (bool, int, timedelta, RateLimitItem)
_CHOICES = {"BACKGROUND", "LOG_FORMAT"}


def describe_installation(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return texts, numbers, and dicts of them, by name."""
    installation = Installation.from_environ(environ)
    return {
        "version": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "libraries": {name: version(name) for name in _LIBRARIES},
        **_describe_database(installation),
        "settings": {
            name: _describe(name, environ[name], installation)
            for name in VARIABLES
            if environ.get(name, "").strip()
        },
    }


def _describe_database(installation: Installation) -> dict[str, Any]:
    try:
        open_for_reading(installation.settings.database_url)
        applied = list_applied_migrations()
        return {
            "database": read_server_version(),
            "migration": applied[-1] if applied else None,
            "missingMigrations": len(list_missing_migrations()),
            "rows": {name: model.select().count() for name, model in _COUNTED.items()},
        }
    except (OSError, PeeweeException) as failure:
        return {"database": f"cannot be read: {type(failure).__name__}"}
    finally:
        if db.obj is not None:
            db.close()


def _describe(name: str, raw: str, installation: Installation) -> str:
    if name in installation.invalid:
        return "not valid"
    value = getattr(installation.settings, name.lower(), None)
    return raw.strip() if isinstance(value, _HARMLESS) or name in _CHOICES else "set"
