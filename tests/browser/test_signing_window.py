"""Wallets that do not work inside a frame sign in the signing window."""

import pytest
from embedded_page import frame_of, is_drawn, submit
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.fixture
def top_wallet(context, browser_wallet):
    """A wallet that exists only in top-level pages of the service, as Phantom does."""
    context.add_init_script(browser_wallet.script(name="Top wallet", where="top"))
    return browser_wallet


def host_of(origin: str) -> str:
    return origin.partition("//")[2]


def press_for_window(page, widget, name="In a separate window"):
    with page.expect_popup() as popup:
        widget.get_by_role("button", name=name).click()
    return popup.value


def open_window(page, widget):
    widget.get_by_role("button", name="Add your wallet").click()
    window = press_for_window(page, widget)
    window.locator("#flow:not([hidden])").wait_for()
    return window


def test_visitor_goes_from_connect_to_approved(embedded_page, context, page, top_wallet):
    context.clock.install()
    embedded_page.configure(min_balance="0.001")
    embedded_page.observe(top_wallet.address, 1)
    widget = embedded_page.open(page, script=False)  # else the site lends the frame its wallet
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.get_by_text("No wallet found here.")).to_be_visible()
    window = press_for_window(page, widget)
    expect(widget.get_by_text("Please continue in the window that has opened.")).to_be_visible()
    expect(window.locator("#asked-by")).to_have_text(
        f"{host_of(embedded_page.service_url)} hosts this list of $USDC"
        f" for {host_of(embedded_page.host.origin)}."
    )
    expect(window.get_by_text("This list requires at least 0.001 $USDC.")).to_be_visible()
    assert window.url.startswith(f"{embedded_page.service_url}/embed/sign")

    with window.expect_event("close"):
        submit(window, "Night heron", wallet="Top wallet")

    expect(widget.get_by_text("Your wallet is waiting for the owner's review")).to_be_visible()
    expect(widget.locator("[data-problem]")).to_be_hidden()
    embedded_page.approve(embedded_page.find_submission(top_wallet.address).id)
    embedded_page.forward(page, "00:11")
    expect(widget.locator("#wallets .wallet.mine")).to_contain_text("Night heron You")


BLOCKED = "The signing window was blocked"
THROW = "throw new DOMException('sandboxed')"


@pytest.mark.parametrize(  # Firefox uses the click up when it throws
    "block", ["return null", f"realOpen('about:blank').close(); {THROW}"]
)
def test_blocked_window_is_told_and_can_be_tried_again(
    embedded_page, context, page, top_wallet, block
):
    context.add_init_script(f"window.realOpen = window.open; window.open = () => {{ {block} }}")
    widget = embedded_page.open(page)
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name="In a separate window").click()
    expect(widget.get_by_role("alert")).to_contain_text(BLOCKED)
    expect(widget.get_by_text("Please continue in the window")).to_be_hidden()

    frame_of(page, embedded_page.service_url).evaluate("() => { window.open = window.realOpen }")
    submit(press_for_window(page, widget, "Try again"), wallet="Top wallet")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()


ISOLATED = {"Cross-Origin-Opener-Policy": "same-origin"}
OWN_PAGE = "Open the list in its own tab"


def test_window_that_the_site_keeps_apart_is_told_on_both_sides_and_the_list_works_alone(
    embedded_page, context, page, top_wallet
):
    widget = embedded_page.open(page, headers=ISOLATED)
    widget.get_by_role("button", name="Add your wallet").click()
    with context.expect_page() as opened:
        widget.get_by_role("button", name="In a separate window").click()
    window = opened.value
    expect(widget.get_by_role("alert")).to_contain_text("This website blocks the signing window.")
    expect(widget.get_by_role("button", name="Try again")).to_be_hidden()
    expect(widget.get_by_text("Please continue in the window")).to_be_hidden()
    expect(window.locator("#asked-by")).to_contain_text("because that website blocks it")
    with context.expect_page() as another:
        widget.get_by_role("link", name=OWN_PAGE).click()
    expect(another.value.locator("#widget[data-ready]")).to_be_visible()

    window.get_by_role("link", name=OWN_PAGE).click()
    window.get_by_role("button", name="Add your wallet").click()
    submit(window, wallet="Top wallet")

    expect(window.get_by_text("Your wallet is waiting")).to_be_visible()
    assert embedded_page.find_submission(top_wallet.address).status == "pending"


def test_window_without_a_wallet_says_where_to_get_one_and_finds_it_when_loaded_again(
    embedded_page, page, browser_wallet
):
    window = open_window(page, embedded_page.open(page))

    expect(window.get_by_text("No wallet found in this browser.")).to_be_visible()
    link = window.get_by_role("link", name="Phantom")
    expect(link).to_have_attribute("href", "https://phantom.com/")
    window.get_by_text("On my phone").click()
    assert is_drawn(window.get_by_role("img", name="QR code that opens this list in Phantom"))
    window.add_init_script(browser_wallet.script(name="Fresh wallet"))
    window.get_by_role("button", name="Reload").click()
    submit(window, wallet="Fresh wallet")
    expect(page.frame_locator("iframe").get_by_text("Your wallet is waiting")).to_be_visible()


def test_closed_window_is_told_and_can_be_opened_again(embedded_page, page, top_wallet):
    widget = embedded_page.open(page)
    open_window(page, widget).close()
    expect(widget.get_by_role("alert")).to_have_text(
        "The window was closed before the wallet was sent."
    )

    submit(press_for_window(page, widget, "Try again"), wallet="Top wallet")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()


def test_window_whose_frame_was_removed_says_so_and_sends_nothing(embedded_page, page, top_wallet):
    widget = embedded_page.open(page)
    window = open_window(page, widget)
    page.locator("iframe").evaluate("frame => frame.remove()")
    window.get_by_role("button", name="Top wallet").click()
    window.get_by_label("Name to show on the list").fill("Night heron")
    window.get_by_role("button", name="Continue", exact=True).click()

    expect(window.get_by_role("alert")).to_have_text(
        "This window belongs to a list on another site. Please open it from there."
    )


def test_window_obeys_no_other_site(embedded_page, page):
    """A site that opens the window itself cannot make it call the visitor's wallet."""
    page.goto(embedded_page.host.show("<button>Open</button>"))
    page.evaluate(
        """url => document.querySelector("button").addEventListener("click", () => {
          window.heard = [];
          addEventListener("message", ({data}) => heard.push(data));
          window.other = open(url);
        })""",
        f"{embedded_page.service_url}/embed/sign",
    )
    with page.expect_popup() as popup:
        page.get_by_role("button").click()
    window = popup.value
    window.wait_for_load_state()
    page.evaluate(
        "window.other.postMessage({kind: 'about', about: {site: 'https://a.example'}}, '*')"
    )

    expect(window.locator("#asked-by")).to_be_empty()
    expect(window.locator("#flow")).to_be_hidden()
    assert page.evaluate("heard") == []


def test_frame_obeys_its_own_window_only(embedded_page, page, watch):
    """The host page cannot make the frame submit a wallet for the visitor."""
    widget = embedded_page.open(page)
    open_window(page, widget)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate(
        """() => {
          const frame = document.querySelector("iframe").contentWindow;
          frame.postMessage({kind: "createNonce", id: 1, args: ["x"]}, "*");
          frame.postMessage({kind: "done", result: {status: "pending"}}, "*");
        }"""
    )
    frame_of(page, embedded_page.service_url).evaluate(
        """() => new Promise((resolve) => {
          addEventListener("message", resolve, {once: true});
          postMessage({kind: "done", result: {status: "pending"}}, "*");
        })"""
    )

    expect(widget.get_by_text("Please continue in the window")).to_be_visible()
    assert [url for url in asked if "/siws/nonce" in url] == []
