"""``flask demo`` with its test wallet, and docs/picture_page.py, which pictures its pages."""

import json
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from embedded_page import HOW_TO_GET_ONE, find_browser, submit
from playwright.sync_api import expect
from support.absence import skip_or_fail
from support.demo_process import run_demo
from support.servers import PROJECT_DIR, clean_environ, find_free_port, run_flask

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def demo_folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo_environ(demo_folder):
    """The settings with which commands use the demo's database."""
    return {"INSTANCE_DIR": str(demo_folder / "demo")}


@pytest.fixture(scope="module")
def demo(demo_folder):
    """The document that the running command prints."""
    ports = ("--port", str(find_free_port()), "--host-port", str(find_free_port()))
    with run_demo({"INSTANCE_DIR": str(demo_folder)}, *ports, "--json") as command:
        yield json.loads(command.stdout.readline())
        command.send_signal(signal.SIGINT)
        command.wait()


def test_visitor_goes_from_connect_to_approved_with_the_demo_wallet(
    demo, demo_environ, context, page
):
    context.clock.install()
    page.goto(demo["hostUrl"])
    widget = page.frame_locator("iframe")
    submit(widget, "Night heron", wallet="Demo wallet")
    own = widget.locator("#own-list > li")
    expect(own).to_contain_text("Night heron waiting for review")

    listed = run_flask(
        "submissions", "list", demo["id"], "--status", "pending", "--json", environ=demo_environ
    )
    (waiting,) = (one for one in json.loads(listed.stdout) if one["nickname"] == "Night heron")
    run_flask("submissions", "approve", waiting["id"], environ=demo_environ)
    context.clock.fast_forward("00:11")

    expect(widget.locator("#own-list > .mine")).to_contain_text("Night heron")
    widget.get_by_role("searchbox").fill("heron")  # the last of the list
    expect(widget.locator("#wallets .wallet.mine")).to_contain_text("Night heron You")


def test_test_wallet_is_the_same_after_a_reload(demo, page):
    def read_address() -> str:
        page.goto(demo["hostUrl"])
        widget = page.frame_locator("iframe")
        widget.get_by_role("button", name="Add your wallet").click()
        widget.get_by_role("button", name="Demo wallet").click()
        address = widget.locator("[data-show=address]")
        expect(address).not_to_be_empty()
        return address.text_content()

    assert read_address() == read_address()


def test_wallet_that_holds_too_little_learns_so_before_it_is_asked_for_a_name(
    demo, demo_environ, page
):
    options = ("--status", "soft_rejected", "--json")
    refused = run_flask("submissions", "list", demo["id"], *options, environ=demo_environ)
    page.goto(demo["hostUrl"])
    widget = page.frame_locator("iframe")
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_text("By hand").click()
    widget.get_by_label("Wallet address").fill(json.loads(refused.stdout)[0]["walletAddress"])
    widget.get_by_role("button", name="Continue", exact=True).click()

    expect(widget.get_by_role("heading", name="Not added")).to_be_visible()
    expect(widget.locator("#flow")).to_contain_text("this wallet holds 0")
    widget.get_by_role("button", name="Use another wallet").click()
    expect(widget.get_by_label("Wallet address")).to_be_visible()


def test_service_itself_has_no_demo_wallet(embedded_page, page):
    widget = embedded_page.open(page)
    widget.get_by_role("button", name="Add your wallet").click()

    expect(widget.get_by_text("No wallet found here.")).to_be_visible()
    for url in (embedded_page.widget_url(), f"{embedded_page.service_url}/embed/sign"):
        assert "demo/" not in requests.get(url, timeout=10).text


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
