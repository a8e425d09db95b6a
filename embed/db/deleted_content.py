"""What a database's files keep of rows that were deleted."""

from peewee import SqliteDatabase

from embed.db.connection import db


def clear_deleted_content() -> bool:
    """Rewrite SQLite's file, whose free pages keep what was deleted, and empty its journal.

    Writers wait meanwhile. Return whether that was possible: somebody may read the journal still.
    Does nothing on Postgres, which is left to its operator. Raises OperationalError, for example
    if the disk has no room for a second copy.
    """
    if not isinstance(db.obj, SqliteDatabase):
        return True
    db.execute_sql("VACUUM")
    is_busy, *_ = db.execute_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy
