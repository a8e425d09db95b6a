"""flask demo has an installation of its own, and the command that it prints reads its page."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from support.demo_process import read_until, run_demo
from support.remote import TIMEOUT_S, TOKEN
from support.servers import (
    PROJECT_DIR,
    Server,
    clean_environ,
    find_free_port,
    is_listening,
    wait_until,
)

pytestmark = pytest.mark.slow

PARTS = ("app.py", "gunicorn.conf.py", "embed", "templates", "static", "translations")
FLASK = ".venv/bin/flask"
# A shell in which no virtualenv is active.
BARE = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


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


def run(folder: Path, *command: str) -> str:
    return subprocess.run(
        command, cwd=folder, env=clean_environ(), check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def choose_ports() -> tuple[str, ...]:
    return ("--port", str(find_free_port()), "--host-port", str(find_free_port()))


def make_page(folder: Path) -> str:
    run(folder, FLASK, "db", "upgrade")
    return json.loads(run(folder, FLASK, "pages", "create", *TOKEN, "--json"))["id"]


def list_pages(folder: Path) -> list[str]:
    return [page["id"] for page in json.loads(run(folder, FLASK, "pages", "list", "--json"))]


@contextmanager
def run_real_service(folder: Path) -> Iterator[str]:
    port = find_free_port()
    server = Server(
        [".venv/bin/gunicorn", "app:app", "--bind", f"127.0.0.1:{port}", "--log-level=warning"],
        cwd=folder,
        env=clean_environ(),
    )
    try:
        wait_until(lambda: is_listening(port), server.process)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.end(server.process.terminate)


def test_demo_runs_beside_the_real_service(clone):
    page_id = make_page(clone)
    created = json.loads(run(clone, FLASK, "keys", "create", page_id, "--tier=secret", "--json"))

    def read_real_page(url: str) -> dict:
        return requests.get(
            f"{url}/api/embed/tracking/{page_id}",
            headers={"Authorization": f"Bearer {created['key']}"},
            timeout=TIMEOUT_S,
        ).json()

    with run_real_service(clone) as url:
        before = read_real_page(url)
        with run_demo({}, *choose_ports(), "--json", program=[FLASK], folder=clone) as demo:
            shown = json.loads(demo.stdout.readline())

            assert requests.get(shown["widgetUrl"], timeout=TIMEOUT_S).status_code == 200
            assert requests.get(shown["dashboardUrl"], timeout=TIMEOUT_S).status_code == 200
            assert read_real_page(url) == before
        assert list_pages(clone) == [page_id]
    keys = [clone / "instance" / folder / "secret_key" for folder in (".", "demo")]
    assert keys[0].read_text() != keys[1].read_text()


def list_commands(told: str) -> list[str]:
    """Return every command in what the demo prints: all lines that name one of these programs."""
    lines = [line for line in told.splitlines() if re.search(r"\b(flask|curl)\b", line)]
    return [re.fullmatch(r"[A-Z][a-z ]+: +(.+)", line)[1] for line in lines]


def test_printed_command_works_as_printed(clone, tmp_path):
    environ = {
        "INSTANCE_DIR": str(tmp_path / "given $(x)"),
        "FIRST_OWNER": "someone@example.com",  # of the real service
    }
    with run_demo(environ, *choose_ports(), program=[FLASK], folder=clone) as demo:
        told = read_until(demo, "Open the site")
        assert "someone@example.com" not in told
        (command,) = list_commands(told)
        page = run_bare(command, clone)

    assert json.loads(page)["tokenSymbol"] == "DEMO"


def run_bare(command: str, folder: Path) -> str:
    """Run a command in a shell without the virtualenv."""
    assert shutil.which("flask", path=BARE["PATH"]) is None
    ended = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=BARE, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
