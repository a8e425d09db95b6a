"""The service that the demo shows: gunicorn as a process of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import click

from embed.settings import PROJECT_DIR

START_LIMIT_S = 30


def check_free(port: int, option: str) -> None:
    """Raises click.ClickException if something listens there already."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise click.ClickException(
                f"Port {port} cannot be used ({error.strerror}); choose another with {option}."
            ) from None


@contextmanager
def run_service(
    port: int, environ: Mapping[str, str], lock: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run gunicorn with these variables, and stop it however the demo ends.

    It inherits the descriptor `lock`, and its process id is written there.
    """
    options = ["--bind", f"127.0.0.1:{port}", "--log-level", "warning"]
    arguments = ["gunicorn", "embed.factory:create_demo_app()", *options]
    server = subprocess.Popen(  # noqa: S603 -- our own command line
        [sys.executable, "-m", *arguments],
        cwd=PROJECT_DIR,
        env={**environ, "WEB_CONCURRENCY": "1"},  # it counts its limits in memory
        # Ctrl-C goes to a whole process group. A worker of gunicorn that gets it besides its
        # arbiter's signal may deadlock, and is killed only after the graceful timeout of 30 s.
        process_group=0,
        pass_fds=() if lock is None else (lock,),
    )
    if lock is not None:
        os.write(lock, str(server.pid).encode())
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        _wait_until_served(server, port)
        yield server
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
        server.terminate()
        server.wait()


def _wait_until_served(server: subprocess.Popen[bytes], port: int) -> None:
    """Raises click.ClickException when the server ends or does not listen in time."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise click.ClickException("gunicorn could not start; the reason is above.")
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)  # nothing tells when gunicorn listens, so it is tried until the deadline
    raise click.ClickException(f"gunicorn did not listen on port {port} in {START_LIMIT_S} s.")
