"""Checks of the database: whether it answers, is whole and at this version, and has our time."""

import os
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from peewee import (
    Database,
    InterfaceError,
    OperationalError,
    PeeweeException,
    PostgresqlDatabase,
    SqliteDatabase,
    fn,
)

from embed.db.connection import db
from embed.db.models import Job, WorkerProcess
from embed.db.schema_version import list_missing_migrations, list_unknown_migrations
from embed.doctor.findings import Finding, NotChecked, quote
from embed.doctor.variables import redact
from embed.domain.times import Clock, format_instant
from embed.settings import Settings, find_database_file

MOST_DIFFERENCE = timedelta(seconds=5)  # which the documentation asks of several machines
_CONNECT_TIMEOUT_S = 5
_STATEMENT_TIMEOUT_S = 5
_INTEGRITY_S = 8.0
_STEPS = 10_000  # of SQLite's virtual machine, after which it asks whether to go on
_START = "Start gunicorn, which upgrades it, or run flask db upgrade as the service's user."


class Unusable(Exception):
    """The database cannot be read; `finding` says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.problem)
        self.finding = finding


def open_checked(settings: Settings) -> None:
    """Open the database for reading. Raises Unusable."""
    path = find_database_file(settings.database_url)
    if path is not None:
        _check_file(path)
    open_for_reading(settings.database_url)
    try:
        db.connect()
        db.execute_sql("SELECT 1 FROM schema_migration WHERE 1 = 0")
    except PeeweeException as error:
        raise Unusable(_explain(error, path)) from None
    finally:
        db.close()


def open_for_reading(url: str) -> Database:
    """Make `url` the database that every model reads, without a file created or changed.

    Connects at first use.
    """
    path = find_database_file(url)
    if path is None:
        database: Database = _ReadOnlyPostgres(
            url, prefer_psycopg3=True, connect_timeout=_CONNECT_TIMEOUT_S
        )
    else:
        # Without its companion nobody has the file open, and SQLite would create one to read it:
        # https://sqlite.org/wal.html#read_only_databases
        is_open = path.with_name(f"{path.name}-wal").exists()
        how = "mode=ro" if is_open else "immutable=1"
        database = SqliteDatabase(
            f"{path.resolve().as_uri()}?{how}", uri=True, timeout=_STATEMENT_TIMEOUT_S
        )
    db.initialize(database)
    return database


class _ReadOnlyPostgres(PostgresqlDatabase):
    def _initialize_connection(self, conn: Any) -> None:
        # Not as `options` when connecting, which would replace those in the address.
        conn.execute(f"SET statement_timeout = '{_STATEMENT_TIMEOUT_S}s'")
        conn.execute("SET default_transaction_read_only = on")


def _check_file(path: Path) -> None:
    """Raises Unusable unless it is there, or if this user may not look."""
    folder = path.parent
    # Path.is_file and Path.is_dir raise where this user may not look.
    if os.path.isfile(path):  # noqa: PTH113
        return
    if os.path.isdir(folder) and not os.access(folder, os.X_OK, effective_ids=True):  # noqa: PTH112
        raise Unusable(_explain(PermissionError(f"this user may not enter {folder}"), path))
    problem = f"There is no database at {path}."
    remedy = f"{_START} If there was one, look at DATABASE_URL, or restore a backup."
    raise Unusable(Finding("database_missing", problem, remedy))


def _explain(error: Exception, path: Path | None) -> Finding:
    text = " ".join(str(error).split())
    reason = quote(redact(text))
    if "schema_migration" in text:
        return Finding("database_behind", "The database has no tables yet.", _START)
    remedy = (
        "Look whether Postgres runs, and whether DATABASE_URL has the right address and password."
        if path is None
        else f"Look whether {path} is a SQLite database that this user may read."
    )
    return Finding("database_unreachable", f"The database does not answer: {reason}", remedy)


def check_database(clock: Clock) -> Iterator[Finding]:
    missing = list_missing_migrations()
    if missing:
        names = ", ".join(missing)
        yield Finding("database_behind", f"The database lacks the upgrades {names}.", _START)
    unknown = list_unknown_migrations()
    if unknown:
        yield Finding(
            "database_ahead",
            f"The database has upgrades of a newer version: {', '.join(unknown)}.",
            "Install the version of the code that made them, or restore a backup from before.",
        )
    if not missing:
        yield from _check_clock(clock)
    yield from _check_integrity()


def _check_clock(clock: Clock) -> Iterator[Finding]:
    """Compare with Postgres, and with the newest times that are kept, which cannot be ahead."""
    if isinstance(db.obj, PostgresqlDatabase):
        asked_at = clock()
        theirs = db.execute_sql("SELECT clock_timestamp()").fetchone()[0]
        if theirs < asked_at - MOST_DIFFERENCE or theirs > clock() + MOST_DIFFERENCE:
            problem = f"This machine's clock says {format_instant(asked_at)}, and Postgres says"
            yield _describe_clock(f"{problem} {format_instant(theirs)}.")
            return
    times = [each for each in _list_newest() if each is not None]
    now = clock()
    newest = max(times, default=now)
    if newest - now > MOST_DIFFERENCE:
        problem = f"This machine's clock says {format_instant(now)}, and the database holds"
        yield _describe_clock(f"{problem} something of {format_instant(newest)}.")


def _list_newest() -> tuple[datetime | None, ...]:
    started_at: Any = Job.select(fn.MAX(Job.started_at)).scalar()
    seen_at: Any = WorkerProcess.select(fn.MAX(WorkerProcess.seen_at)).scalar()
    return started_at, seen_at


def _describe_clock(problem: str) -> Finding:
    return Finding(
        "clock_differs",
        f"{problem} Limits, cooldowns and texts to sign depend on the time.",
        "Let both machines set their clocks by the network: timedatectl set-ntp true",
    )


def _check_integrity() -> Iterator[Finding]:
    """Raises NotChecked if a SQLite file is too large to be read in time."""
    if isinstance(db.obj, PostgresqlDatabase):
        return
    ends_at = time.monotonic() + _INTEGRITY_S
    sqlite = db.connection()
    sqlite.set_progress_handler(lambda: time.monotonic() >= ends_at, _STEPS)
    try:
        answer = db.execute_sql("PRAGMA quick_check(1)").fetchone()[0]
    except (OperationalError, InterfaceError) as error:
        if "interrupted" in str(error):
            raise NotChecked(
                "Not checked whether the database file is whole: it is too large to be read within"
                f" {_INTEGRITY_S:g} seconds. PRAGMA quick_check in sqlite3 does it."
            ) from None
        answer = str(error)
    finally:
        sqlite.set_progress_handler(None, _STEPS)
    if answer != "ok":
        yield Finding(
            "database_damaged",
            f"The database file is damaged: {quote(answer)}",
            "Stop the service, keep a copy of the file, and restore the last backup.",
        )
