"""The examination of an installation: every check, in the order in which people read them."""

import os
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from embed.db.connection import db
from embed.doctor.background import check_background
from embed.doctor.database import check_database
from embed.doctor.files import check_files
from embed.doctor.findings import Finding, NotChecked
from embed.doctor.public_address import check_public_address
from embed.doctor.variables import Installation, check_variables
from embed.domain.times import Clock


@dataclass(slots=True)
class Examination:
    """What was found, what was looked at, and what could not be."""

    findings: list[Finding] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)  # sentences

    @property
    def has_errors(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)

    def add(self, subject: str, findings: Iterable[Finding]) -> None:
        """Make one check, which may raise NotChecked; what it found before that is kept."""
        try:
            for finding in findings:
                self.findings.append(finding)
            self.checked.append(subject)
        except NotChecked as reason:
            self.not_checked.append(str(reason))
        except Exception as failure:  # one check that fails must not hide what the others find
            self.findings.append(_describe_failure(subject, failure))


def examine(environ: Mapping[str, str], clock: Clock) -> Examination:
    """Look at everything, without changing anything; each wait for others is bounded in time."""
    installation = Installation.from_environ(environ)
    examination = Examination()
    examination.add("settings", check_variables(installation))
    examination.add("files", check_files(installation, os.geteuid()))
    try:
        examination.add("database", check_database(installation))
        examination.add("background work", check_background(clock))
    finally:
        if db.obj is not None:
            db.close()
    examination.add("public address", check_public_address(installation))
    return examination


def _describe_failure(subject: str, failure: Exception) -> Finding:
    # Where it failed, and not its text, which may quote a secret.
    frame = traceback.extract_tb(failure.__traceback__)[-1]
    place = f"{type(failure).__name__} in {Path(frame.filename).name}, line {frame.lineno}"
    return Finding(
        "check_failed",
        f"The check of {subject} failed: {place}.",
        "Run flask doctor again. If it fails each time, look at this part yourself, and report it.",
    )
