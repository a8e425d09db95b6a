"""Adding a wallet in the frame, from opening the widget to the updated list."""

import base64

import base58
import pytest
from embedded_page import BrowserWallet, ask_text, frame_of, read_text, submit
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.mark.deployed
def test_visitor_goes_from_connect_to_approved(embedded_page, context, page, browser_wallet):
    context.clock.install()
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)

    submit(widget, "Night heron")
    expect(widget.get_by_text("Your wallet waits for the owner's review")).to_be_visible()
    own = widget.locator("#own-list li")
    expect(own).to_contain_text("Night heron waits for review")
    expect(own.locator("code")).to_have_attribute("title", browser_wallet.address)

    embedded_page.approve(embedded_page.find_submission(browser_wallet.address).id)
    embedded_page.forward(page, "00:11")
    expect(own).to_contain_text("approved")
    expect(widget.locator("#wallets .wallet.mine")).to_contain_text("Night heron yours")


@pytest.mark.deployed
def test_wallet_approved_by_policy_is_on_the_list_at_once(
    embedded_page, context, page, browser_wallet
):
    embedded_page.configure(auto_approve=True)
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)

    submit(widget, "Night heron")

    expect(widget.get_by_text("Your wallet is on the list, as Night heron.")).to_be_visible()
    expect(widget.locator("#wallets .wallet.mine")).to_contain_text("Night heron yours")


def test_text_to_sign_is_shown_before_the_wallet_is_asked(
    embedded_page, context, page, browser_wallet
):
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)

    ask_text(widget)
    shown = read_text(widget)
    frame = frame_of(page, embedded_page.service_url)
    assert frame.evaluate("testWallet.signed") == []
    widget.get_by_role("button", name="Sign with").click()

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert frame.evaluate("testWallet.signed") == [shown]
    assert browser_wallet.address in shown
    assert shown.endswith("This signature does not authorize any transaction.")


def test_older_wallet_serves_where_there_is_no_standard_one(
    embedded_page, context, page, browser_wallet
):
    context.add_init_script(browser_wallet.script(kind="older"))
    widget = embedded_page.open(page)

    submit(widget, wallet="Phantom")

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).status == "pending"


def test_wallet_of_any_solana_network_is_offered_and_of_no_other(embedded_page, context, page):
    context.add_init_script(BrowserWallet().script(name="Dev", chains=["solana:devnet"]))
    context.add_init_script(BrowserWallet().script(name="Other", chains=["eip155:1"]))
    widget = embedded_page.open(page)

    widget.get_by_role("button", name="Add your wallet").click()

    expect(widget.locator("[data-wallets]")).to_have_text("Devfound in this browser")


@pytest.mark.parametrize("encode", [base64.b64encode, base58.b58encode])
def test_signature_made_by_hand_is_taken_as_base64_and_as_base58(
    embedded_page, page, browser_wallet, encode
):
    widget = embedded_page.open(page)
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_text("By hand").click()
    widget.get_by_label("Wallet address").fill(f"  {browser_wallet.address}\n")
    widget.get_by_role("button", name="Continue", exact=True).click()
    widget.get_by_label("Name to show on the list").fill("Cold wallet")
    widget.get_by_role("button", name="Continue", exact=True).click()

    message = read_text(widget)
    field = widget.get_by_label("Signature (base64 or base58)")
    field.fill("nonsense")
    widget.get_by_role("button", name="Send").click()
    expect(widget.locator("#signature-problem")).to_contain_text("64 bytes")
    field.fill(encode(browser_wallet.key.sign(message.encode()).signature).decode())
    widget.get_by_role("button", name="Send").click()

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).nickname == "Cold wallet"


def test_address_typed_wrong_is_noticed_at_once(embedded_page, page):
    widget = embedded_page.open(page)
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_text("By hand").click()
    widget.get_by_label("Wallet address").fill("0OIl")
    widget.get_by_role("button", name="Continue", exact=True).click()

    expect(widget.get_by_role("alert")).to_have_text(
        "This is not a wallet address. Please check it for typing mistakes."
    )


def test_nickname_is_judged_as_one_types(embedded_page, context, page, browser_wallet):
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name="Test wallet").click()
    name, problem = widget.get_by_label("Name to show"), widget.locator("#nickname-problem")

    name.fill("a" * 33)
    expect(problem).to_have_text("Please choose a name of 1 to 32 characters.")
    name.fill("<b>")
    expect(problem).to_contain_text("Please use only letters")
    expect(name).to_have_attribute("aria-invalid", "true")
    name.fill("Ok")
    expect(problem).to_be_empty()
    expect(name).to_have_attribute("aria-invalid", "false")


def test_double_click_opens_the_way_and_leaves_it_open(embedded_page, page):
    widget = embedded_page.open(page)
    add = widget.get_by_role("button", name="Add your wallet")
    for _ in range(2):  # before its steps are loaded, and after
        add.dblclick()
        expect(widget.locator("[data-step=choose]")).to_be_visible()
        expect(add).to_have_attribute("aria-expanded", "true")
        widget.locator(".flow").get_by_role("button", name="Close").click()


def test_way_can_be_left_and_walked_again(embedded_page, context, page, browser_wallet):
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    add = widget.get_by_role("button", name="Add your wallet")

    ask_text(widget, "First thought")
    widget.get_by_role("button", name="Back").click()
    expect(widget.get_by_label("Name to show")).to_have_value("First thought")
    widget.get_by_role("button", name="Close").click()
    expect(add).to_be_focused()
    expect(add).to_have_attribute("aria-expanded", "false")
    submit(widget, "Second thought")

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).nickname == "Second thought"


def test_leaving_a_step_aborts_the_request_for_a_text(embedded_page, context, page, browser_wallet):
    context.add_init_script(browser_wallet.script())
    page.route("**/embed/api/siws/nonce", lambda _: None)  # never answered
    widget = embedded_page.open(page)
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name="Test wallet").click()
    widget.get_by_label("Name to show on the list").fill("Night heron")
    with page.expect_request("**/embed/api/siws/nonce"):
        widget.get_by_role("button", name="Continue", exact=True).click()

    with page.expect_event("requestfailed", lambda one: one.url.endswith("/siws/nonce")):
        widget.locator("[data-step=nickname]").get_by_role("button", name="Back").click()

    expect(widget.get_by_role("button", name="Test wallet")).to_be_visible()
    expect(widget.locator("[data-problem]")).to_be_hidden()
