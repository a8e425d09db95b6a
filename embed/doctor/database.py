"""Checks the database, and the background work as recorded in it."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from peewee import PeeweeException, SqliteDatabase

from embed.db.connection import db, open_database
from embed.db.models import Page
from embed.db.schema_version import OtherVersion, check_version, list_missing_migrations
from embed.db.work_status import read_work_status
from embed.doctor.findings import Finding, NotChecked, quote
from embed.doctor.variables import Installation, redact
from embed.domain.times import Clock
from embed.settings import find_database_file

_TIMEOUT_S = 5
_START = "Start gunicorn, which upgrades it, or run flask db upgrade as the service's user."


def check_database(installation: Installation) -> Iterator[Finding]:
    """Read the database without creating or changing files; leave it open. Raises NotChecked."""
    if "DATABASE_URL" in installation.invalid:
        raise NotChecked("Not checked: the database, since DATABASE_URL isn't valid.")
    url = installation.settings.database_url
    path = find_database_file(url)
    try:
        if path is not None:
            path.stat()
        open_for_reading(url)
        missing = list_missing_migrations()
        check_version()
    except FileNotFoundError:
        remedy = f"{_START} If there was one before, check DATABASE_URL, or restore a backup."
        yield Finding("database_missing", f"There is no database at {path}.", remedy)
    except OtherVersion as error:
        remedy = "Install the version that it needs."
        yield Finding("database_of_another_version", str(error), remedy)
    except (OSError, PeeweeException) as error:
        yield _explain(error, path)
    else:
        if missing:
            names = quote(", ".join(missing))
            yield Finding("database_behind", f"The database lacks the upgrades {names}.", _START)
        else:
            yield from _check_minimums(installation)


def open_for_reading(url: str) -> None:
    """Make `url` the models' database, read-only."""
    path = find_database_file(url)
    if path is None:
        open_database(url)
        # A transaction that ends with the connection. Passing `options` to connect would replace
        # those in the address.
        db.begin("READ COMMITTED READ ONLY")
        db.execute_sql(f"SELECT set_config('statement_timeout', '{_TIMEOUT_S}s', true)")
        return
    # Without a -wal file nobody has the database open, and SQLite would create one to read it:
    # https://sqlite.org/wal.html#read_only_databases
    is_open = path.with_name(f"{path.name}-wal").exists()
    address = f"{path.resolve().as_uri()}?{'mode=ro' if is_open else 'immutable=1'}"
    db.initialize(SqliteDatabase(address, uri=True, timeout=_TIMEOUT_S))


def _explain(error: Exception, path: Path | None) -> Finding:
    reason = quote(redact(str(error).strip()))
    remedy = (
        "Check that Postgres is running, and that DATABASE_URL has the right address and password."
        if path is None
        else f"Check that {path} is a SQLite database that this user can read."
    )
    return Finding("database_unreachable", f"The database does not answer: {reason}", remedy)


def _check_minimums(installation: Installation) -> Iterator[Finding]:
    """Find pages that refuse all wallets for which nobody has entered a balance."""
    if installation.settings.uses_chain or "SOLANA_RPC_URL" in installation.invalid:
        return
    demanding = Page.select().where(Page.min_balance != Decimal(0), Page.deleted_at.is_null())
    ids = [page.id for page in demanding.order_by(Page.created_at, Page.id)]
    if ids:
        yield Finding(
            "minimum_without_endpoint",
            "SOLANA_RPC_URL isn't set, so only balances that owners entered count, and these pages"
            " have a minimum balance. They refuse every wallet without an entered balance:"
            f" {quote(', '.join(ids))}",
            "Set SOLANA_RPC_URL, for example to https://api.mainnet-beta.solana.com, or remove the"
            " minimum: flask pages update PAGE_ID --min-balance 0",
        )


def check_background(clock: Clock) -> Iterator[Finding]:
    """Check the background work, if the database is open. Raises NotChecked."""
    try:
        status = read_work_status(clock())
    except (AttributeError, PeeweeException):  # the database check says why
        raise NotChecked(
            "Not checked: the background work, since the database can't be read."
        ) from None
    if not status.is_working:
        yield Finding(
            "no_worker",
            "The background work isn't running: no balances are read, and nobody is notified.",
            "Start gunicorn, or flask worker; with BACKGROUND=worker, only the latter works.",
        )
    for job in status.jobs:
        if job.failure is not None:
            yield Finding(
                "job_failing",
                f"The background job {job.name} fails: {quote(job.failure)}",
                "See flask worker status, and the log of the process that does the work.",
            )
