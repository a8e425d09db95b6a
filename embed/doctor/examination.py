"""Examines an installation: runs all checks in order, and collects data for bug reports."""

import os
import platform
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

from limits import RateLimitItem
from peewee import PeeweeException

from embed import __version__
from embed.db.connection import db, read_server_version
from embed.db.models import Page, Person, Submission, Wallet
from embed.db.schema_version import list_applied_migrations, list_missing_migrations
from embed.doctor.database import check_background, check_database, open_for_reading
from embed.doctor.files import check_files
from embed.doctor.findings import Finding, NotChecked
from embed.doctor.public_address import check_public_address
from embed.doctor.variables import Installation, check_variables
from embed.domain.times import Clock
from embed.settings import VARIABLES

_LIBRARIES = ("Flask", "gunicorn", "peewee", "psycopg2-binary", "Werkzeug")
_COUNTED = {"owners": Person, "pages": Page, "wallets": Wallet, "submissions": Submission}
# Values that can't be an address or a secret; of others, only whether they're set is reported.
_HARMLESS = (bool, int, timedelta, RateLimitItem)
_CHOICES = {"BACKGROUND", "LOG_FORMAT"}


@dataclass(slots=True)
class Examination:
    """The findings, and the lists of what was checked and what couldn't be."""

    findings: list[Finding] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)  # sentences

    @property
    def has_errors(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)

    def add(self, subject: str, findings: Iterable[Finding]) -> None:
        """Run one check, which may raise NotChecked; earlier findings are kept."""
        try:
            for finding in findings:
                self.findings.append(finding)
            self.checked.append(subject)
        except NotChecked as reason:
            self.not_checked.append(str(reason))
        except Exception as failure:  # a failed check must not hide others' findings
            self.findings.append(_describe_failure(subject, failure))


def examine(environ: Mapping[str, str], clock: Clock) -> Examination:
    """Check everything without changing anything; all waits for others are limited in time."""
    installation = Installation.from_environ(environ)
    examination = Examination()
    examination.add("settings", check_variables(installation))
    examination.add("files", check_files(installation, os.geteuid()))
    try:
        examination.add("database", check_database(installation))
        examination.add("background work", check_background(clock))
    finally:
        _close_database()
    examination.add("public address", check_public_address(installation))
    return examination


def _describe_failure(subject: str, failure: Exception) -> Finding:
    # The place of the failure, not its text, which may quote a secret.
    frame = traceback.extract_tb(failure.__traceback__)[-1]
    place = f"{type(failure).__name__} in {Path(frame.filename).name}, line {frame.lineno}"
    return Finding(
        "check_failed",
        f"The check of {subject} failed: {place}.",
        "Run flask doctor again. If it keeps failing, check this part yourself, and report it.",
    )


def describe_installation(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the data for a bug report, without secrets, addresses, keys or wallets.

    The values are strings, numbers, and dicts of them, by name.
    """
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
        _close_database()


def _close_database() -> None:
    if db.obj is not None:
        db.close()


def _describe(name: str, raw: str, installation: Installation) -> str:
    if name in installation.invalid:
        return "not valid"
    value = getattr(installation.settings, name.lower(), None)
    return raw.strip() if isinstance(value, _HARMLESS) or name in _CHOICES else "set"
