"""The examination of an installation: every check, in the order in which people read them.

Checks run at the same time, each of them bounded in time.
"""

import os
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from embed.db.connection import db
from embed.doctor import background, database, files, public_address, variables
from embed.doctor.findings import Finding, NotChecked
from embed.doctor.variables import Installation
from embed.domain.times import Clock

LONGEST_S = 45.0  # for all checks that run at the same time
_DATABASE_S = 8.0  # how long it may take to connect


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to look at; `run` raises NotChecked where that is impossible."""

    subject: str  # as in "Checked: the settings"
    run: Callable[[], Iterable[Finding]]


@dataclass(slots=True)
class Examination:
    """What was found, what was looked at, and what could not be."""

    findings: list[Finding] = field(default_factory=list)
    checked: list[str] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)  # sentences

    @property
    def has_errors(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)

    def add(self, other: "Examination") -> None:
        self.findings += other.findings
        self.checked += other.checked
        self.not_checked += other.not_checked


def examine(environ: Mapping[str, str], clock: Clock) -> Examination:
    """Look at everything, without changing anything; takes about a minute at most."""
    installation = Installation.from_environ(environ)
    settings = installation.settings
    paths = files.list_files(installation)
    total = run_together(
        [
            Check("settings", partial(variables.check_variables, installation)),
            Check("processes", partial(variables.check_process_count, settings)),
            Check("files", partial(files.check_files, paths, os.geteuid())),
            Check("disks", partial(files.check_disks, [path.parent for path in paths])),
            Check("open files", files.check_open_files),
        ]
    )
    is_usable = _open_database(installation, total)
    checks = _list_database_checks(installation, clock) if is_usable else []
    check_address = partial(public_address.check_public_address, installation, clock)
    total.add(run_together([*checks, Check("public address", check_address)]))
    return total


def _open_database(installation: Installation, total: Examination) -> bool:
    """Add what is wrong, and tell whether the database can be read."""
    if "DATABASE_URL" in installation.invalid:
        total.not_checked.append("Not checked: the database, as DATABASE_URL is not valid.")
        return False
    found = run_together([Check("database", partial(_open, installation))], _DATABASE_S)
    total.findings += found.findings
    if found.findings:
        total.not_checked.append("Not checked: background work and deliveries.")
    return not found.findings


def _open(installation: Installation) -> list[Finding]:
    try:
        database.open_checked(installation.settings)
    except database.Unusable as reason:
        return [reason.finding]
    return []


def _list_database_checks(installation: Installation, clock: Clock) -> list[Check]:
    settings = installation.settings
    return [
        Check("database", partial(database.check_database, clock)),
        Check("background work", lambda: background.check_background(settings, clock())),
        Check("deliveries", background.check_deliveries),
    ]


def run_together(checks: Sequence[Check], longest_s: float = LONGEST_S) -> Examination:
    """Run checks in a thread each; what takes longer is left behind and reported."""
    running = [(check, *_start(check)) for check in checks]
    deadline = time.monotonic() + longest_s
    total = Examination()
    for check, thread, outcome in running:
        thread.join(max(0.0, deadline - time.monotonic()))
        if thread.is_alive():
            problem = f"The check of {check.subject} took longer than {longest_s:g} seconds."
            outcome = Examination([_describe_failure(problem)])
        total.add(outcome)
    return total


def _start(check: Check) -> tuple[threading.Thread, Examination]:
    outcome = Examination()
    # A daemon thread, because a name that is being resolved cannot be interrupted.
    thread = threading.Thread(target=_run, args=(check, outcome), daemon=True)
    thread.start()
    return thread, outcome


def _run(check: Check, outcome: Examination) -> None:
    try:
        for finding in check.run():
            outcome.findings.append(finding)  # kept, even if the check fails later
        outcome.checked.append(check.subject)
    except NotChecked as reason:
        outcome.not_checked.append(str(reason))
    except Exception as failure:  # one check that fails must not hide what the others find
        # Where it failed, and not its text, which may quote a secret.
        frame = traceback.extract_tb(failure.__traceback__)[-1]
        place = f"{type(failure).__name__} in {Path(frame.filename).name}, line {frame.lineno}"
        problem = f"The check of {check.subject} failed: {place}."
        outcome.findings.append(_describe_failure(problem))
    finally:
        if db.obj is not None:
            db.close()


def _describe_failure(problem: str) -> Finding:
    return Finding(
        "check_failed",
        problem,
        "Run flask doctor again. If it fails each time, look at this part yourself, and report it.",
    )
