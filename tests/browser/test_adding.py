"""Adding a wallet in the frame: the whole way, what goes wrong on it, and the own submissions."""

import json
import re

import pytest
from embedded_page import WRONG_CLOCK, ask_text, frame_of, read_text, submit
from playwright.sync_api import expect
from support.world import Visitor

from embed.domain.reasons import parse_reason

pytestmark = pytest.mark.browser

SUBMISSIONS = "**/embed/api/submissions"
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


@pytest.mark.parametrize("days", [-3, 3])
def test_wrong_clock_of_a_visitor_shifts_no_time(
    embedded_page, context, page, browser_wallet, days
):
    context.add_init_script(WRONG_CLOCK.replace("AHEAD", f"{days} * 86400e3"))
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


@pytest.mark.deployed
def test_wallet_approved_by_policy_is_on_the_list_at_once(
    embedded_page, context, page, browser_wallet
):
    embedded_page.configure(auto_approve=True)
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)

    submit(widget, "Night heron")

    expect(widget.get_by_text("Your wallet is on the list, as Night heron.")).to_be_visible()
    expect(widget.locator("#wallets .wallet.mine")).to_contain_text("Night heron You")


@pytest.mark.parametrize(("kind", "name"), [("standard", "Test wallet"), ("older", "Phantom")])
def test_text_to_sign_is_shown_before_the_wallet_is_asked(
    embedded_page, context, page, browser_wallet, kind, name
):
    context.add_init_script(browser_wallet.script(kind=kind))
    widget = embedded_page.open(page)

    ask_text(widget, wallet=name)
    shown = read_text(widget)
    frame = frame_of(page, embedded_page.service_url)
    assert frame.evaluate("testWallet.signed") == []
    press(widget, "Sign with")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    assert frame.evaluate("testWallet.signed") == [shown]
    assert browser_wallet.address in shown
    assert shown.endswith("This signature does not authorize any transaction.")


@pytest.mark.parametrize("place", ["growing frame", "fixed frame", "own tab"])
@pytest.mark.parametrize("width", [375, 1280])
def test_card_opens_whole_in_view(embedded_page, context, page, browser_wallet, place, width):
    page.set_viewport_size({"width": width, "height": 800})
    context.add_init_script(browser_wallet.script())
    embedded_page.configure(public_comments="About this list.\n" * 12)
    embedded_page.track_many(3)
    if place == "own tab":
        page.goto(embedded_page.widget_url())
        widget = page.locator("body")
    else:
        is_growing = place == "growing frame"
        style = "h1 { margin-bottom: 25rem }"
        widget = embedded_page.open(page, script=is_growing, has_room=False, style=style)

    for _ in range(2):  # while its steps load, and with steps that are there
        press(widget, "Add your wallet")
        expect(widget.get_by_role("button", name="Test wallet")).to_be_visible()
        expect(widget.locator("#flow")).to_be_in_viewport(ratio=0.99)
        press(widget, "Close")


def test_double_click_opens_the_way_and_leaves_it_open(widget):
    add = widget.get_by_role("button", name="Add your wallet")
    for _ in range(2):  # before its steps are loaded, and after
        add.dblclick()
        expect(widget.locator("[data-step=choose]")).to_be_visible()
        expect(add).to_have_attribute("aria-expanded", "true")
        widget.locator(".flow").get_by_role("button", name="Close").click()


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


def test_two_clicks_send_one_submission(widget, page):
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    ask_text(widget)
    button = widget.get_by_role("button", name="Sign with")
    button.evaluate("(button) => { button.click(); button.click(); }")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    assert len([url for url in sent if url.endswith("/embed/api/submissions")]) == 1


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


def expect_refused(widget, sentence: str, *, offers: list[str]) -> None:
    """Expect the sentence, with the buttons for what can help."""
    expect(widget.get_by_role("alert")).to_have_text(sentence)
    expect(widget.locator("[data-problem] button:visible")).to_have_text(offers)
    expect(widget.locator("[data-step]:visible")).to_have_count(0)


def test_wallet_that_was_sent_before_is_told_at_once_and_shown(widget):
    submit(widget, "Night heron")
    press(widget, "Back to the list")
    press(widget, "Add your wallet")
    press(widget, "Test wallet")
    expect_refused(
        widget,
        "This wallet is already waiting for review as Night heron. There's nothing to sign.",
        offers=["Show it", "Use another wallet"],
    )
    press(widget, "Use another wallet")
    press(widget, "Test wallet")
    press(widget, "Show it")

    expect(widget.locator("#flow")).to_be_hidden()
    expect(widget.locator("#own-list > li")).to_be_focused()


def test_wallet_on_the_list_is_told_before_anything_is_signed(
    widget, embedded_page, page, browser_wallet
):
    sent = embedded_page.submit(Visitor(browser_wallet.key), "From elsewhere").json
    embedded_page.approve(sent["submissionId"])
    embedded_page.forward(page, "00:31")
    expect(widget.locator("#wallets .wallet")).to_have_count(1)
    press(widget, "Add your wallet")
    press(widget, "Test wallet")
    widget.get_by_label("Name to show").fill("Night heron")
    widget.get_by_role("button", name="Continue", exact=True).click()
    expect_refused(widget, DUPLICATE, offers=["Show it", "Use another wallet"])
    frame = frame_of(page, embedded_page.service_url)
    assert frame.evaluate("testWallet.signed") == []
    press(widget, "Show it")

    expect(widget.locator("#wallets .wallet")).to_be_focused()


def test_row_that_is_led_to_may_be_far_down_and_hidden_by_a_search(
    embedded_page, context, page, browser_wallet
):
    for number in range(40):
        embedded_page.track(Visitor().address, alias=f"Holder {number}", balance=100 - number)
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
        press(widget, "Show it")
        expect(widget.locator("#wallets .wallet:focus")).to_contain_text("Last of all")
        expect(widget.locator("#wallets .wallet:focus")).to_be_in_viewport()
        expect(widget.locator("#search")).to_have_value(browser_wallet.address)
        widget.locator("#search").fill("Holder 7")
        expect(widget.locator("#wallets .wallet")).to_have_count(1)


def test_wallet_that_has_to_wait_is_told_before_it_signs(
    widget, embedded_page, page, browser_wallet
):
    submit(widget, "Night heron")
    press(widget, "Back to the list")
    embedded_page.reject(embedded_page.find_submission(browser_wallet.address).id)
    embedded_page.forward(page, "00:11")
    expect(widget.locator("#own-list > li")).to_contain_text("rejected")
    frame = frame_of(page, embedded_page.service_url)
    signed = frame.evaluate("testWallet.signed.length")
    press(widget, "Add your wallet")
    press(widget, "Test wallet")

    alert = widget.get_by_role("alert")
    expect(alert).to_contain_text("This wallet was rejected a while ago.")
    expect(alert).to_contain_text("You can send it again in 23 hours 59 minutes.")
    expect(widget.locator("[data-problem] button:visible")).to_have_text(["Use another wallet"])
    assert frame.evaluate("testWallet.signed.length") == signed


def test_countdown_ticks_and_is_read_out_once(widget, page):
    page.clock.pause_at("2100-01-01")
    ask_text(widget)
    refusal = {"status": 429, "headers": {"Retry-After": "90"}}
    body = json.dumps({"error": "rate_limit_session"})
    page.route(SUBMISSIONS, lambda route: route.fulfill(body=body, **refusal))
    press(widget, "Sign with")
    alert = widget.get_by_role("alert")
    again = widget.get_by_role("button", name="Try again")

    expect(alert).to_contain_text("in 1 minute 30 seconds")
    expect(again).to_be_disabled()
    assert alert.get_attribute("aria-live") is None
    page.clock.run_for(1000)
    expect(alert).to_contain_text("in 1 minute 29 seconds")
    expect(alert).to_have_attribute("aria-live", "off")
    page.unroute(SUBMISSIONS)
    page.clock.run_for(90_000)
    again.click()

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()


def test_network_gone_in_the_middle_keeps_what_was_typed(
    widget, context, embedded_page, browser_wallet
):
    ask_text(widget, "Night heron")
    context.set_offline(True)
    press(widget, "Sign with")
    expect(widget.get_by_role("alert")).to_have_text(
        "The server can't be reached. What you typed is kept; please try again."
    )

    press(widget, "Back")
    expect(widget.get_by_label("Name to show")).to_have_value("Night heron")
    widget.get_by_role("button", name="Continue", exact=True).click()
    expect(widget.get_by_role("alert")).to_contain_text("The server can't be reached.")
    context.set_offline(False)
    press(widget, "Try again")
    press(widget, "Sign with")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).nickname == "Night heron"


def test_submission_whose_answer_is_lost_is_found_when_it_is_sent_again(
    widget, page, embedded_page, browser_wallet
):
    ask_text(widget, "Night heron")

    def lose(route):
        route.fetch()
        route.abort()

    page.route(SUBMISSIONS, lose)
    press(widget, "Sign with")
    expect(widget.get_by_role("alert")).to_contain_text("The server can't be reached.")
    assert embedded_page.find_submission(browser_wallet.address).nickname == "Night heron"
    page.unroute(SUBMISSIONS)
    press(widget, "Try again")

    expect_refused(widget, DUPLICATE, offers=["Show it", "Use another wallet"])
    expect(widget.get_by_role("heading", name="Already here")).to_be_visible()
    frame = frame_of(page, embedded_page.service_url)
    assert frame.evaluate("testWallet.signed.length") == 1
    press(widget, "Show it")
    expect(widget.locator("#own-list > li")).to_be_focused()


def test_wallet_that_holds_too_little_is_offered_another_first(widget, embedded_page, page):
    ask_text(widget)
    refusal = {"error": "ca_gate_failed", "balance": 5, "minBalance": 1500}
    page.route(SUBMISSIONS, lambda route: route.fulfill(status=403, json=refusal))
    press(widget, "Sign with")

    sentence = (
        "This list requires at least 1,500 $USDC. The owner has entered no balance for this"
        " wallet, or a lower one."
    )
    expect_refused(widget, sentence, offers=["Use another wallet", "Try again"])
    expect(widget.locator("[data-problem] .primary:visible")).to_have_text("Use another wallet")


# The own submissions


@pytest.fixture
def visit(embedded_page, context, page):
    """The page of a visitor who has a session, and a way to send wallets in it."""
    embedded_page.track_many(30)
    widget = embedded_page.open(page)
    (cookie,) = context.cookies(f"{embedded_page.service_url}/embed/")

    def send(*names: str) -> list[str]:
        ids = []
        for name in names:
            visitor = Visitor()
            visitor.cookie = cookie["value"]
            ids.append(embedded_page.submit(visitor, name).json["submissionId"])
        page.reload()
        widget.locator("#widget[data-ready]").wait_for()
        return ids

    return widget, send


@pytest.mark.deployed
def test_what_waits_stands_above_the_list_and_moves_nothing(embedded_page, page, visit):
    widget, send = visit
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    send("Night heron")

    own = widget.get_by_role("region", name="Your submissions")
    expect(own).to_contain_text("Night heron waiting for review")
    first = widget.locator("#wallets .wallet").first
    assert own.bounding_box()["y"] < first.bounding_box()["y"]
    assert first.bounding_box()["y"] < 600  # the list is still in sight
    embedded_page.settle(page)
    frame = frame_of(page, embedded_page.service_url)
    shifts = frame.evaluate(
        """() => new Promise((resolve) => {
          const observer = new PerformanceObserver(() => {});
          observer.observe({type: "layout-shift", buffered: true});
          requestAnimationFrame(() => requestAnimationFrame(() =>
            resolve(observer.takeRecords().map(({value}) => value))));
        })"""
    )
    assert sum(shifts) < 0.01
    assert not any("session" in url for url in asked if "/embed/api/" in url)


def test_what_waits_comes_first_and_the_rest_on_demand(embedded_page, page, visit):
    widget, send = visit
    _, *others = send("Oldest", "Second", "Third", "Fourth", "Newest")
    for one in others:
        embedded_page.approve(one)
    page.reload()
    names = widget.locator("#own-list > li:visible :is(a[data-act=show], strong[title])")
    expect(names).to_have_text(["Oldest", "Newest", "Fourth"])

    more = widget.get_by_role("button", name="Show all")
    more.click()

    expect(names).to_have_text(["Oldest", "Newest", "Fourth", "Third", "Second"])
    expect(widget.locator("#own-list > li").nth(3)).to_be_focused()
    expect(more).to_be_hidden()


@pytest.mark.deployed
def test_rows_that_have_not_changed_are_not_read_again(embedded_page, context, page, visit):
    context.clock.install()
    widget, send = visit
    first, _ = send("First", "Second")
    frame = frame_of(page, embedded_page.service_url)
    frame.evaluate(
        """() => {
          window.read = [];
          new MutationObserver((changes) => changes.forEach(({addedNodes}) =>
            addedNodes.forEach((node) => window.read.push(node.textContent))))
              .observe(document.querySelector("#own-list"), {childList: true});
        }"""
    )
    embedded_page.approve(first)
    with page.expect_response("**/own?*"):
        embedded_page.forward(page, "00:11")

    expect(widget.locator("#own-list > li").last.locator(".line-1")).to_contain_text("You")
    read = frame.evaluate("window.read")
    assert all("First" in one for one in read)


def test_visitor_reads_why_the_owner_rejected_a_wallet(embedded_page, context, page, visit):
    context.clock.install()
    widget, send = visit
    first, second = send("First", "Second")
    embedded_page.reject(first, reason=parse_reason("low_balance"))
    embedded_page.reject(second, reason=parse_reason("مرحبا <b>"))
    with page.expect_response("**/own?*"):
        embedded_page.forward(page, "00:11")

    for _ in range(2):  # as the script made the rows, and as the server does
        rows = widget.locator("#own-list > li")
        expect(rows.filter(has_text="First")).to_contain_text(
            "The wallet holds too few tokens. You can send it again in"
        )
        words = rows.filter(has_text="Second").locator("q")
        expect(words).to_have_text("مرحبا <b>")
        assert words.evaluate("(one) => getComputedStyle(one).direction") == "rtl"
        page.reload()
