"""Where the files of an installation are, as far as settings decide it."""

from pathlib import Path
from urllib.parse import unquote

from embed.settings import INSTANCE_DIR, PROJECT_DIR, Settings

_SQLITE = "sqlite:///"


def find_database_file(database_url: str) -> Path | None:
    """Return SQLite's file, or None with Postgres."""
    if not database_url.startswith(_SQLITE):
        return None
    return PROJECT_DIR / unquote(database_url.removeprefix(_SQLITE))


def find_queue_file(settings: Settings) -> Path:
    """Return ``queue.db`` beside the SQLite file, or in ``instance/`` with Postgres."""
    database = find_database_file(settings.database_url)
    return INSTANCE_DIR / "queue.db" if database is None else database.with_name("queue.db")
