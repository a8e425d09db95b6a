"""deploy/embed-flask: commands with the service's settings, as its user, from any folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from deploy_files import DEPLOY_DIR
from support.absence import skip_or_fail
from support.servers import PROJECT_DIR, clean_environ

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user"),
]


@pytest.fixture
def run(tmp_path):
    """Run the script where /etc/embed.env and /srv/embed are the service's."""
    if shutil.which("bwrap") is None:
        skip_or_fail("bubblewrap is missing: apt-get install bubblewrap")
    etc, srv, work = tmp_path / "etc", tmp_path / "srv", tmp_path / "work"
    for folder in (etc, srv / "embed" / "instance", work):
        folder.mkdir(parents=True)
    for name in ("pam.d", "security", "nsswitch.conf", "group", "login.defs", "ld.so.cache"):
        source = Path("/etc", name)
        if source.is_dir():
            shutil.copytree(source, etc / name)
        elif source.exists():
            shutil.copy(source, etc / name)
    # It is root by another name, as the project may be where nobody else may look.
    root = "root:x:0:0::/root:/bin/sh\nembed:x:0:0::/srv/embed:/usr/sbin/nologin\n"
    (etc / "passwd").write_text(root)
    (etc / "shadow").write_text("root:*:1::::::\nembed:*:1::::::\n")
    (etc / "embed.env").write_text(
        "INSTANCE_DIR=/srv/embed/instance\nLIMIT_PER_IP='7/10 minutes'\n"
    )
    (srv / "embed" / ".venv").symlink_to(sys.prefix)
    (srv / "embed" / "embed").symlink_to(PROJECT_DIR / "embed")

    def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
        binds = ["--dev-bind", "/", "/", "--bind", str(etc), "/etc", "--bind", str(srv), "/srv"]
        return subprocess.run(
            ["bwrap", *binds, DEPLOY_DIR / "embed-flask", *arguments],
            cwd=work,
            env=clean_environ(),
            capture_output=True,
            text=True,
        )

    return run_script


def test_commands_have_the_settings_of_the_service_and_stay_in_the_folder(run, tmp_path):
    upgraded = run("db", "upgrade")
    saved = run("backup", "saved backup.db")
    wrong = run("owners", "create", "not an address")

    assert upgraded.returncode == 0, upgraded.stderr
    assert (tmp_path / "srv/embed/instance/embed.db").exists()
    assert saved.returncode == 0, saved.stderr
    assert (tmp_path / "work" / "saved backup.db").exists()
    assert "LIMIT_PER_IP 7/10 minutes" in run("doctor", "--support").stdout
    assert wrong.returncode == 1
    assert wrong.stderr == "Error: 'not an address' isn't an email address.\n"
