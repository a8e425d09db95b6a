"""Keyboards, narrow screens, right to left, and axe-core at the steps of the widget."""

import pytest
from axe import find_violations
from embedded_page import WITHOUT_COOKIES, BrowserWallet, find_overflow, frame_of
from official_wallet import OfficialWallet, build
from playwright.sync_api import FrameLocator, Page, expect
from support.world import Visitor

pytestmark = pytest.mark.browser


COLORS = ("blue", "green", "orange", "red", "yellow", "white", "black", "pink", "nonsense")
NARROW = {"width": 320, "height": 640}


@pytest.fixture
def full_page(embedded_page):
    """A page with all optional contents, the last of them a proved wallet."""
    embedded_page.configure(
        public_title="A title", public_comments="A comment.", min_balance="0.001"
    )
    for color in COLORS:
        embedded_page.add_tag(f"tag {color}", color)
    embedded_page.track_many(3, tag_names=[f"tag {color}" for color in COLORS])
    visitor = Visitor()
    embedded_page.observe(visitor.address, 1)
    embedded_page.approve(embedded_page.submit(visitor, "Night heron").json["submissionId"])
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
    expect(widget.get_by_role("button", name="Test wallet")).to_be_visible()  # they are loaded
    tab_to("Test wallet")
    page.keyboard.press("Space")
    expect(widget.get_by_label("Name to show")).to_be_focused()
    page.keyboard.type("Night heron")
    page.keyboard.press("Enter")
    expect(widget.locator("[data-show=message]")).to_be_focused()
    tab_to("Sign with")
    page.keyboard.press("Enter")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    expect(widget.locator("#flow-title")).to_be_focused()
    tab_to("Close")
    page.keyboard.press("Escape")
    expect(widget.get_by_role("button", name="Add your wallet")).to_be_focused()


def test_nothing_moves_by_itself_for_those_who_asked_for_calm(embedded_page, page):
    page.emulate_media(reduced_motion="reduce")
    embedded_page.track_many(1)
    embedded_page.open(page)

    assert not frame_of(page, embedded_page.service_url).evaluate(
        """() => [...document.querySelectorAll("*")].some((one) => {
          const {transitionDuration, animationName} = getComputedStyle(one);
          return !/^0s(, 0s)*$/.test(transitionDuration) || animationName !== "none";
        })"""
    )


def test_nothing_sticks_out_with_letters_of_32_pixels(full_page, context, page):
    """A visitor's browser may have letters of twice the usual size."""
    wide_names = ["W" * 32, "\u5bbd" * 32, "\U0001f9ff" * 32]
    for name in wide_names:
        full_page.track(BrowserWallet().address, alias=name, balance="18446744073709551615.99")
    context.new_cdp_session(page).send(
        "Page.setFontSizes", {"fontSizes": {"standard": 32, "fixed": 26}}
    )
    page.set_viewport_size({"width": 375, "height": 800})
    page.goto(full_page.widget_url(lang="de"))
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


# axe-core, in English in both themes, and in Arabic; on a narrow screen where nothing sticks out


@pytest.fixture(params=["en", "ar"])
def lang(request) -> str:
    return request.param


@pytest.fixture
def open_widget(embedded_page, page, lang):
    def start():
        page.set_viewport_size(NARROW)
        return embedded_page.open(page, lang=lang, style="body { margin: 0 }")

    return start


@pytest.fixture
def check(embedded_page, page, lang):
    """Note what axe-core finds in the widget's frame at a step; in the end it must be nothing."""
    found = []

    def note(where: str, window: Page | None = None) -> None:
        frame = None if window else frame_of(page, embedded_page.service_url)
        found.extend(find_violations(where, window or page, frame, lang=lang))
        found.extend(f"{where}: {one}" for one in find_overflow(frame or window.main_frame))

    yield note
    assert found == []


def ask_text(widget) -> None:
    """Go through the steps up to the text to sign."""
    if isinstance(widget, FrameLocator):  # the signing window has begun by itself
        widget.locator("#add").click()
    widget.locator("[data-wallets] button").click()
    widget.locator("[name=nickname]").fill("Night heron")
    widget.locator("[data-step=nickname] .primary").click()
    widget.locator("[data-do=sign]").wait_for()


def test_list_with_its_tools_and_a_proof(full_page, page, check, open_widget):
    widget = open_widget()
    page.set_viewport_size({"width": 720, "height": 640})
    check("wide list")
    page.set_viewport_size(NARROW)
    check("list")
    widget.locator("#wallets summary").last.click()
    widget.locator(".proof summary").click()
    check("details")
    widget.locator(".chips a").nth(1).click()
    check("filtered")
    widget.locator("#more-chips").click()
    check("all chips")
    widget.get_by_role("searchbox").fill("nothing has this name")
    widget.locator("#found p").wait_for()
    check("nothing found")
    widget.get_by_role("searchbox").fill(BrowserWallet().address)
    widget.locator("#add-unlisted").wait_for()
    check("not listed")


def test_steps_with_a_wallet(embedded_page, context, check, open_widget):
    official = OfficialWallet(build(), accounts=2)
    embedded_page.configure(min_balance="0.001")
    embedded_page.observe(official.address, 5)
    faults = {"connect": ["hang"], "signOffchainMessage": ["decline"]}
    context.add_init_script(official.script(where="window !== top", faults=faults))
    widget = open_widget()
    check("empty list")
    step = widget.locator("#flow")

    widget.locator("#add").click()
    use = step.locator("[data-wallets] button")
    use.wait_for()
    check("wallets")
    use.click()
    step.locator("[data-do=cancel]").wait_for()
    check("waiting for the wallet")
    step.locator("[data-do=cancel]").click()
    use.click()
    step.locator("[data-accounts] button").first.wait_for()
    check("accounts")
    step.locator("[data-accounts] button").first.click()
    step.locator("[name=nickname]").fill("<>")
    check("name, with a problem")
    step.locator("[name=nickname]").fill("W" * 32)
    step.locator("[data-step=nickname] .primary").click()
    step.locator("[data-do=sign]").wait_for()
    check("text")
    step.locator("[data-do=sign]").click()
    step.locator("[data-sentence]").wait_for()
    check("declined")
    step.locator("[data-do=retry]").click()
    step.locator("[data-step=done]").wait_for()
    widget.locator("#own-list > li").wait_for()
    check("sent")


def test_signing_window_and_the_frame_beside_it(context, check, open_widget, browser_wallet):
    context.add_init_script(WITHOUT_COOKIES)
    widget = open_widget()
    widget.locator("#cookie-blocked").wait_for()
    check("no cookie")
    widget.locator("#add").click()
    with context.expect_page() as opened:
        widget.locator("[data-do=open-window]").first.click()
    window = opened.value
    window.locator("[data-if=no-wallet]").wait_for()
    check("frame beside the window")
    window.locator("details summary").first.click()
    check("window without a wallet", window)
    window.evaluate(browser_wallet.script())
    ask_text(window)
    check("window with the text", window)
    window.close()
    widget.locator("[data-sentence]").wait_for()
    check("frame after the window was closed")


def test_by_hand_with_mistakes(check, open_widget):
    widget = open_widget()
    step = widget.locator("#flow")
    widget.locator("#add").click()
    step.locator("[data-step=choose] summary").last.click()
    check("no wallet, address by hand")
    step.locator("[name=address]").fill(BrowserWallet().address)
    step.locator("[data-do=enter-address]").click()
    step.locator("[name=nickname]").fill("Nächtlicher Reiher")
    step.locator("[data-step=nickname] .primary").click()
    step.locator("[name=signature]").fill("nonsense")
    step.locator("[data-do=enter-signature]").click()
    expect(step.locator("#signature-problem")).not_to_be_empty()
    check("signature, with a problem")


def test_rights_of_a_holder(embedded_page, context, check, open_widget, browser_wallet):
    sent = embedded_page.submit(Visitor(browser_wallet.key), "Night heron")
    embedded_page.approve(sent.json["submissionId"])
    context.add_init_script(browser_wallet.script())
    widget = open_widget()
    widget.locator("#rights").click()
    widget.locator("[data-wallets] button").click()
    widget.locator("[data-do=sign]").click()
    widget.locator("[data-step=records] summary").click()
    check("records")
    widget.locator("[data-do=withdraw]").click()
    widget.locator("[data-do=sign]").click()
    widget.locator("[data-step=withdrawn]").wait_for()
    check("withdrawn")


def test_refusal(embedded_page, page, check, lang):
    page.goto(embedded_page.widget_url("nonsense", lang=lang))
    expect(page.locator("html")).to_have_attribute("lang", lang)
    check("refusal", page)
