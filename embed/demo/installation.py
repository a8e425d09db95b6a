"""The demo's installation: settings of its own, and the commands that act on it."""

import fcntl
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from embed.settings import (
    DEFAULT_DATABASE_URL,
    INSTANCE_DIR,
    PROJECT_DIR,
    SettingsError,
    load_secret_key,
)

DEMO_DIR = INSTANCE_DIR / "demo"
DEMO_DATABASE_URL = "sqlite:///instance/demo/embed.db"


def make_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """Return these variables, with a database and a secret key of the demo's own.

    A database that DATABASE_URL names is used instead, with the secret key of that installation.
    Raises SettingsError if the key's file cannot be used.
    """
    # The demo's gunicorn does its background work itself.
    own = {"BACKGROUND": "", "QUEUE_URL": ""}
    if not names_database(environ):
        own["DATABASE_URL"] = DEMO_DATABASE_URL
        if not environ.get("SECRET_KEY", "").strip():
            own["SECRET_KEY"] = load_secret_key(DEMO_DIR / "secret_key")
    return {**environ, **own}


def names_database(environ: Mapping[str, str]) -> bool:
    """Tell whether the demo is to use a database other than its own."""
    return bool(environ.get("DATABASE_URL", "").strip())


@contextmanager
def hold_folder() -> Iterator[int]:
    """Keep other demos out of the demo's folder: each revokes the keys of the one before.

    The descriptor is for the demo's gunicorn, which thus keeps them out for as long as it runs,
    also when the demo was killed. Raises SettingsError, and click.ClickException if a demo runs.
    """
    try:
        DEMO_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(DEMO_DIR / "running", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise SettingsError(f"The demo's folder {DEMO_DIR} cannot be used: {error}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        process_id = os.read(descriptor, 20).decode()
        os.close(descriptor)
        raise click.ClickException(_explain_other_demo(process_id)) from None
    try:
        os.ftruncate(descriptor, 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _explain_other_demo(process_id: str) -> str:
    """Return a sentence about a demo whose gunicorn, if it has one yet, is this process."""
    sentence = f"A demo is already running in {DEMO_DIR}."
    return f"{sentence} To end it: kill {process_id}" if process_id else sentence


def write_command(environ: Mapping[str, str], *arguments: str) -> str:
    """Return a flask command on the demo's database, for a shell in the present folder.

    It names the program by its path, so that the virtualenv need not be active.
    """
    words = [*_find_flask(), *arguments]
    if Path.cwd() != PROJECT_DIR:  # where flask would find app.py by itself
        words[-len(arguments) : -len(arguments)] = ["--app", str(PROJECT_DIR / "app.py")]
    database_url = environ["DATABASE_URL"].strip()
    is_default = database_url == DEFAULT_DATABASE_URL
    setting = "" if is_default else f"DATABASE_URL={shlex.quote(database_url)} "
    return setting + shlex.join(words)


def _find_flask() -> list[str]:
    """Return the words by which this process was started, as paths that any shell finds."""
    if Path(sys.argv[0]).name == "flask":
        return [_shorten(sys.argv[0])]
    return [_shorten(sys.executable), "-m", "flask"]


def _shorten(path: str) -> str:
    """Return the absolute path, or the one from the present folder if that is shorter."""
    from_here = os.path.relpath(path)
    if os.sep not in from_here:
        from_here = f".{os.sep}{from_here}"
    return min(from_here, str(Path(path).absolute()), key=len)
