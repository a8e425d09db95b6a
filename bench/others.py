"""What the service is compared with: bare Flask, Isso and datasette, each as its docs run it."""

import importlib.metadata
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from support.servers import (
    Server,
    Unavailable,
    clean_environ,
    find_free_port,
    is_listening,
    wait_until,
)

from bench.load import Request, load_by_clients, load_with
from bench.measures import Subject
from bench.running import Running
from bench.service import TAGS, Served, make_address, serve
from bench.visitors import Client, check

ISSO, DATASETTE = "isso==0.14.0", "datasette==0.65.5"
ROWS = 100  # comments, and wallets in datasette's table
ISSO_THREAD = "/a-page/"
_THREAD_QUERY = urlencode({"uri": ISSO_THREAD})
# Its own limits would refuse the third comment of a minute. All else is its default.
_ISSO_SETTINGS = """
[general]
dbpath = {folder}/comments.db
host = http://127.0.0.1:{port}
[guard]
ratelimit = 1000000000
direct-reply = 1000000000
"""
_DATASETTE_QUERY = "SELECT * FROM wallet ORDER BY number"


@contextmanager
def serve_bare_flask(folder: Path, bodies: dict[str, bytes], worker: str) -> Iterator[Served]:
    """Serve bare_flask.py by a worker of gunicorn's; `bodies` are the pages by their ids."""
    (folder / "bodies").mkdir()
    for page_id, body in bodies.items():
        (folder / "bodies" / page_id).write_bytes(body)
    no_settings = folder / "no_settings.py"  # or gunicorn would read the service's
    no_settings.touch()
    environ = {"BENCH_BODIES": f"{folder}/bodies", "BENCH_DATABASE": f"{folder}/bare.db"}
    options = ("--config", str(no_settings), "--worker-class", worker, "--threads", "4")
    # The service's worker has no socket that the system could send a file to.
    with serve(environ, *options, "--no-sendfile", app="bench.bare_flask:app") as served:
        yield served


@contextmanager
def serve_isso(folder: Path) -> Iterator[Served]:
    """Serve a thread of comments, by the command of Isso's docs for gunicorn.

    Raises Unavailable.
    """
    programs = install(ISSO, f"gunicorn=={importlib.metadata.version('gunicorn')}")
    port = find_free_port()
    settings, comments = folder / "isso.cfg", folder / "comments.json"
    settings.write_text(_ISSO_SETTINGS.format(folder=folder, port=port))
    comments.write_text(json.dumps([_describe_thread()]))
    isso = [programs / "isso", "-c", settings]
    subprocess.run([*isso, "import", "-t", "generic", comments], check=True, capture_output=True)
    command = [programs / "gunicorn", "-b", f"127.0.0.1:{port}", "-w", "4", "--preload"]
    with _run([*command, "isso.run"], port, {"ISSO_SETTINGS": str(settings)}, folder) as served:
        yield served


def _describe_thread() -> dict[str, object]:
    comments = [
        {
            "id": number,
            "author": f"Visitor {number}",
            "email": "",
            "website": "",
            "created": "2026-01-02 03:04:05",
            "remote_addr": f"192.0.2.{number}",
            "text": f"A comment of **one** sentence, number {number}.",
        }
        for number in range(1, ROWS + 1)
    ]
    return {"id": ISSO_THREAD, "title": "A page", "comments": comments}


@contextmanager
def serve_datasette(folder: Path) -> Iterator[Served]:
    """Serve a canned query of a table of wallets. Raises Unavailable."""
    programs = install(DATASETTE)
    with sqlite3.connect(folder / "tracking.db") as database:
        database.execute("CREATE TABLE wallet (number INTEGER, address, alias, tags, balance)")
        database.executemany(
            "INSERT INTO wallet VALUES (?, ?, ?, ?, ?)",
            (
                (
                    number,
                    make_address(number),
                    f"Wallet number {number}",
                    ",".join(TAGS[: number % 3]),
                    f"{1000.25 * number}",
                )
                for number in range(ROWS)
            ),
        )
    database.close()
    metadata = folder / "metadata.json"
    queries = {"page": {"sql": _DATASETTE_QUERY}}
    metadata.write_text(json.dumps({"databases": {"tracking": {"queries": queries}}}))
    port = find_free_port()
    command = [programs / "datasette", "serve", folder / "tracking.db", "-m", metadata]
    with _run([*command, "--port", str(port)], port, {}, folder) as served:
        yield served


@contextmanager
def _run(
    command: Sequence[str | Path], port: int, environ: dict[str, str], folder: Path
) -> Iterator[Served]:
    with (folder / "log").open("wb") as log:
        server = Server(command, cwd=folder, env=clean_environ() | environ, stdout=log, stderr=log)
        try:
            wait_until(lambda: is_listening(port), server.process)
            yield Served(port, server.process.pid)
        finally:
            server.end(server.process.terminate)


def install(*requirements: str) -> Path:
    """Return the folder of a virtual environment's programs, which is kept for the next time.

    Raises Unavailable if the package index cannot be reached.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "tracking-embed-bench" / requirements[0]
    installed = folder / "installed"
    if not installed.exists():
        shutil.rmtree(folder, ignore_errors=True)
        python = folder / "bin/python"
        try:
            for command in (
                [sys.executable, "-m", "venv", folder],
                [python, "-m", "pip", "install", "--quiet", *requirements],
            ):
                subprocess.run(command, check=True, capture_output=True)
        except subprocess.CalledProcessError:
            raise Unavailable(f"pip could not install {' and '.join(requirements)}") from None
        installed.touch()
    return folder / "bin"


def list_other_reads(running: Running) -> list[Subject]:
    """Return the reads of JSON by Isso and datasette, as far as these can be installed."""
    subjects = []
    isso = running.try_to_enter("Isso", serve_isso(running.make_folder()))
    if isso is not None:
        request = Request(f"/?{_THREAD_QUERY}&plain=1")
        subjects.append(Subject("Isso, plain=1", isso, load_with(request, isso.port)))
    datasette = running.try_to_enter("datasette", serve_datasette(running.make_folder()))
    if datasette is not None:
        request = Request("/tracking/page.json?_shape=array")
        subjects.append(
            Subject("datasette, canned query", datasette, load_with(request, datasette.port))
        )
    return subjects


def list_other_pages(running: Running) -> list[Subject]:
    """Return what renders a list as HTML: Isso's comments, whose Markdown it renders each time."""
    isso = running.try_to_enter("Isso", serve_isso(running.make_folder()))
    if isso is None:
        return []
    return [Subject("Isso, by default", isso, load_with(Request(f"/?{_THREAD_QUERY}"), isso.port))]


def list_other_writes(running: Running) -> list[Subject]:
    isso = running.try_to_enter("Isso", serve_isso(running.make_folder()))
    if isso is None:
        return []
    return [Subject("Isso, a comment", isso, load_by_clients(write_comment, isso.port))]


def write_comment(client: Client) -> None:
    path = f"/new?{_THREAD_QUERY}"
    body = json.dumps({"text": "A comment of **one** sentence.", "author": "Visitor"})
    check(client.send("POST", path, {"Content-Type": "application/json"}, body), 201)
