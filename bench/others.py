"""Servers to compare with: bare Flask, an afternoon's app, Isso and datasette."""

import importlib.metadata
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from support import servers
from support.servers import Unavailable, find_free_port, is_listening, run_gunicorn, wait_until

from bench.clients import Client, Server, WrongAnswer
from bench.service import TAGS, WALLETS, Service, make_address, make_folder

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


def start_bare_flask(running: ExitStack, service: Service, name: str = "bare Flask") -> Server:
    return _start_flask(running, service, name, "bench.bare_flask:app")


def start_afternoon(running: ExitStack, service: Service) -> Server:
    return _start_flask(running, service, "an afternoon's app", "bench.afternoon:app")


def _start_flask(running: ExitStack, service: Service, name: str, app: str) -> Server:
    """Serve the exact bytes of the service's list with an app and gunicorn's own worker."""
    folder = make_folder(running)
    (folder / "body").write_bytes(Client(service).read().content)
    no_settings = folder / "no_settings.py"  # otherwise gunicorn would read the service's
    no_settings.touch()
    options = ("--config", str(no_settings), "--worker-class", "gthread", "--threads", "4")
    environ = {"BENCH_FOLDER": str(folder), "BENCH_KEY": service.public_key}
    server = running.enter_context(run_gunicorn(environ, *options, app=app))
    return Server(
        name=name,
        port=server.port,
        pid=server.pid,
        page_id=service.page_id,
        public_key=service.public_key,
    )


def start_isso(running: ExitStack) -> Server:
    """Serve a thread of comments with the gunicorn command from Isso's docs.

    Raises Unavailable.
    """
    programs = _install(ISSO, f"gunicorn=={importlib.metadata.version('gunicorn')}")
    folder, port = make_folder(running), find_free_port()
    settings = folder / "isso.cfg"
    settings.write_text(_ISSO_SETTINGS.format(folder=folder, port=port))
    options = ["-b", f"127.0.0.1:{port}", "-w", "4", "--preload", "-e", f"ISSO_SETTINGS={settings}"]
    isso = _start(running, "Isso", port, [programs / "gunicorn", *options, "isso.run"], folder)
    for _ in range(WALLETS):
        write_comment("/a-page/", Client(isso))
    return isso


def write_comment(thread: str, client: Client) -> None:
    comment = {"text": "A comment of **one** sentence.", "author": "Visitor", "title": "A page"}
    for _ in range(9):  # Isso answers 500 while its database is locked
        with suppress(WrongAnswer):
            client.send("POST", f"/new?uri={thread}", headers={}, json=comment, status=201)
            return
    raise WrongAnswer("Isso took no comment.")


def start_datasette(running: ExitStack) -> Server:
    """Serve a table of wallets. Raises Unavailable."""
    programs = _install(DATASETTE)
    folder, port = make_folder(running), find_free_port()
    rows = [
        (
            number,
            make_address(number),
            f"Wallet number {number}",
            TAGS[number % 2],
            1000.25 * number,
        )
        for number in range(WALLETS)
    ]
    with closing(sqlite3.connect(folder / "tracking.db")) as database, database:
        database.execute("CREATE TABLE wallet (number INTEGER, address, alias, tag, balance)")
        database.executemany("INSERT INTO wallet VALUES (?, ?, ?, ?, ?)", rows)
    command = ("serve", "tracking.db", "--port", str(port))
    return _start(running, "datasette", port, [programs / "datasette", *command], folder)


def _start(
    running: ExitStack, name: str, port: int, command: list[str | Path], folder: Path
) -> Server:
    server = servers.Server(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    running.callback(server.end, server.process.terminate)
    wait_until(lambda: is_listening(port), server.process)
    return Server(name=name, port=port, pid=server.process.pid)


def _install(*requirements: str) -> Path:
    """Return the program folder of a virtual environment, which is kept for the next time.

    Raises Unavailable if the package index can't be reached.
    """
    folder = Path.home() / ".cache/tracking-embed-bench" / requirements[0]
    venv = [sys.executable, "-m", "venv", folder]
    install = [folder / "bin/python", "-m", "pip", "install", "--quiet", *requirements]
    try:
        for command in (venv, install):
            subprocess.run(command, check=True, capture_output=True)
    except subprocess.CalledProcessError:
        raise Unavailable(f"pip could not install {' and '.join(requirements)}") from None
    return folder / "bin"
