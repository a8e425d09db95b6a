"""Take the pictures of the README and docs from the running demo: ``python docs/take_pictures.py``.

Needs requirements-dev.txt and a Chromium (CHROMIUM names one that is not on the PATH).
"""

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

from playwright.sync_api import Browser, FrameLocator, Locator, Page, sync_playwright

PROJECT_DIR = Path(__file__).resolve().parent.parent
PICTURES = Path(__file__).resolve().parent / "pictures"
WIDE = {"width": 760, "height": 900}
PHONE = {"width": 360, "height": 740}
DASHBOARD = {"width": 900, "height": 820}


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    browser_path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with run_demo() as demo, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        take_list(browser, demo, "widget-light", WIDE)
        take_list(browser, demo, "widget-dark", WIDE, is_dark=True)
        take_list(browser, demo, "widget-phone", PHONE)
        visitor = take_steps(browser, demo)
        take_dashboard(browser, demo)  # which approves the visitor
        take_proof(visitor)
        take_rights(visitor)
        take_signing_by_hand(browser, demo)
        browser.close()


@contextmanager
def run_demo() -> Iterator[dict[str, str]]:
    """Run `flask demo` on a database of its own; yield what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "flask", "demo", "--json"]
        ports = ["--port", str(find_free_port()), "--host-port", str(find_free_port())]
        environ = os.environ | {
            "DATABASE_URL": f"sqlite:///{folder}/embed.db",
            "SECRET_KEY": os.urandom(32).hex(),
        }
        server = subprocess.Popen(  # noqa: S603 -- our own command line
            [*command, *ports], cwd=PROJECT_DIR, env=environ, stdout=subprocess.PIPE
        )
        try:
            yield json.loads(server.stdout.readline())
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def open_site(browser: Browser, demo: dict[str, str], size: dict[str, int]) -> Page:
    page = browser.new_page(viewport=size, locale="en-US")
    page.goto(demo["hostUrl"])
    widget_of(page).locator("#widget[data-ready]").wait_for()
    return page


def widget_of(page: Page) -> FrameLocator:
    return page.frame_locator("iframe")


def take_list(
    browser: Browser, demo: dict[str, str], name: str, size: dict[str, int], is_dark: bool = False
) -> None:
    page = open_site(browser, demo, size)
    if is_dark:
        page.get_by_role("button", name="Light or dark").click()
        widget_of(page).locator("html[data-theme=dark]").wait_for()
    page.mouse.move(0, 0)
    widget_of(page).locator("svg.line").first.wait_for()  # a line of balances
    save(page, name)


def take_steps(browser: Browser, demo: dict[str, str]) -> Page:
    page = open_site(browser, demo, {"width": 620, "height": 900})
    widget = widget_of(page)
    flow = widget.locator("#flow")
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name="Use Demo wallet").wait_for()
    save(flow, "step-connect")
    widget.get_by_role("button", name="Use Demo wallet").click()
    widget.get_by_label("Name to show on the list").fill("Night heron")
    save(flow, "step-name")
    widget.get_by_role("button", name="Continue", exact=True).click()
    widget.get_by_role("button", name="Sign and send").wait_for()
    save(flow, "step-sign")
    widget.get_by_role("button", name="Sign and send").click()
    widget.get_by_text("waits for review").wait_for()
    save(flow, "step-done")
    return page


def take_proof(visitor: Page) -> None:
    """Take the row of the approved visitor, with its proof."""
    row = widget_of(visitor).locator(".wallet", has_text="Night heron")
    row.get_by_role("button", name="proved").click()
    row.get_by_text("Signing is free.").wait_for()
    save(row, "proof")


def take_rights(visitor: Page) -> None:
    """Take what the page keeps of the visitor's wallet, and the text that withdraws it."""
    widget = widget_of(visitor)
    flow = widget.locator("#flow")
    widget.get_by_role("button", name="See or withdraw what this page keeps").click()
    widget.get_by_role("button", name="Use Demo wallet").click()
    widget.get_by_role("button", name="Sign and send").click()
    widget.get_by_role("button", name="Withdraw", exact=True).wait_for()
    save(flow, "rights-records")
    widget.get_by_role("button", name="Withdraw", exact=True).click()
    widget.locator("[data-show=message]", has_text="to withdraw it from a page").wait_for()
    save(flow, "rights-withdraw")


def take_signing_by_hand(browser: Browser, demo: dict[str, str]) -> None:
    page = open_site(browser, demo, {"width": 620, "height": 1700})
    widget = widget_of(page)
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_text("Sign by hand").click()
    widget.get_by_label("Wallet address").fill("9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM")
    widget.get_by_role("button", name="Continue", exact=True).click()
    widget.get_by_label("Name to show on the list").fill("Night heron")
    widget.get_by_role("button", name="Continue", exact=True).click()
    widget.get_by_text("solana sign-offchain-message").wait_for()
    save(widget.locator("#flow"), "step-by-hand")


def take_dashboard(browser: Browser, demo: dict[str, str]) -> None:
    page = browser.new_page(viewport=DASHBOARD, locale="en-US", timezone_id="UTC")
    page.goto(demo["dashboardUrl"])
    password = secrets.token_urlsafe()
    page.get_by_label("New password").fill(password)
    page.get_by_label("Repeat the new password").fill(password)
    page.get_by_role("button", name="Set password").click()
    page.locator(".cards h2 a").first.click()
    page.get_by_role("button", name="Approve Night heron").click()
    page.get_by_role("button", name="Undo").wait_for()
    page.mouse.move(0, 0)
    save(page, "dashboard-queue")
    page.get_by_role("link", name="Notifications", exact=True).click()
    page.get_by_role("heading", name="Channels").wait_for()
    save(page, "dashboard-notifications")
    page.get_by_role("link", name="Wallets", exact=True).click()
    page.get_by_role("heading", name="Wallets").wait_for()
    save(page, "dashboard-wallets")
    page.emulate_media(color_scheme="dark")
    save(page, "dashboard-wallets-dark")


def save(what: Page | Locator, name: str) -> None:
    path = PICTURES / f"{name}.png"
    what.screenshot(path=path, animations="disabled")
    print(f"{path.relative_to(PROJECT_DIR)}: {path.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
