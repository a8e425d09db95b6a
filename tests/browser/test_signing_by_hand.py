"""Signing by hand: the text and the command that the page shows, and what is pasted into it."""

import base64

import base58
import pytest
from embedded_page import BrowserWallet, read_text
from nacl.signing import SigningKey
from playwright.sync_api import FrameLocator, expect
from support.offchain_bytes import UTF8, Envelope

from embed.db.models import Proof

pytestmark = pytest.mark.browser


def sign(wallet: BrowserWallet, message: str, form: str) -> str:
    """Sign as `solana sign-offchain-message` does."""
    envelope = Envelope(form, message.encode(), (bytes(wallet.key.verify_key),), format=UTF8)
    return base58.b58encode(wallet.key.sign(bytes(envelope)).signature).decode()


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


@pytest.mark.parametrize("form", ["legacy-v0", "v0"])
def test_what_the_copied_command_prints_is_accepted(
    embedded_page, context, page, browser_wallet, form
):
    """tests/js runs the command in shells."""
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    widget = embedded_page.open(page)
    message = go_by_hand(widget, browser_wallet.address, "Nacht-Reiher ñ 夜鷺")
    widget.get_by_role("button", name="Copy the command").click()
    expect(widget.get_by_role("button", name="Copied")).to_be_visible()
    command = page.evaluate("navigator.clipboard.readText()")
    assert command == widget.locator("[data-show=command]").text_content()
    assert message in command
    widget.get_by_label("Key: a file, or usb://ledger").fill("usb://ledger")
    expect(widget.locator("[data-show=command]")).to_contain_text(f"-k usb://ledger '{message}'")
    widget.get_by_label("Command for").select_option("PowerShell")
    expect(widget.locator("[data-show=command]")).to_contain_text('-k usb://ledger "')

    printed = sign(browser_wallet, message, form)
    send(widget, f"Waiting for your approval on Ledger Nano X\n✅ Approved\n{printed}")
    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    proof = find_proof(embedded_page, browser_wallet.address)
    assert (proof.form, proof.message) == (form, message)


def test_text_is_signed_in_a_sandbox_that_sends_no_forms(
    embedded_page, open_site, page, browser_wallet
):
    src = embedded_page.widget_url()
    open_site(f'<iframe sandbox="allow-scripts allow-same-origin" src="{src}"></iframe>')
    widget = page.frame_locator("iframe")
    go_by_hand(widget, browser_wallet.address, "First thought")
    widget.get_by_role("button", name="Back").click()
    widget.get_by_label("Name to show on the list").fill("Night heron")
    widget.get_by_label("Name to show on the list").press("Enter")
    message = read_text(widget)
    send(widget, base64.b64encode(browser_wallet.key.sign(message.encode()).signature).decode())
    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()


def test_text_is_exact_however_it_is_copied(embedded_page, context, page, browser_wallet):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    widget = embedded_page.open(page)
    message = go_by_hand(widget, browser_wallet.address, "Nacht-Reiher ñ")
    shown = widget.locator("[data-show=message]")

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


def test_mistakes_are_explained_where_they_are_made(embedded_page, page, browser_wallet):
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
    secret = base58.b58encode(bytes(browser_wallet.key) + bytes(browser_wallet.key.verify_key))
    send(widget, secret.decode())
    expect(advice).to_contain_text("This is a private key, not a signature. Nothing was sent.")
    expect(field).to_have_value("")
    assert not [body for body in sent if "signature" in body]
    field.press_sequentially("x")
    expect(advice).to_be_empty()

    other = SigningKey.generate()
    send(widget, base58.b58encode(other.sign(message.encode()).signature).decode())
    expect(widget.get_by_role("alert")).to_contain_text("The signature doesn't match.")
    expect(widget.get_by_role("button", name="Try again")).to_be_hidden()
    send(widget, sign(browser_wallet, message, "v0"))
    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    expect(widget.get_by_role("alert")).to_be_hidden()
