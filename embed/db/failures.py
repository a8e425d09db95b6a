"""What operators can do about failures of the database itself."""

import sqlite3
from collections.abc import Mapping

from peewee import PeeweeException
from psycopg2 import errors

_SPACE = "Free some space on the disk, or use a larger one."
_RIGHTS = (
    "The role in DATABASE_URL must own the tables and be allowed to create more; flask doctor says"
    " what it lacks."
)
_BY_SQLITE_CODE: Mapping[int, str] = {
    sqlite3.SQLITE_FULL: _SPACE,
    sqlite3.SQLITE_IOERR: "Check the disk: it may be full or broken.",
    sqlite3.SQLITE_READONLY: "Let this user write the file and its folder.",
    sqlite3.SQLITE_CANTOPEN: "Let this user write the file and its folder.",
}
_BY_POSTGRES_ERROR: Mapping[object, str] = {
    errors.DiskFull: _SPACE,
    errors.InsufficientPrivilege: _RIGHTS,
    errors.ReadOnlySqlTransaction: "DATABASE_URL must name the server that accepts changes.",
}


def find_remedy(failure: Exception) -> str | None:
    """Return what to do about a failure, if the database's own reason tells."""
    reason = find_reason(failure)
    if isinstance(reason, sqlite3.Error):
        return _BY_SQLITE_CODE.get(getattr(reason, "sqlite_errorcode", 0) & 0xFF)
    return _BY_POSTGRES_ERROR.get(type(reason))


def find_reason(failure: Exception) -> Exception | None:
    """Return the driver's own exception; peewee wraps one that is raised while connecting twice."""
    reason: Exception | None = failure
    while isinstance(reason, PeeweeException):
        reason = getattr(reason, "orig", None)
    return reason


def explain(failure: Exception) -> str:
    """Return the database's own reason in one line, with what to do about it."""
    diagnosis = getattr(find_reason(failure), "diag", None)
    said = getattr(diagnosis, "message_primary", None) or failure  # without the statement
    reason, remedy = " ".join(str(said).split()), find_remedy(failure)
    return f"{reason}. {remedy}" if remedy else reason
