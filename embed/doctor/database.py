"""Check of the database: whether it answers, is whole and at this version, and fits the rest."""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from peewee import PeeweeException, PostgresqlDatabase, SqliteDatabase, fn

from embed.db.connection import db, open_database
from embed.db.models import Job, Page, WorkerProcess
from embed.db.schema_version import OtherVersion, check_version, list_missing_migrations
from embed.db.work_status import is_alive
from embed.doctor.findings import Finding, NotChecked, quote
from embed.doctor.variables import Installation, check_process_count, redact
from embed.domain.times import Clock, format_instant
from embed.people.passkeys import count_by_host
from embed.settings import find_database_file

MOST_DIFFERENCE = timedelta(seconds=5)  # which the documentation asks of several machines
_STATEMENT_TIMEOUT_S = 5
_INTEGRITY_S = 8.0
_STEPS = 10_000  # of SQLite's virtual machine, after which it asks whether to go on
_START = "Start gunicorn, which upgrades it, or run flask db upgrade as the service's user."


def check_database(installation: Installation, clock: Clock) -> Iterator[Finding]:
    """Read it, without a file created or changed; leaves it open. Raises NotChecked."""
    if "DATABASE_URL" in installation.invalid:
        raise NotChecked("Not checked: the database, as DATABASE_URL is not valid.")
    url = installation.settings.database_url
    path = find_database_file(url)
    try:
        if path is not None:
            path.stat()
        open_for_reading(url)
        missing = list_missing_migrations()
        check_version()
    except FileNotFoundError:
        remedy = f"{_START} If there was one, look at DATABASE_URL, or restore a backup."
        yield Finding("database_missing", f"There is no database at {path}.", remedy)
    except OtherVersion as error:
        yield Finding(
            "database_of_another_version", str(error), "Install the version that it needs."
        )
    except (OSError, PeeweeException) as error:
        yield _explain(error, path)
    else:
        yield from _check_migrations(missing)
        if not missing:
            yield from _check_clock(clock)
            yield from _check_minimums(installation)
            yield from _check_passkeys(installation)
            servers = WorkerProcess.select().where(WorkerProcess.kind == "gunicorn")
            count = servers.where(is_alive(clock())).count()
            yield from check_process_count(installation.settings, count)
        if path is not None:
            yield from _check_integrity()


def open_for_reading(url: str) -> None:
    """Make `url` the database that every model reads."""
    path = find_database_file(url)
    if path is None:
        open_database(url)
        # Not as `options` when connecting, which would replace those in the address.
        db.execute_sql(f"SET statement_timeout = '{_STATEMENT_TIMEOUT_S}s'")
        db.execute_sql("SET default_transaction_read_only = on")
        return
    # Without its companion nobody has the file open, and SQLite would create one to read it:
    # https://sqlite.org/wal.html#read_only_databases
    is_open = path.with_name(f"{path.name}-wal").exists()
    address = f"{path.resolve().as_uri()}?{'mode=ro' if is_open else 'immutable=1'}"
    db.initialize(SqliteDatabase(address, uri=True, timeout=_STATEMENT_TIMEOUT_S))


def _explain(error: Exception, path: Path | None) -> Finding:
    reason = quote(redact(str(error)))
    remedy = (
        "Look whether Postgres runs, and whether DATABASE_URL has the right address and password."
        if path is None
        else f"Look whether {path} is a SQLite database that this user may read."
    )
    return Finding("database_unreachable", f"The database does not answer: {reason}", remedy)


def _check_migrations(missing: list[str]) -> Iterator[Finding]:
    if missing:
        names = quote(", ".join(missing))
        yield Finding("database_behind", f"The database lacks the upgrades {names}.", _START)


def _check_clock(clock: Clock) -> Iterator[Finding]:
    """Compare with Postgres, and with the newest time that is kept, which cannot be ahead."""
    asked_at = clock()
    if isinstance(db.obj, PostgresqlDatabase):
        theirs = db.execute_sql("SELECT clock_timestamp()").fetchone()[0]
        if theirs < asked_at - MOST_DIFFERENCE or theirs > clock() + MOST_DIFFERENCE:
            yield _describe_clock(asked_at, f"Postgres says {format_instant(theirs)}")
    newest: Any = Job.select(fn.MAX(Job.started_at)).scalar()
    if newest is not None and newest > clock() + MOST_DIFFERENCE:
        kept = f"the database holds something of {format_instant(newest)}"
        yield _describe_clock(asked_at, kept)


def _describe_clock(now: datetime, other: str) -> Finding:
    return Finding(
        "clock_differs",
        f"This machine's clock says {format_instant(now)}, and {other}. Limits, cooldowns and texts"
        " to sign depend on the time.",
        "Let both machines set their clocks by the network: timedatectl set-ntp true",
    )


def _check_minimums(installation: Installation) -> Iterator[Finding]:
    """Look for pages that turn away all wallets whose balance nobody has entered."""
    if installation.settings.uses_chain or "SOLANA_RPC_URL" in installation.invalid:
        return
    demanding = Page.select().where(Page.min_balance != Decimal(0), Page.deleted_at.is_null())
    ids = [page.id for page in demanding.order_by(Page.created_at, Page.id)]
    if ids:
        yield Finding(
            "minimum_without_endpoint",
            "SOLANA_RPC_URL is not set, so only balances that owners entered count, and these pages"
            " ask for a minimum. They turn away every wallet for which its owner has entered none:"
            f" {quote(', '.join(ids))}",
            "Set SOLANA_RPC_URL, such as to https://api.mainnet-beta.solana.com, or ask for no"
            " balance: flask pages update PAGE_ID --min-balance 0",
        )


def _check_passkeys(installation: Installation) -> Iterator[Finding]:
    """Look for passkeys that browsers no longer offer, since the service has another host."""
    public_url = installation.settings.public_url
    if public_url is None:
        return
    host = urlsplit(public_url).hostname
    strays = {kept: count for kept, count in count_by_host().items() if kept != host}
    if strays:
        total, hosts = sum(strays.values()), quote(", ".join(sorted(strays)))
        yield Finding(
            "passkeys_of_another_host",
            f"PUBLIC_URL has the host {host}, and {total} passkeys are of another, which browsers"
            f" offer there only: {hosts}",
            "Give the service that host again, or let their people sign in another way and add new"
            " ones: flask owners reset EMAIL",
        )


def _check_integrity() -> Iterator[Finding]:
    """Raises NotChecked if a SQLite file is too large to be read in time."""
    ends_at = time.monotonic() + _INTEGRITY_S
    sqlite = db.connection()
    sqlite.set_progress_handler(lambda: time.monotonic() >= ends_at, _STEPS)
    try:
        answer = db.execute_sql("PRAGMA quick_check(1)").fetchone()[0]
    except PeeweeException as error:
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
