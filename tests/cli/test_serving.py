"""flask serve starts gunicorn, and passes its options on."""

import os
import signal
import subprocess
import sys

import pytest
import requests
from support.remote import TIMEOUT_S
from support.servers import (
    PROJECT_DIR,
    Server,
    clean_environ,
    find_free_port,
    is_listening,
    wait_until,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("program", ["flask", "embed"])
def test_service_is_served_by_gunicorn_with_its_options(program, tmp_path):
    port, log = find_free_port(), tmp_path / "log"
    with log.open("w") as said:
        server = Server(
            [sys.executable, "-m", program, "serve", "--bind", f"127.0.0.1:{port}"],
            cwd=PROJECT_DIR,
            env=clean_environ() | {"INSTANCE_DIR": str(tmp_path / "data")},
            stderr=said,
        )
    try:
        wait_until(lambda: is_listening(port), server.process)
        url = f"http://127.0.0.1:{port}/readyz"
        wait_until(lambda: requests.get(url, timeout=TIMEOUT_S).ok, server.process)
        assert {"embed.db", "secret_key"} <= {path.name for path in (tmp_path / "data").iterdir()}
        server.process.send_signal(signal.SIGUSR2)  # starts a second one beside it
        wait_until(lambda: log.read_text().count("Booting worker") == 2, server.process)
    finally:
        server.end(lambda: os.killpg(server.process.pid, signal.SIGKILL))  # both
    assert "Traceback" not in log.read_text()


def test_key_that_cannot_be_used_is_one_line(tmp_path):
    (tmp_path / "secret_key").mkdir()

    ended = subprocess.run(
        [sys.executable, "-m", "gunicorn", "app:app"],
        cwd=PROJECT_DIR,
        env=clean_environ() | {"INSTANCE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=30,
    )

    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"Error: SECRET_KEY is not set, and {tmp_path / 'secret_key'} cannot be")
