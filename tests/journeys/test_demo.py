"""flask demo: one command that shows the whole service."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import requests
from support.demo_process import read_until, run_demo
from support.remote import TIMEOUT_S, make_environ
from support.servers import PROJECT_DIR, find_free_port, is_listening, run_flask

from embed.db.connection import make_database

pytestmark = pytest.mark.slow


def read(url: str, key: str, **headers: str) -> requests.Response:
    headers["Authorization"] = f"Bearer {key}"
    return requests.get(url, headers=headers, timeout=TIMEOUT_S)


def list_addresses(payload: dict) -> list[str]:
    return [wallet["address"] for wallet in payload["wallets"]]


@pytest.mark.databases("sqlite", "postgres")
def test_demo_serves_what_it_prints_until_it_is_ended_and_renews_its_keys(
    empty_database_url, tmp_path
):
    real = {"METRICS_BIND": "127.0.0.1:1", "RATELIMIT_STORAGE_URI": "redis://127.0.0.1:1"}
    environ = make_environ(empty_database_url, INSTANCE_DIR=str(tmp_path), **real)
    port, host_port = find_free_port(), find_free_port()
    ports = ("--port", str(port), "--host-port", str(host_port))
    with run_demo(environ, *ports, "--json") as demo:
        shown = json.loads(demo.stdout.readline())

        widget = requests.get(shown["widgetUrl"], timeout=TIMEOUT_S)
        assert widget.status_code == 200
        assert "embed_session=" in widget.headers["Set-Cookie"]
        payload = read(shown["apiUrl"], shown["secretKey"]).json()
        assert payload["tokenSymbol"] == "DEMO"
        assert shown["walletAddress"] in list_addresses(payload)
        site = shown["hostUrl"]
        for_browsers = read(shown["apiUrl"], shown["publicKey"], Origin=site).json()
        assert list_addresses(for_browsers) == list_addresses(payload)  # the balances change
        assert requests.get(site, timeout=TIMEOUT_S).status_code == 200
        assert f"/tracking/{shown['id']}" in shown["apiUrl"]
        signs_in = requests.get(shown["dashboardUrl"], timeout=TIMEOUT_S)
        reviews = requests.get(shown["reviewerUrl"], timeout=TIMEOUT_S)
        assert signs_in.status_code == 200
        assert "demo@localhost" in signs_in.text
        assert "reviewer@localhost" in reviews.text

        os.killpg(demo.pid, signal.SIGINT)  # what Ctrl-C does
        assert demo.wait(TIMEOUT_S) == 0
        assert demo.stdout.read() == ""
        assert not is_listening(port)
        assert not is_listening(host_port)

    # It has one process, whatever the real service has.
    with run_demo(environ | {"WEB_CONCURRENCY": "4"}, *ports) as demo:
        told = read_until(demo, "Open the site")

        assert '{"error": "ca_gate_failed", "balance": 0, "minBalance": 100}' in told
        links = re.findall(r"http://\S+/dashboard/password/\S+", told)
        on_site = requests.get(site, timeout=TIMEOUT_S).text
        for link, email in zip(links, ("demo@localhost", "reviewer@localhost"), strict=True):
            assert email in requests.get(link, timeout=TIMEOUT_S).text
            assert f'href="{link}"' in on_site
        assert f"The page {shown['id']} " in told  # the one of the first run
        assert shown["secretKey"] not in told
        for key in (shown["publicKey"], shown["secretKey"]):
            answer = read(shown["apiUrl"], key, Origin=site)
            assert (answer.status_code, answer.json()) == (401, {"error": "revoked_key"})

        demo.terminate()
        assert demo.wait(TIMEOUT_S) == 0
        assert not is_listening(port)

    with closing(make_database(empty_database_url)) as database:
        assert database.get_tables() == []
    assert [file.name for file in tmp_path.iterdir()] == ["demo"]


def test_demo_on_a_taken_port_says_so_in_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        environ = {"INSTANCE_DIR": str(tmp_path)}

        ended = run_flask("demo", "--port", str(port), environ=environ, check=False)

    assert ended.returncode == 1
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"Error: Port {port} cannot be used")
    assert not [*tmp_path.iterdir()]


PARTS = ("app.py", "gunicorn.conf.py", "embed", "templates", "static", "translations")


@pytest.fixture
def clone(tmp_path) -> Path:
    """A copy of the project that nobody has started yet, in a folder whose name has a space."""
    folder = tmp_path / "my project"
    folder.mkdir()
    for part in PARTS:
        source = PROJECT_DIR / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, folder / part)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def test_printed_command_works_as_printed(clone, tmp_path):
    environ = {
        "INSTANCE_DIR": str(tmp_path / "given $(x)"),
        "FIRST_OWNER": "someone@example.com",  # of the real service
    }
    ports = ("--port", str(find_free_port()), "--host-port", str(find_free_port()))
    bare = {"PATH": "/usr/local/bin:/usr/bin:/bin"}  # no virtualenv is active
    assert shutil.which("flask", path=bare["PATH"]) is None
    with run_demo(environ, *ports, program=[".venv/bin/flask"], folder=clone) as demo:
        told = read_until(demo, "Open the site")
        assert "someone@example.com" not in told
        (command,) = re.findall(r"^[A-Z][a-z ]+: +(.*\b(?:flask|curl)\b.*)$", told, re.MULTILINE)
        ended = subprocess.run(
            ["sh", "-c", command], cwd=clone, env=bare, capture_output=True, text=True
        )

    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["tokenSymbol"] == "DEMO"
