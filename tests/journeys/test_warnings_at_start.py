"""What the server says about settings that work and are not wise."""

import pytest
import requests
from support.remote import TIMEOUT_S, make_environ
from support.servers import find_free_port, run_gunicorn

pytestmark = pytest.mark.slow

WARNING = "PUBLIC_URL is not set"


@pytest.fixture
def said(emptied_database_url, tmp_path, capfd):
    def start(*arguments: str, **variables: str) -> str:
        with run_gunicorn(make_environ(emptied_database_url, **variables), *arguments) as server:
            # A worker that is told to end before it listens for signals would be waited for.
            requests.get(f"{server.url}/healthz", timeout=TIMEOUT_S)
        return capfd.readouterr().err

    return start


def test_service_that_others_reach_without_a_public_url_is_warned_about(said):
    assert WARNING in said("--bind", f"0.0.0.0:{find_free_port()}")


def test_service_that_only_its_machine_reaches_is_not(said, tmp_path):
    ports = [f"localhost:{find_free_port()}", f"unix:{tmp_path / 'socket'}"]

    assert WARNING not in said(*(part for port in ports for part in ("--bind", port)))
