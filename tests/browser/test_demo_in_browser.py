"""``flask demo`` with its test wallet, and docs/picture_page.py, which pictures its pages."""

import json
import re
import signal
import subprocess
import sys

import pytest
import requests
from embedded_page import HOW_TO_GET_ONE, find_browser, submit
from playwright.sync_api import expect
from support.absence import skip_or_fail
from support.demo_process import run_demo
from support.servers import PROJECT_DIR, clean_environ, find_free_port, run_flask

pytestmark = pytest.mark.browser


@pytest.fixture
def demo(tmp_path):
    """The document that the running command prints."""
    ports = ("--port", str(find_free_port()), "--host-port", str(find_free_port()))
    with run_demo({"INSTANCE_DIR": str(tmp_path)}, *ports, "--json") as command:
        yield json.loads(command.stdout.readline())
        command.send_signal(signal.SIGINT)
        command.wait()


def test_visitor_goes_from_connect_to_approved_with_the_demo_wallet(demo, context, page, tmp_path):
    context.clock.install()
    page.goto(demo["hostUrl"])
    widget = page.frame_locator("iframe")
    submit(widget, "Night heron", wallet="Demo wallet")
    own = widget.locator("#own-list > li")
    expect(own).to_contain_text("Night heron waiting for review")

    environ = {"INSTANCE_DIR": str(tmp_path / "demo")}
    which = ("list", demo["id"], "--status", "pending", "--json")
    listed = json.loads(run_flask("submissions", *which, environ=environ).stdout)
    (waiting,) = (one for one in listed if one["nickname"] == "Night heron")
    run_flask("submissions", "approve", waiting["id"], environ=environ)
    context.clock.fast_forward("00:11")

    expect(widget.locator("#own-list > .mine")).to_contain_text("Night heron")
    widget.get_by_role("searchbox").fill("heron")  # the last of the list
    expect(widget.locator("#wallets .wallet.mine")).to_contain_text("Night heron You")


def test_service_itself_has_no_demo_wallet(embedded_page):
    for url in (embedded_page.widget_url(), f"{embedded_page.service_url}/embed/sign"):
        assert "demo/" not in requests.get(url, timeout=10).text


def test_one_command_pictures_every_page_of_the_demo(playwright, tmp_path):
    browser = find_browser(playwright)
    if browser is None:
        skip_or_fail(HOW_TO_GET_ONE)
    command = [sys.executable, PROJECT_DIR / "docs/picture_page.py", "--quick", tmp_path]
    environ = clean_environ() | {"CHROMIUM": browser}
    subprocess.run(command, cwd=PROJECT_DIR, env=environ, check=True, capture_output=True)

    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    files = re.findall(r'<img [^>]*src="([^"]+)"', index)
    assert set(files) == {one.name for one in tmp_path.glob("*.png")}
    assert len(files) > 40
