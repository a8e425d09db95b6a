"""docs/picture_page.py, which pictures all pages of the demo for people to look through."""

import re
import struct
import subprocess
import sys

import pytest
from embedded_page import HOW_TO_GET_ONE, find_browser
from support.absence import skip_or_fail
from support.servers import PROJECT_DIR, clean_environ

pytestmark = pytest.mark.browser

SCRIPT = PROJECT_DIR / "docs" / "picture_page.py"


def read_width(png: bytes) -> int:
    """Return the width from the header of a PNG file."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">I", png[16:20])[0]


def test_one_command_takes_every_page_and_shows_all_on_one(playwright, tmp_path):
    browser = find_browser(playwright)
    if browser is None:
        skip_or_fail(HOW_TO_GET_ONE)
    command = [sys.executable, SCRIPT, "--quick", tmp_path]
    environ = clean_environ() | {"CHROMIUM": browser}
    subprocess.run(command, cwd=PROJECT_DIR, env=environ, check=True, capture_output=True)

    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    files = re.findall(r'<img [^>]*src="([^"]+)"', index)
    assert len(files) == len(set(files)) == len(list(tmp_path.glob("*.png"))) > 40
    for file in files:
        assert read_width((tmp_path / file).read_bytes()) == 320
    for name in ("list in a site", "sent", "signing window", "dashboard: queue", "front page"):
        assert f"<h2>{name}</h2>" in index
