"""Detecting and upgrading a database that is not at this version yet."""

import logging
import time
from collections.abc import Callable

from peewee import PeeweeException, ProgrammingError
from psycopg import errors

from embed.db import connection, schema_version

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 5.0  # as long as a 503 asks callers to wait

_log = logging.getLogger(__name__)


def is_schema_missing(error: ProgrammingError) -> bool:
    """Tell whether Postgres reported a missing table or column.

    This looks at the error only, since the upgrade may be done when we ask the database
    again. SQLite raises an OperationalError, as for all its failures.
    """
    reason = getattr(error, "orig", None)
    return isinstance(reason, (errors.UndefinedTable, errors.UndefinedColumn))


def upgrade_until_done(wait: Callable[[float], object] = time.sleep) -> None:
    """Retry, with growing pauses, until the database is at this version; log every failure.

    Several processes may do so at once, see schema_version.upgrade. Raises NewerDatabase.
    """
    wait_s = _FIRST_WAIT_S
    while not _is_upgraded():
        wait(wait_s)
        wait_s = min(2 * wait_s, _LONGEST_WAIT_S)


def _is_upgraded() -> bool:
    try:
        schema_version.check_not_newer()
        if schema_version.list_missing_migrations():
            for name in schema_version.upgrade():
                _log.warning("Database upgraded: %s", name)
    except schema_version.NewerDatabase:
        raise
    except PeeweeException as error:
        _log.warning("The database could not be upgraded yet: %s", error)
        return False
    finally:
        connection.db.close()
    return True
