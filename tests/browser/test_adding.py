"""Adding a wallet in the frame: the whole way, and what goes wrong on it."""

import re

import pytest
from embedded_page import WRONG_CLOCK, ask_text, frame_of, submit
from playwright.sync_api import expect
from support.world import Visitor

pytestmark = pytest.mark.browser

DUPLICATE = "This wallet is already on this list, or is waiting for review."


@pytest.fixture
def widget(embedded_page, context, page, browser_wallet):
    context.clock.install()
    context.add_init_script(browser_wallet.script())
    return embedded_page.open(page)


def press(widget, name: str) -> None:
    widget.get_by_role("button", name=name).click()


@pytest.mark.deployed
def test_visitor_goes_from_connect_to_approved(embedded_page, page, widget, browser_wallet):
    submit(widget, "Night heron")
    expect(widget.get_by_text("Your wallet is waiting for the owner's review")).to_be_visible()
    own = widget.locator("#own-list > li")
    expect(own).to_contain_text("Night heron waiting for review")
    expect(own.locator("strong")).to_have_attribute("title", browser_wallet.address)

    embedded_page.approve(embedded_page.find_submission(browser_wallet.address).id)
    embedded_page.forward(page, "00:11")
    expect(own.locator(".line-1")).to_have_text("Night heron proved You")
    expect(widget.locator("#wallets .wallet.mine")).to_contain_text("Night heron You")


def test_wrong_clock_of_a_visitor_shifts_no_time(embedded_page, context, page, browser_wallet):
    context.add_init_script(WRONG_CLOCK.replace("AHEAD", "3 * 86400e3"))
    context.add_init_script(browser_wallet.script())
    embedded_page.configure(cooldown_s=5 * 3600)
    (address,) = embedded_page.track_many(1)
    widget = embedded_page.open(page)
    submit(widget, "Night heron")
    own = widget.locator("#own-list > li")
    expect(own).to_contain_text("waiting for review")
    embedded_page.reject(embedded_page.find_submission(browser_wallet.address).id)
    page.reload()
    expect(own.locator(".again:not(:empty)")).to_be_visible()
    told = own.inner_text()  # from the start
    assert re.search(r"You can send it again in (5 hours|4 hours 59 minutes)\.", told), told

    widget.locator("#wallets .wallet", has_text=address).locator("summary").click()
    age = widget.locator(".stats time")
    expect(age).to_have_text(re.compile(r"^(\d+ seconds?|1 minute) ago$"))


@pytest.mark.parametrize("is_growing", [True, False])
def test_card_opens_whole_in_view(embedded_page, context, page, browser_wallet, is_growing):
    page.set_viewport_size({"width": 375 if is_growing else 1280, "height": 800})
    context.add_init_script(browser_wallet.script())
    embedded_page.configure(public_comments="About this list.\n" * 12)
    embedded_page.track_many(3)
    style = "h1 { margin-bottom: 25rem }"
    widget = embedded_page.open(page, script=is_growing, has_room=False, style=style)

    for _ in range(2):  # while its steps load, and with steps that are there
        press(widget, "Add your wallet")
        expect(widget.get_by_role("button", name="Test wallet")).to_be_visible()
        expect(widget.locator("#flow")).to_be_in_viewport(ratio=0.99)
        press(widget, "Close")


def test_second_press_of_a_double_click_does_nothing(widget, page):
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    add = widget.get_by_role("button", name="Add your wallet")
    for _ in range(2):  # before its steps are loaded, and after
        add.dblclick()
        expect(widget.locator("[data-step=choose]")).to_be_visible()
        expect(add).to_have_attribute("aria-expanded", "true")
        widget.locator(".flow").get_by_role("button", name="Close").click()
    ask_text(widget)
    button = widget.get_by_role("button", name="Sign with")
    button.evaluate("(button) => { button.click(); button.click(); }")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    assert len([url for url in sent if url.endswith("/embed/api/submissions")]) == 1


def test_way_can_be_left_and_walked_again_and_the_name_is_judged_as_one_types(
    embedded_page, widget, browser_wallet
):
    add = widget.get_by_role("button", name="Add your wallet")
    ask_text(widget, "First thought")
    press(widget, "Back")
    name, problem = widget.get_by_label("Name to show"), widget.locator("#nickname-problem")
    expect(name).to_have_value("First thought")
    name.fill("<b>")
    expect(problem).to_contain_text("Please use only letters")
    expect(name).to_have_attribute("aria-invalid", "true")
    name.fill("Ok")
    expect(problem).to_be_empty()
    press(widget, "Close")
    expect(add).to_be_focused()
    expect(add).to_have_attribute("aria-expanded", "false")
    submit(widget, "Second thought")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).nickname == "Second thought"


# What goes wrong


def test_steps_that_cannot_be_loaded_say_so_and_can_be_opened_later(embedded_page, context, page):
    widget = embedded_page.open(page)
    told = widget.locator("#flow [data-busy]")
    context.set_offline(True)
    press(widget, "Add your wallet")
    expect(told).to_contain_text("The server can't be reached.")
    context.set_offline(False)

    page.route("**/embed/tracking/*/flow?*", lambda route: route.fulfill(status=503, body="away"))
    press(widget, "Try again")
    expect(told).to_contain_text("Something went wrong on the server.")
    page.unroute("**/embed/tracking/*/flow?*")

    embedded_page.configure(is_embeddable=False)
    press(widget, "Try again")
    expect(told).to_have_text("The owner has switched this list off.")
    embedded_page.configure(is_embeddable=True)

    page.keyboard.press("Escape")
    press(widget, "Add your wallet")
    expect(widget.locator("[data-step=choose]")).to_be_visible()


def expect_refused(widget, sentence: str) -> None:
    """Expect the sentence, with the buttons for what can help."""
    expect(widget.get_by_role("alert")).to_have_text(sentence)
    offers = widget.locator("[data-problem] button:visible")
    expect(offers).to_have_text(["Show it", "Use another wallet"])
    expect(widget.locator("[data-step]:visible")).to_have_count(0)


def test_wallet_that_was_sent_before_is_told_at_once_and_shown(widget):
    submit(widget, "Night heron")
    press(widget, "Back to the list")
    press(widget, "Add your wallet")
    press(widget, "Test wallet")
    expect_refused(
        widget,
        "This wallet is already waiting for review as Night heron. There's nothing to sign.",
    )
    press(widget, "Use another wallet")
    press(widget, "Test wallet")
    press(widget, "Show it")

    expect(widget.locator("#flow")).to_be_hidden()
    expect(widget.locator("#own-list > li")).to_be_focused()


def test_wallet_on_the_list_is_told_before_it_signs_and_found_far_down_and_despite_a_search(
    embedded_page, context, page, browser_wallet
):
    embedded_page.fill(40)
    sent = embedded_page.submit(Visitor(browser_wallet.key), "Last of all").json
    embedded_page.approve(sent["submissionId"])
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    expect(widget.locator("#wallets .wallet")).to_have_count(25)

    for _ in range(2):
        press(widget, "Add your wallet")
        press(widget, "Test wallet")
        widget.get_by_label("Name to show").fill("Night heron")
        widget.get_by_role("button", name="Continue", exact=True).click()
        expect_refused(widget, DUPLICATE)
        press(widget, "Show it")
        expect(widget.locator("#wallets .wallet:focus")).to_contain_text("Last of all")
        expect(widget.locator("#wallets .wallet:focus")).to_be_in_viewport()
        expect(widget.locator("#search")).to_have_value(browser_wallet.address)
        widget.locator("#search").fill("Wallet 7")
        expect(widget.locator("#wallets .wallet")).to_have_count(1)
    frame = frame_of(page, embedded_page.service_url)
    assert frame.evaluate("testWallet.signed") == []
