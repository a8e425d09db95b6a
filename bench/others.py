"""Servers to compare with: bare Flask, Isso and datasette, each run as in its docs."""

import importlib.metadata
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path

from support import servers
from support.servers import (
    Unavailable,
    clean_environ,
    find_free_port,
    is_listening,
    run_gunicorn,
    wait_until,
)

from bench.clients import Client, WrongAnswer
from bench.measures import NEW, READ, SUBMIT, Server, Subject
from bench.service import TAGS, WALLETS, make_address, make_folder, try_to_start

ISSO, DATASETTE = "isso==0.14.0", "datasette==0.65.5"
# Isso's own limits would refuse the third comment in a minute. Everything else is the default.
_ISSO_SETTINGS = """
[general]
dbpath = {folder}/comments.db
host = http://127.0.0.1:{port}
[guard]
ratelimit = 1000000000
direct-reply = 1000000000
"""


@contextmanager
def serve_bare_flask(folder: Path, body: bytes) -> Iterator[Server]:
    """Serve bare_flask.py with gunicorn's own worker; `body` is its answer to reads."""
    (folder / "body").write_bytes(body)
    no_settings = folder / "no_settings.py"  # otherwise gunicorn would read the service's
    no_settings.touch()
    options = ("--config", str(no_settings), "--worker-class", "gthread", "--threads", "4")
    with run_gunicorn({"BENCH_FOLDER": str(folder)}, *options, app="bench.bare_flask:app") as one:
        yield Server(one.port, one.pid)


def list_others(running: ExitStack) -> list[Subject]:
    """Return requests comparable to the service's, if Isso and datasette can be installed.

    Isso renders Markdown for each answer, except with plain=1. Neither checks keys.
    """
    subjects = []
    isso = try_to_start(running, "Isso", _serve_isso(make_folder(running)))
    if isso is not None:
        subjects += [
            Subject(READ, "Isso", isso, lambda client: client.get("/?uri=/a-page/&plain=1", {})),
            Subject(NEW, "Isso", isso, lambda client: client.get("/?uri=/a-page/", {})),
            Subject(SUBMIT, "Isso", isso, partial(_write_comment, "/another/")),
        ]
    datasette = try_to_start(running, "datasette", _serve_datasette(make_folder(running)))
    if datasette is not None:
        path = "/tracking/page.json?_shape=array"
        read = Subject(READ, "datasette", datasette, lambda client: client.get(path, {}))
        subjects.append(read)
    return subjects


def _write_comment(thread: str, client: Client) -> None:
    comment = {"text": "A comment of **one** sentence.", "author": "Visitor", "title": "A page"}
    for _ in range(9):  # Isso answers 500 while its database is locked
        with suppress(WrongAnswer):
            client.post(f"/new?uri={thread}", {}, comment, 201)
            return
    raise WrongAnswer("Isso took no comment.")


@contextmanager
def _serve_isso(folder: Path) -> Iterator[Server]:
    """Serve a thread of comments with the gunicorn command from Isso's docs.

    Raises Unavailable.
    """
    programs = _install(ISSO, f"gunicorn=={importlib.metadata.version('gunicorn')}")
    port = find_free_port()
    settings = folder / "isso.cfg"
    settings.write_text(_ISSO_SETTINGS.format(folder=folder, port=port))
    command = [programs / "gunicorn", "-b", f"127.0.0.1:{port}", "-w", "4", "--preload"]
    with _run([*command, "isso.run"], port, {"ISSO_SETTINGS": str(settings)}, folder) as server:
        for _ in range(WALLETS):
            _write_comment("/a-page/", Client(port))
        yield server


@contextmanager
def _serve_datasette(folder: Path) -> Iterator[Server]:
    """Serve a canned query on a table of wallets. Raises Unavailable."""
    programs = _install(DATASETTE)
    rows = [
        (
            number,
            make_address(number),
            f"Wallet number {number}",
            TAGS[number % 3],
            1000.25 * number,
        )
        for number in range(WALLETS)
    ]
    with closing(sqlite3.connect(folder / "tracking.db")) as database, database:
        database.execute("CREATE TABLE wallet (number INTEGER, address, alias, tag, balance)")
        database.executemany("INSERT INTO wallet VALUES (?, ?, ?, ?, ?)", rows)
    metadata = folder / "metadata.json"
    queries = {"page": {"sql": "SELECT * FROM wallet ORDER BY number"}}
    metadata.write_text(json.dumps({"databases": {"tracking": {"queries": queries}}}))
    port = find_free_port()
    command = [programs / "datasette", "serve", folder / "tracking.db", "-m", metadata]
    with _run([*command, "--port", str(port)], port, {}, folder) as server:
        yield server


@contextmanager
def _run(
    command: Sequence[str | Path], port: int, environ: dict[str, str], folder: Path
) -> Iterator[Server]:
    with (folder / "log").open("wb") as log:
        server = servers.Server(
            command, cwd=folder, env=clean_environ() | environ, stdout=log, stderr=log
        )
        try:
            wait_until(lambda: is_listening(port), server.process)
            yield Server(port, server.process.pid)
        finally:
            server.end(server.process.terminate)


def _install(*requirements: str) -> Path:
    """Return the program folder of a virtual environment, which is kept for the next time.

    Raises Unavailable if the package index can't be reached.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "tracking-embed-bench" / requirements[0]
    installed = folder / "installed"
    if not installed.exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv = [sys.executable, "-m", "venv", folder]
        install = [folder / "bin/python", "-m", "pip", "install", "--quiet", *requirements]
        try:
            for command in (venv, install):
                subprocess.run(command, check=True, capture_output=True)
        except subprocess.CalledProcessError:
            raise Unavailable(f"pip could not install {' and '.join(requirements)}") from None
        installed.touch()
    return folder / "bin"
