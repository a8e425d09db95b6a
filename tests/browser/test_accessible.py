"""Keyboards, narrow screens, right-to-left, languages, and what screen readers are told."""

import pytest
from axe import find_violations
from embedded_page import BrowserWallet, frame_of, submit
from playwright.sync_api import Frame, expect

pytestmark = pytest.mark.browser


@pytest.fixture
def full_page(embedded_page):
    """A page with all optional contents."""
    embedded_page.configure(
        public_title="A title", public_comments="A comment.", min_balance="0.001"
    )
    colors = ("blue", "green", "orange", "red", "yellow", "white", "black", "pink", "nonsense")
    for color in colors:
        embedded_page.add_tag(f"tag {color}", color)
    embedded_page.track_many(12, tag_names=[f"tag {color}" for color in colors])
    return embedded_page


def test_keyboard_alone_goes_the_whole_way(embedded_page, context, page, browser_wallet):
    embedded_page.track_many(1)
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    focused = widget.locator(":focus")

    def tab_to(name: str) -> None:
        for _ in range(12):
            page.keyboard.press("Tab")
            if focused.count() and (focused.inner_text() or "").startswith(name):
                break
        expect(focused).to_contain_text(name)
        outline = focused.evaluate("one => getComputedStyle(one).outlineStyle")
        assert outline == "solid", f"{name} shows no focus"

    tab_to("Add your wallet")
    page.keyboard.press("Enter")
    expect(widget.locator("#flow-title")).to_be_focused()
    tab_to("Test wallet")
    page.keyboard.press("Space")
    expect(widget.get_by_label("Name to show")).to_be_focused()
    page.keyboard.type("Night heron")
    page.keyboard.press("Enter")
    expect(widget.locator("[data-show=message]")).to_be_focused()
    tab_to("Sign with")
    page.keyboard.press("Enter")

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    expect(widget.locator("#flow-title")).to_be_focused()
    tab_to("Close")
    page.keyboard.press("Escape")
    expect(widget.get_by_role("button", name="Add your wallet")).to_be_focused()


def find_overflow(frame: Frame) -> list[str]:
    """Return the elements that are wider than the frame."""
    return frame.evaluate(
        """() => {
          const wide = document.documentElement.clientWidth;
          if (document.documentElement.scrollWidth <= wide) return [];
          return [...document.querySelectorAll("body *")]
            .filter((one) => one.getBoundingClientRect().right > wide)
            .map((one) => one.outerHTML.slice(0, 100));
        }"""
    )


@pytest.mark.parametrize("lang", ["en", "de", "ar"])
def test_nothing_sticks_out_at_320_pixels(full_page, context, page, browser_wallet, lang):
    context.add_init_script(browser_wallet.script())
    page.set_viewport_size({"width": 320, "height": 640})
    url = full_page.host.show(
        f"""<meta name="viewport" content="width=device-width"><style>body {{ margin: 0 }}</style>
        <iframe src="{full_page.widget_url(lang=lang)}" width="320" height="640" style="border:0">
        </iframe>"""
    )
    page.goto(url)
    widget = page.frame_locator("iframe")
    widget.locator("#widget[data-ready]").wait_for()
    assert find_overflow(page.frames[1]) == []
    widget.locator("#add").click()
    widget.locator("#flow [data-step=choose] details summary").last.click()
    assert find_overflow(page.frames[1]) == []
    widget.locator("[data-wallets] button").click()
    widget.locator("[name=nickname]").fill("<>")
    assert find_overflow(page.frames[1]) == []
    widget.locator("[name=nickname]").fill("W" * 32)
    widget.locator("[data-step=nickname] .primary").click()
    widget.locator("[data-do=sign]").wait_for()
    assert find_overflow(page.frames[1]) == []


def test_arabic_is_read_from_the_right(embedded_page, context, page, browser_wallet):
    embedded_page.configure(auto_approve=True)
    embedded_page.track_many(1)
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page, lang="ar")

    expect(widget.locator("html")).to_have_attribute("dir", "rtl")
    expect(widget.locator("html")).to_have_attribute("lang", "ar")
    name = widget.locator("#wallets .name").bounding_box()
    balance = widget.locator("#wallets .balance").bounding_box()
    assert name["x"] > balance["x"]
    expect(widget.locator("#wallets summary code")).to_have_css("direction", "ltr")
    frame = frame_of(page, embedded_page.service_url)
    assert find_violations("Arabic", page, frame, lang="ar") == []


def test_language_is_the_browsers_unless_the_address_names_one(embedded_page, browser, watch):
    context = watch(browser.new_context(locale="de-AT"))
    page = context.new_page()
    widget = embedded_page.open(page)
    expect(widget.locator("html")).to_have_attribute("lang", "de")
    widget = embedded_page.open(page, lang="fr")
    expect(widget.locator("html")).to_have_attribute("lang", "fr")
    context.close()


def test_nothing_moves_by_itself_for_those_who_asked_for_calm(embedded_page, page):
    page.emulate_media(reduced_motion="reduce")
    widget = embedded_page.open(page)

    expect(widget.locator("html")).to_have_css("scroll-behavior", "auto")
    moving = frame_of(page, embedded_page.service_url).evaluate(
        """() => [...document.querySelectorAll("*")].filter((one) => {
          const {transitionDuration, animationName} = getComputedStyle(one);
          return !/^0s(, 0s)*$/.test(transitionDuration) || animationName !== "none";
        }).length"""
    )
    assert moving == 0


def test_results_are_read_out(embedded_page, context, page, browser_wallet):
    context.add_init_script(
        browser_wallet.script(refuse={"sign": [{"code": 4001, "message": "No."}]})
    )
    widget = embedded_page.open(page)
    submit(widget)
    expect(widget.get_by_role("alert")).to_contain_text("You declined")
    for place in ("[data-busy]", "#state", "#nickname-problem"):
        expect(widget.locator(place)).to_have_attribute("role", "status")
    expect(widget.locator("#own-list")).to_have_attribute("aria-live", "polite")


@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_sticks_out_with_letters_of_32_pixels(full_page, context, page, width):
    """A visitor's browser may have letters of twice the usual size."""
    wide_names = ["W" * 32, "\u5bbd" * 32, "\U0001f9ff" * 32]
    for name in wide_names:
        full_page.track(BrowserWallet().address, alias=name, balance="18446744073709551615.99")
    context.new_cdp_session(page).send(
        "Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}}
    )
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(full_page.widget_url())
    page.locator("#widget[data-ready]").wait_for()
    assert page.locator("html").evaluate("(one) => getComputedStyle(one).fontSize") == "32px"
    for name in wide_names:
        expect(page.locator("#wallets").get_by_text(name)).to_be_visible()
    assert find_overflow(page.main_frame) == []
    page.locator("#wallets summary").last.click()
    page.locator(".wallet [open] .loaded dl").wait_for()
    assert find_overflow(page.main_frame) == []
    page.locator("#add").click()
    page.locator("#flow [data-step=choose] details summary").last.click()
    assert find_overflow(page.main_frame) == []
