"""Signing by hand: the command that the page shows, run by a real shell, and what it printed."""

import base64
import os
import stat
import subprocess
import sys
from pathlib import Path

import base58
import pytest
from embedded_page import BrowserWallet, read_text
from nacl.signing import SigningKey
from playwright.sync_api import FrameLocator, expect

from embed.db.models import Proof

pytestmark = pytest.mark.browser

FAKE = Path(__file__).with_name("fake_solana.py")


@pytest.fixture
def computer(tmp_path, browser_wallet):
    """A home directory with the wallet's key and a `solana` on the path."""
    return Computer(tmp_path / "a home", browser_wallet)


class Computer:
    def __init__(self, home: Path, wallet: BrowserWallet) -> None:
        self.home = home
        key_file = home / ".config/solana/id.json"
        key_file.parent.mkdir(parents=True)
        self.secret = bytes(wallet.key) + bytes(wallet.key.verify_key)
        key_file.write_text(str([*self.secret]))
        program = home / "bin/solana"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def run(self, command: str, *, shell="sh", **environment: str) -> str:
        path = f"{self.home / 'bin'}{os.pathsep}{os.environ['PATH']}"
        settings = {"HOME": str(self.home), "PATH": path, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [shell, "-c", command],
            env=settings | {"FAKE_SOLANA": "legacy-v0"} | environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout


def go_by_hand(widget, address: str, nickname="Night heron") -> str:
    """Go through the steps up to the message to sign, and return it."""
    if isinstance(widget, FrameLocator):  # the signing window has begun by itself
        widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_text("By hand").click()
    widget.get_by_label("Wallet address").fill(f"https://solscan.io/account/{address}?x")
    widget.get_by_role("button", name="Continue", exact=True).click()
    widget.get_by_label("Name to show on the list").fill(nickname)
    widget.get_by_role("button", name="Continue", exact=True).click()
    return read_text(widget)


def send(widget, signature: str) -> None:
    widget.get_by_label("Signature (base64 or base58)").fill(signature)
    widget.get_by_role("button", name="Send").click()


def find_proof(embedded_page, address: str) -> Proof:
    return Proof.get(Proof.submission == embedded_page.find_submission(address))


def read_command(widget) -> str:
    return widget.locator("[data-show=command]").text_content()


@pytest.mark.parametrize(
    ("shell", "form", "nickname", "extra"),
    [
        ("sh", "legacy-v0", "Night heron", {}),
        ("bash", "v0", "Nacht-Reiher ñ 夜鷺", {"FAKE_SOLANA_DEVICE": "1"}),
    ],
)
def test_command_on_the_page_signs_what_the_server_accepts(
    embedded_page, context, page, browser_wallet, computer, shell, form, nickname, extra
):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    widget = embedded_page.open(page)
    message = go_by_hand(widget, browser_wallet.address, nickname)
    assert f"\nName: {nickname}\n" in message

    widget.get_by_role("button", name="Copy the command").click()
    expect(widget.get_by_role("button", name="Copied")).to_be_visible()
    command = page.evaluate("navigator.clipboard.readText()")
    assert command == read_command(widget)
    send(widget, computer.run(command, shell=shell, FAKE_SOLANA=form, **extra))

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    proof = find_proof(embedded_page, browser_wallet.address)
    assert (proof.form, proof.message) == (form, message)


def test_text_is_signed_in_a_sandbox_that_sends_no_forms(embedded_page, page, browser_wallet):
    sandbox = "allow-scripts allow-same-origin"
    src = embedded_page.widget_url()
    page.goto(
        embedded_page.host.show(
            f'<iframe sandbox="{sandbox}" src="{src}" width="600" height="800"></iframe>'
        )
    )
    widget = page.frame_locator("iframe")
    message = go_by_hand(widget, browser_wallet.address, "First thought")
    widget.get_by_role("button", name="Back").click()
    widget.get_by_label("Name to show on the list").fill("Night heron")
    widget.get_by_label("Name to show on the list").press("Enter")
    message = read_text(widget)
    assert "\nName: Night heron\n" in message

    send(widget, base64.b64encode(browser_wallet.key.sign(message.encode()).signature).decode())
    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()


def test_text_stands_once_on_a_phone_and_its_command_is_opened_there(
    embedded_page, open_browser, browser_wallet
):
    phone = open_browser(has_touch=True, is_mobile=True, viewport={"width": 375, "height": 800})
    widget = embedded_page.open(phone)
    go_by_hand(widget, browser_wallet.address)
    shown = widget.get_by_text("asks for proof that you own this wallet").locator("visible=true")
    expect(shown).to_have_count(1)

    widget.get_by_text("With the Solana command line").click()
    expect(shown).to_have_count(2)


def test_text_is_exact_however_it_is_copied(embedded_page, context, page, browser_wallet):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    widget = embedded_page.open(page)
    message = go_by_hand(widget, browser_wallet.address, "Nacht-Reiher ñ")
    shown = widget.locator("[data-show=message]")
    assert shown.text_content() == message
    assert "\r" not in message
    assert message == message.strip()

    widget.get_by_role("button", name="Copy the text").click()
    expect(widget.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == message
    page.evaluate("navigator.clipboard.writeText('')")
    shown.evaluate("element => getSelection().selectAllChildren(element)")
    shown.press("ControlOrMeta+c")
    assert page.evaluate("navigator.clipboard.readText()") == message

    send(widget, base64.b64encode(browser_wallet.key.sign(message.encode()).signature).decode())
    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    assert find_proof(embedded_page, browser_wallet.address).form == "raw"


def test_command_follows_the_choice_of_shell_and_key(embedded_page, page, browser_wallet):
    widget = embedded_page.open(page)
    message = go_by_hand(widget, browser_wallet.address)
    begin = "solana sign-offchain-message -k"
    assert read_command(widget) == f"{begin} ~/.config/solana/id.json '{message}'"

    widget.get_by_label("Key: a file, or usb://ledger").fill("usb://ledger")
    assert read_command(widget) == f"{begin} usb://ledger '{message}'"
    widget.get_by_label("Command for").select_option("PowerShell")
    one_line = message.replace("\n", "`n")
    assert read_command(widget) == f'{begin} usb://ledger "{one_line}"'


def test_mistakes_are_explained_where_they_are_made(embedded_page, page, browser_wallet, computer):
    sent = []
    page.on("request", lambda request: sent.append(request.post_data or ""))
    widget = embedded_page.open(page)
    message = go_by_hand(widget, browser_wallet.address)
    field = widget.get_by_label("Signature (base64 or base58)")
    advice = widget.locator("#signature-problem")

    send(widget, message)
    expect(advice).to_contain_text("64 bytes")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    secret = base58.b58encode(computer.secret).decode()
    send(widget, secret)
    expect(advice).to_contain_text("This is a private key, not a signature. Nothing was sent.")
    expect(field).to_have_value("")
    assert not [body for body in sent if "signature" in body]
    field.press_sequentially("x")
    expect(advice).to_be_empty()

    other = SigningKey.generate()
    send(widget, base58.b58encode(other.sign(message.encode()).signature).decode())
    expect(widget.get_by_role("alert")).to_have_text(
        f"The signature doesn't match. Check that you used the key of {browser_wallet.address}"
        " and signed exactly this text."
    )
    expect(widget.get_by_role("button", name="Try again")).to_be_hidden()
    send(widget, computer.run(read_command(widget)))
    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    expect(widget.get_by_role("alert")).to_be_hidden()


def test_by_hand_in_the_signing_window_names_the_visitor_too(
    embedded_page, page, browser_wallet, computer
):
    widget = embedded_page.open(page)
    widget.get_by_role("button", name="Add your wallet").click()
    with page.expect_popup() as popup:
        widget.get_by_role("button", name="In a separate window").click()
    window = popup.value

    assert "\nName: Night heron\n" in go_by_hand(window, browser_wallet.address)
    with window.expect_event("close"):
        send(window, computer.run(read_command(window)))

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    assert find_proof(embedded_page, browser_wallet.address).form == "legacy-v0"
