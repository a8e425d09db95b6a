"""Where the files of an installation are, as far as settings decide it."""

from pathlib import Path
from urllib.parse import unquote

from embed.settings import PROJECT_DIR

_SQLITE = "sqlite:///"


def find_database_file(database_url: str) -> Path | None:
    """Return SQLite's file, or None with Postgres."""
    if not database_url.startswith(_SQLITE):
        return None
    return PROJECT_DIR / unquote(database_url.removeprefix(_SQLITE))
