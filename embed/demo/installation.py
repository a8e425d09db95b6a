"""The demo's installation: settings of its own, and the commands that act on it."""

import fcntl
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from embed.settings import INSTANCE_DIR, PROJECT_DIR, SettingsError, load_secret_key

DEMO_DIR = INSTANCE_DIR / "demo"
DEMO_DATABASE_URL = "sqlite:///instance/demo/embed.db"


def open_installation(environ: Mapping[str, str]) -> tuple[dict[str, str], int | None]:
    """Return these variables, with a database and a secret key of the demo's own, and its lock.

    A database that DATABASE_URL names is used instead, with the secret key of that installation,
    and without a lock. Raises SettingsError, and click.ClickException if a demo runs.
    """
    # The demo's gunicorn does its background work itself.
    own = {"BACKGROUND": "", "QUEUE_URL": ""}
    if environ.get("DATABASE_URL", "").strip():
        return {**environ, **own}, None
    lock = _lock_folder()
    own["DATABASE_URL"] = DEMO_DATABASE_URL
    if not environ.get("SECRET_KEY", "").strip():
        own["SECRET_KEY"] = load_secret_key(DEMO_DIR / "secret_key")
    return {**environ, **own}, lock


def _lock_folder() -> int:
    """Keep other demos out of the demo's folder: each revokes the keys of the one before.

    The descriptor is for the demo's gunicorn, which thus keeps them out for as long as it runs,
    also when the demo was killed.
    """
    try:
        DEMO_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(DEMO_DIR / "running", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise SettingsError(f"The demo's folder {DEMO_DIR} cannot be used: {error}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        process_id = os.read(lock, 20).decode()  # none yet if that demo is just starting
        how = f" To end it: kill {process_id}" if process_id else ""
        raise click.ClickException(f"A demo is already running in {DEMO_DIR}.{how}") from None
    os.ftruncate(lock, 0)
    return lock


def write_command(database_url: str, *arguments: str) -> str:
    """Return a flask command on the demo's database, for a shell in the present folder.

    It names the program by its path, so that the virtualenv need not be active.
    """
    is_script = Path(sys.argv[0]).name == "flask"
    words = [sys.argv[0]] if is_script else [sys.executable, "-m", "flask"]
    if Path.cwd() != PROJECT_DIR:  # where flask would find app.py by itself
        words += ["--app", str(PROJECT_DIR / "app.py")]
    return f"DATABASE_URL={shlex.quote(database_url)} {shlex.join([*words, *arguments])}"
