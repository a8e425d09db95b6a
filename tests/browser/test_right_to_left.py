"""Arabic: every text begins at the right, in whatever script; and room for scroll bars."""

import pytest
from embedded_page import BrowserWallet
from playwright.sync_api import expect
from support.world import Visitor

pytestmark = pytest.mark.browser

NAMES = ["Night heron", "مالك الحزين", "Ada مالك 12", "مالك Ada 12"]

# How far the texts of an element are from the inner right edge of its widest place.
GAPS = """(elements) => elements.map((element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const place = element.closest("li, main, section, td") ?? document.body;
  const {paddingRight} = getComputedStyle(place);
  const ends = [...range.getClientRects()].map((one) => one.right);
  const right = Math.min(Math.max(...ends), element.getBoundingClientRect().right); // else cut off
  return Math.round(place.getBoundingClientRect().right - parseFloat(paddingRight) - right);
})"""
RIGHTS = """(elements) => elements.map((element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range.getBoundingClientRect().right;
})"""


@pytest.fixture
def arabic(embedded_page, context, page, browser_wallet):
    """The widget in Arabic, with names in both directions and a wallet in the browser."""
    embedded_page.configure(
        public_title="Our holders", public_comments="First line.\nالسطر الثاني\nThird line."
    )
    for name in NAMES:
        embedded_page.track(BrowserWallet().address, alias=name, balance="1234567.891")
    context.add_init_script(browser_wallet.script())
    return embedded_page.open(page, lang="ar")


def measure(widget, selector: str) -> list[int]:
    return widget.locator(selector).evaluate_all(GAPS)


@pytest.mark.parametrize("width", [1280, 320])
def test_list_begins_at_the_right(arabic, page, width):
    page.set_viewport_size({"width": width, "height": 900})

    for selector in (".title", ".comments", "h1"):
        assert set(measure(arabic, selector)) == {0}, selector
    balances = arabic.locator("#wallets .balance").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect().left)"
    )
    assert max(balances) - min(balances) < 1
    for selector in (".name", "summary code"):  # beside the avatars
        rights = arabic.locator(f"#wallets {selector}").evaluate_all(RIGHTS)
        assert max(rights) - min(rights) < 1, selector
        assert min(rights) > width / 2, selector


def ask_text(widget) -> None:
    """Go through the steps up to the text to sign."""
    widget.locator("#add").click()
    widget.locator("[data-wallets] button").click()
    widget.locator("[name=nickname]").fill("Night heron")
    widget.locator("[data-step=nickname] .primary").click()
    widget.locator("[data-show=message]").wait_for()


@pytest.mark.parametrize("width", [1280, 320])
def test_own_submissions_and_records_begin_at_the_right(
    embedded_page, arabic, page, browser_wallet, width
):
    page.set_viewport_size({"width": width, "height": 900})
    ask_text(arabic)
    arabic.locator("[data-do=sign]").click()
    expect(arabic.locator("#own-list li")).to_be_visible()
    name, address = arabic.locator("#own-list strong, #own-list code").evaluate_all(RIGHTS)
    assert abs(name - address) < 1
    assert arabic.locator("#own-list .avatar").bounding_box()["x"] > name

    embedded_page.reject(embedded_page.find_submission(browser_wallet.address).id)
    page.reload()
    expect(arabic.locator("#own-list .again")).not_to_be_empty()
    assert measure(arabic, "#own-list .quiet, #own-list .again") == [0, 0]

    arabic.locator("#rights").click()
    arabic.locator("[data-wallets] button").click()
    arabic.locator("[data-do=sign]").click()
    arabic.locator("[data-do=withdraw]").wait_for()
    assert set(measure(arabic, ".records li")) == {0}


def test_proof_begins_at_the_right(embedded_page, arabic, page):
    visitor = Visitor()
    embedded_page.approve(embedded_page.submit(visitor, "Proved").json["submissionId"])
    page.reload()
    arabic.locator("#wallets summary").last.click()
    arabic.locator(".proof summary").wait_for()

    panel, text = arabic.locator(".proof").bounding_box(), arabic.locator(".proof .pill")
    box = text.bounding_box()
    assert abs(panel["x"] + panel["width"] - box["x"] - box["width"]) < 16
    expect(text).to_have_css("text-align", "start")
    expect(text).to_have_css("direction", "rtl")


def test_page_without_scripts_and_refusals_begin_at_the_right(embedded_page, browser):
    embedded_page.configure(public_title="Our holders")
    embedded_page.track(BrowserWallet().address, alias="Night heron")
    context = browser.new_context(java_script_enabled=False, viewport={"width": 320, "height": 640})
    page = context.new_page()
    page.goto(embedded_page.widget_url(lang="ar"))
    assert measure(page, ".title") == [0]
    name, address = page.locator("#wallets :is(.name, summary code)").evaluate_all(RIGHTS)
    assert abs(name - address) < 1
    page.goto(embedded_page.widget_url("nonsense", lang="ar"))
    assert measure(page, "h1, code") == [0, 0]
    context.close()


def test_texts_that_wallets_sign_stay_left_to_right(arabic):
    ask_text(arabic)

    expect(arabic.locator("[data-show=message]")).to_have_css("direction", "ltr")
    expect(arabic.locator("[data-show=message]")).to_have_css("text-align", "start")


@pytest.mark.parametrize(("lang", "width"), [("en", 1280), ("en", 320), ("ar", 320)])
def test_scroll_bar_over_the_page_touches_no_digit(embedded_page, page, lang, width):
    embedded_page.track_many(3)
    page.set_viewport_size({"width": width, "height": 640})
    page.goto(embedded_page.widget_url(lang=lang))

    box = page.locator("#wallets .balance bdi").first.bounding_box()
    gap = box["x"] if lang == "ar" else width - box["x"] - box["width"]
    assert gap >= 16  # as wide as such bars become under the pointer
