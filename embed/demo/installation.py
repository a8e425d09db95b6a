"""The demo's installation: settings of its own, and the commands that act on it."""

import fcntl
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from embed.settings import INSTANCE_DIR, IS_INSTALLED, PROJECT_DIR, SettingsError

DEMO_DIR = INSTANCE_DIR / "demo"


def open_installation(environ: Mapping[str, str]) -> tuple[dict[str, str], int | None]:
    """Return the variables that name the demo's installation, and the lock of its folder.

    A database that DATABASE_URL names is used instead, with the secret key of that installation,
    and without a lock. Raises SettingsError, and click.ClickException if a demo runs.
    """
    database_url = environ.get("DATABASE_URL", "").strip()
    if database_url:
        return {"DATABASE_URL": database_url}, None
    return {"INSTANCE_DIR": str(DEMO_DIR)}, _lock_folder()


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


def write_command(installation: Mapping[str, str], *arguments: str) -> str:
    """Return a command on the demo's installation, for a shell in the present folder."""
    variables = [f"{name}={shlex.quote(value)}" for name, value in installation.items()]
    return " ".join([*variables, shlex.join([*_find_program(), *arguments])])


def _find_program() -> list[str]:
    """Return how this program was called, by its path, as the virtualenv need not be active."""
    name = Path(sys.argv[0]).name
    if name == "tracking-embed":
        return [sys.argv[0]]
    if IS_INSTALLED:
        return [sys.executable, "-m", "embed"]
    words = [sys.argv[0]] if name == "flask" else [sys.executable, "-m", "flask"]
    if Path.cwd() != PROJECT_DIR:  # where flask would find app.py by itself
        words += ["--app", str(PROJECT_DIR / "app.py")]
    return words
