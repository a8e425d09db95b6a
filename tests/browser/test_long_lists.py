"""Long lists: in frames that grow and in those of a fixed height, on paper, and "Show more"."""

import re

import pytest
from embedded_page import frame_of
from playwright.sync_api import expect
from support.waiting import wait_for

pytestmark = pytest.mark.browser

AFTER = "body::after { content: ''; display: block; height: 3000px }"
COUNT_PRINTED = """() => {
  window.printed = [];
  addEventListener("beforeprint", () => {
    window.printed.push(document.querySelectorAll("#wallets .wallet").length);
  });
}"""


def swipe_up(page) -> None:
    """Swipe with a finger, from the middle of the frame."""
    client = page.context.new_cdp_session(page)
    client.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    touch = {"type": "touchStart", "touchPoints": [{"x": 300, "y": 600}]}
    client.send("Input.dispatchTouchEvent", touch)
    for y in range(580, 200, -20):
        touch = {"type": "touchMove", "touchPoints": [{"x": 300, "y": y}]}
        client.send("Input.dispatchTouchEvent", touch)
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("script", [True, False])
def test_wheel_and_touch_lead_through_the_frame_and_on(embedded_page, page, script):
    """A growing frame scrolls its site at once, a fixed one when its own end is reached."""
    embedded_page.fill(39)
    embedded_page.open(page, script=script, style=AFTER)
    if script:
        expect(page.locator("iframe")).not_to_have_css("height", "600px")
    else:
        frame_of(page, embedded_page.service_url).evaluate("scrollTo(0, 1e6)")
    page.mouse.move(300, 400)

    def has_wheel_scrolled() -> bool:
        page.mouse.wheel(0, 200)  # the compositor may not know yet that the frame is at its end
        return page.evaluate("scrollY") > 0

    wait_for(has_wheel_scrolled)
    page.evaluate("scrollTo(0, 0)")
    swipe_up(page)
    page.wait_for_function("scrollY > 0")


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
    page.locator("#cookie-blocked").evaluate("notice => { notice.hidden = false }")
    page.emulate_media(media="print")
    expect(page.locator("#cookie-blocked")).to_be_hidden()
    expect(page.locator("body")).to_have_css("color", "rgb(28, 32, 36)")
    assert page.locator("button:visible, input:visible, #show-more:visible").count() == 0
    expect(page.locator("#wallets .wallet").first).to_be_visible()
    expect(page.locator("#wallets .detail code").first).to_be_visible()  # addresses are whole
