"""flask serve starts gunicorn, and passes its options on."""

import sys

import pytest
import requests
from remote import TIMEOUT_S
from servers import PROJECT_DIR, Server, clean_environ, find_free_port, is_listening, wait_until

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("program", ["flask", "embed"])
def test_service_is_served_by_gunicorn_with_its_options(program, tmp_path):
    port = find_free_port()
    server = Server(
        [sys.executable, "-m", program, "serve", "--bind", f"127.0.0.1:{port}"],
        cwd=PROJECT_DIR,
        env=clean_environ() | {"INSTANCE_DIR": str(tmp_path / "data")},
    )
    try:
        wait_until(lambda: is_listening(port), server.process)
        url = f"http://127.0.0.1:{port}/readyz"
        wait_until(lambda: requests.get(url, timeout=TIMEOUT_S).ok, server.process)
    finally:
        server.end(server.process.terminate)

    assert {"embed.db", "secret_key"} <= {path.name for path in (tmp_path / "data").iterdir()}
