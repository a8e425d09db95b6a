"""The keyboard in the list: one stop for Tab however long it is, and the arrow keys from there."""

import pytest
from embedded_page import BrowserWallet
from playwright.sync_api import expect
from support.world import Visitor
from test_list_in_browser import fill_page

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
    widget.locator("#wallets summary").first.focus()
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


def test_arrow_keys_reach_every_wallet(embedded_page, page, proved):
    widget = embedded_page.open(page)
    focus_first(widget)
    seen = []
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Home", "End", "ArrowUp"):
        page.keyboard.press(key)
        seen.append(name_of_row(widget))

    assert seen == ["Proved", "Last", "Last", "Wallet 1", "Last", "Proved"]


def test_enter_opens_a_wallet_and_tab_leads_into_it(embedded_page, page, proved):
    widget = embedded_page.open(page)
    focused = focus_first(widget)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    row = widget.locator(".wallet", has_text="Proved")
    expect(row.get_by_text("What was signed")).to_be_visible()

    page.keyboard.press("Tab")
    expect(focused).to_have_text("Copy")
    row.get_by_text("What was signed").click()
    text = row.locator("pre")
    text.focus()
    page.keyboard.press("ArrowDown")  # scrolls, as everywhere
    expect(text).to_be_focused()
    page.keyboard.press("Control+ArrowDown")
    expect(text).to_be_focused()


def test_focus_stays_on_a_wallet_whose_row_changes(embedded_page, context, page):
    context.clock.install()
    first, second = embedded_page.track_many(2)
    widget = embedded_page.open(page)
    widget.locator("#wallets summary").last.click()
    expect(widget.locator("#wallets .stats")).to_contain_text("2")
    widget.locator("#wallets .copy").last.focus()
    embedded_page.observe(second, "77")

    with page.expect_response("**/embed/api/tracking/*"):
        embedded_page.forward(page, "00:31")

    expect(widget.locator("#wallets .balance").last).to_have_text("77.00")
    expect(widget.locator("#wallets .copy").last).to_be_focused()
    assert first != second
