"""``flask demo`` with its test wallet."""

import json
import signal

import pytest
import requests
from embedded_page import submit
from playwright.sync_api import expect
from support.demo_process import run_demo
from support.servers import find_free_port, run_flask

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
