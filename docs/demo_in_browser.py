"""The running demo, as the scripts that take pictures see it."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, FrameLocator, Page, sync_playwright

PROJECT_DIR = Path(__file__).resolve().parent.parent


@contextmanager
def run_demo(ports: tuple[int, int] | None = None) -> Iterator[dict[str, str]]:
    """Run `flask demo` on a database of its own, by default on free ports; yield what it prints."""
    port, site_port = ports or (_find_free_port(), _find_free_port())
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "flask", "demo", "--json"]
        options = ["--port", str(port), "--host-port", str(site_port)]
        environ = os.environ | {
            "INSTANCE_DIR": folder,
            "LIMIT_PER_IP": "100000/minute",
            "LIMIT_IP_SUBMISSIONS": "1000/minute",
        }
        server = subprocess.Popen(  # noqa: S603 -- our own command line
            [*command, *options], cwd=PROJECT_DIR, env=environ, stdout=subprocess.PIPE
        )
        try:
            yield json.loads(server.stdout.readline())
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()


@contextmanager
def start_browser() -> Iterator[Browser]:
    """Start the Chromium that CHROMIUM names, an installed one, or Playwright's own."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def open_site(page: Page, demo: dict[str, str]) -> FrameLocator:
    """Open the demo's site and return the widget in it, once its script is ready."""
    page.goto(demo["hostUrl"])
    widget = page.frame_locator("iframe")
    widget.locator("#widget[data-ready]").wait_for()
    return widget


def choose_password(page: Page) -> None:
    """Follow the owner's one-time link to the end."""
    password = secrets.token_urlsafe()
    for field in page.locator("input[type=password]").all():
        field.fill(password)
    page.locator("form:has(input[type=password]) button.primary").click()
    page.locator(".pages th a").first.wait_for()


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
