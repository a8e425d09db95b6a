"""The keyboard in the list: one stop for Tab however long it is, and the arrow keys from there."""

import pytest
from embedded_page import BrowserWallet
from playwright.sync_api import expect
from test_list_in_browser import fill_page
from world import Visitor

pytestmark = pytest.mark.browser

MOST_PRESSES = 6  # over the skip link, the list, and what stands around it


@pytest.fixture
def proved(embedded_page) -> Visitor:
    """The holder of the second of three wallets, who has proved it."""
    visitor = Visitor()
    embedded_page.track_many(1)
    embedded_page.approve(embedded_page.submit(visitor, "Proved").json["submissionId"])
    embedded_page.track(BrowserWallet().address, alias="Last", balance=3)
    return visitor


def name_of_row(widget) -> str:
    """Return the name in the row that has the focus."""
    return widget.locator(".wallet:focus-within .name").inner_text()


def focus_first(widget):
    widget.locator("#wallets code").first.focus()
    return widget.locator(":focus")


def test_long_list_is_left_after_a_few_presses_of_tab(embedded_page, page):
    fill_page(embedded_page, 500)
    widget = embedded_page.open(page)
    widget.get_by_label("Order").focus()
    end = widget.locator("#rights:focus")

    presses = 0
    while not end.count() and presses <= MOST_PRESSES:
        page.keyboard.press("Tab")
        presses += 1

    expect(end).to_have_count(1)
    back = 0
    while not widget.locator("#sort:focus").count() and back <= MOST_PRESSES:
        page.keyboard.press("Shift+Tab")
        back += 1
    expect(widget.locator("#sort")).to_be_focused()


def test_skip_link_leads_past_the_list(embedded_page, page):
    embedded_page.track_many(3)
    widget = embedded_page.open(page)
    link = widget.get_by_role("link", name="Skip the list")
    assert widget.locator(".skip").bounding_box()["height"] <= 1

    widget.get_by_label("Order").focus()
    page.keyboard.press("Tab")
    expect(link).to_be_focused()
    assert widget.locator(".skip").bounding_box()["height"] > 20
    expect(widget.get_by_text("the arrow keys move from wallet to wallet")).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")

    expect(widget.locator("#rights")).to_be_focused()


@pytest.mark.parametrize("script", [True, False])
def test_skip_link_leads_to_the_rest_of_a_long_list(embedded_page, browser, watch, script):
    fill_page(embedded_page, 250)
    context = watch(browser.new_context(locale="en-US", java_script_enabled=script))
    page = context.new_page()
    page.goto(embedded_page.widget_url())
    if script:
        page.locator("#widget[data-ready]").wait_for()
    page.get_by_role("link", name="Skip the list").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")

    expect(page.locator("#more:focus" if script else "[rel=next]:focus")).to_be_visible()
    context.close()


def test_arrow_keys_reach_every_control_of_every_wallet(embedded_page, page, proved):
    widget = embedded_page.open(page)
    focused = focus_first(widget)
    seen = []
    for key in ("ArrowDown", "ArrowLeft", "ArrowRight", "ArrowRight", "ArrowDown", "Home", "End"):
        page.keyboard.press(key)
        seen.append((name_of_row(widget), focused.inner_text()[:6]))

    address = proved.address[:6]
    last = widget.locator("#wallets code").last.inner_text()[:6]
    assert [name for name, _ in seen] == [
        "Proved", "Proved", "Proved", "Proved", "Last", "Wallet 1", "Last",
    ]  # fmt: skip
    assert [text for _, text in seen[:5]] == [address, "proved", address, "Copy", "Copy"]
    page.keyboard.press("ArrowLeft")
    expect(focused).to_contain_text(last)
    page.keyboard.press("ArrowDown")
    expect(focused).to_contain_text(last)


def test_arrow_keys_follow_the_direction_of_writing(embedded_page, page):
    embedded_page.track_many(1)
    widget = embedded_page.open(page, lang="ar")
    focus_first(widget)

    page.keyboard.press("ArrowLeft")

    expect(widget.locator(".copy")).to_be_focused()


def test_keys_with_a_modifier_and_in_an_open_proof_are_left_alone(embedded_page, page, proved):
    widget = embedded_page.open(page)
    focused = focus_first(widget)
    address = focused.inner_text()
    page.keyboard.press("Control+ArrowDown")
    expect(focused).to_have_text(address)

    widget.get_by_role("button", name="proved").click()
    text = widget.locator(".proof pre")
    text.focus()
    page.keyboard.press("ArrowDown")
    expect(text).to_be_focused()


def test_address_with_the_focus_is_whole_at_320_pixels(embedded_page, page):
    embedded_page.track_many(2)
    page.set_viewport_size({"width": 320, "height": 640})
    widget = embedded_page.open(page)
    focused = focus_first(widget)
    page.keyboard.press("ArrowDown")

    assert focused.evaluate("code => code.scrollWidth <= code.clientWidth")
    expect(focused).to_have_text(widget.locator("#wallets code").last.inner_text())


def test_tap_shows_the_whole_address(embedded_page, browser, watch):
    embedded_page.track_many(1)
    context = watch(browser.new_context(viewport={"width": 320, "height": 640}, has_touch=True))
    widget = embedded_page.open(context.new_page())
    code = widget.locator("#wallets code")
    assert code.evaluate("code => code.scrollWidth > code.clientWidth")

    code.tap()

    expect(code).to_be_focused()
    assert code.evaluate("code => code.scrollWidth <= code.clientWidth")
    context.close()


def test_focus_stays_on_a_wallet_whose_row_changes(embedded_page, context, page):
    context.clock.install()
    first, second = embedded_page.track_many(2)
    widget = embedded_page.open(page)
    widget.locator("#wallets .copy").last.focus()
    embedded_page.observe(second, "77")

    with page.expect_response("**/embed/api/tracking/*"):
        embedded_page.forward(page, "00:31")

    expect(widget.locator("#wallets .balance").last).to_have_text("77")
    expect(widget.locator("#wallets .copy").last).to_be_focused()
    assert first != second
