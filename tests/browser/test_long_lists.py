"""Long lists: in frames that grow and in those of a fixed height, on paper, and "Show more"."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

COUNT_PRINTED = """() => {
  window.printed = [];
  addEventListener("beforeprint", () => {
    window.printed.push(document.querySelectorAll("#wallets .wallet").length);
  });
}"""


def test_more_wallets_are_shown_on_demand_and_none_is_cut_off(embedded_page, page):
    embedded_page.fill(450)
    widget = embedded_page.open(page)
    rows, more = widget.locator("#wallets .wallet"), widget.locator("#show-more")
    count = widget.locator("#count")

    expect(count).to_have_text("25 of 450 wallets")
    more.click()
    expect(rows).to_have_count(100)
    expect(more).to_be_focused()
    expect(count).to_have_text("100 of 450 wallets")
    # By keyboard: right after the list has grown, the mouse may press what was drawn before.
    more.press("Enter")
    expect(rows).to_have_count(400)
    more.press("Enter")
    expect(rows).to_have_count(450)
    expect(more).to_be_hidden()
    expect(count).to_have_text("450 of 450 wallets")
    assert len(set(rows.locator(".name").all_inner_texts())) == 450
    expect(rows.nth(400).locator("summary")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(401).locator("summary")).to_be_focused()
    height = widget.locator("html").bounding_box()["height"]
    assert height > 20_000
    expect(page.locator("iframe")).to_have_css("height", f"{height:.0f}px")


def test_paper_is_white_and_has_all_of_500_wallets_or_those_found_and_no_buttons(
    embedded_page, page
):
    embedded_page.fill(500)
    page.goto(embedded_page.widget_url(theme="dark"))
    page.locator("#widget[data-ready]").wait_for()
    page.get_by_role("link", name="Show more").click()
    expect(page.locator("#wallets .wallet")).to_have_count(100)
    page.evaluate(COUNT_PRINTED)
    pdf = page.pdf(format="A4")
    expect(page.locator("#count")).to_have_text("500 of 500 wallets")
    page.get_by_role("searchbox").fill("wallet 24")
    expect(page.locator("#wallets .wallet")).to_have_count(11)
    page.pdf()

    assert page.evaluate("window.printed") == [500, 11]
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert 500 / 30 < pages < 500 / 10 + 2
    page.emulate_media(media="print")
    expect(page.locator("body")).to_have_css("color", "rgb(28, 32, 36)")
    assert page.locator("button:visible, input:visible, #show-more:visible").count() == 0
    expect(page.locator("#wallets .detail code").first).to_be_visible()  # addresses are whole
