"""The service that the demo shows: gunicorn as a process of its own."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import click

import embed
from embed.outbound.http import Client, RequestFailed
from embed.outbound.reach import Reach
from embed.settings import PROJECT_DIR

START_LIMIT_S = 30


def listen(port: int, option: str) -> socket.socket:
    """Raises click.ClickException if something listens there already."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise click.ClickException(
            f"Port {port} cannot be used ({error.strerror}); choose another with {option}."
        ) from None


@contextmanager
def run_service(
    listener: socket.socket, environ: Mapping[str, str], lock: int | None
) -> Iterator[subprocess.Popen[bytes]]:
    """Start gunicorn on a socket with these variables, and stop it however the demo ends.

    It inherits the descriptor `lock`, and its process id is written there.
    """
    options = [
        "--config",
        str(PROJECT_DIR / "gunicorn.conf.py"),
        "--bind",
        f"fd://{listener.fileno()}",
        "--log-level",
        "warning",
    ]
    server = subprocess.Popen(  # noqa: S603 -- our own command line
        [sys.executable, "-m", "gunicorn", "embed.factory:create_demo_app()", *options],
        cwd=Path(embed.__path__[0]).parent,  # where it is found
        env={**environ, "WEB_CONCURRENCY": "1"},  # it counts its limits in memory
        # Ctrl-C goes to a whole process group. A worker of gunicorn that gets it besides its
        # arbiter's signal may deadlock, and is killed only after the graceful timeout of 30 s.
        process_group=0,
        pass_fds=[listener.fileno()] if lock is None else [listener.fileno(), lock],
    )
    listener.close()  # now it is closed, and connections to it fail, when gunicorn ends
    if lock is not None:
        os.write(lock, str(server.pid).encode())
    try:
        yield server
    except KeyboardInterrupt:
        pass
    finally:
        server.terminate()
        server.wait()


def check_started(url: str) -> None:
    """Wait for the first answer of a server. Raises click.ClickException if there is none."""
    try:
        with closing(Client(Reach.ANY)) as client:
            client.request(
                "GET", f"{url}/healthz", headers={}, timeout_s=START_LIMIT_S, max_bytes=1024
            )
    except RequestFailed:
        raise click.ClickException("gunicorn could not start; the reason is above.") from None
