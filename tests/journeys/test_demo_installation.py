"""The command that flask demo prints reads its page, in any folder and without a virtualenv."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.demo_process import read_until, run_demo
from support.servers import (
    PROJECT_DIR,
    find_free_port,
)

pytestmark = pytest.mark.slow

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
