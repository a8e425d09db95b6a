"""The messages for refusals and failures; the visitor's input is not lost."""

import json
import re

import pytest
from embedded_page import ask_text, frame_of, submit
from playwright.sync_api import expect
from support.world import Visitor

from embed.errors import STATUS_BY_CODE

pytestmark = pytest.mark.browser

NONCE, SUBMISSIONS = "**/embed/api/siws/nonce", "**/embed/api/submissions"
READ = "**/embed/api/tracking/*"

# The texts for all codes of docs/api.md, Errors, that the nonce and submissions endpoints have.
BROKEN = "Something went wrong between this page and the server. Please try again."
SENTENCES = {
    "missing_key": "This widget is not set up correctly. Please tell the site's owner.",
    "invalid_key": "This widget's key is not for this page. Please tell the site's owner.",
    "revoked_key": "The owner has switched this widget's key off.",
    "missing_origin": "Your browser did not say which site you are on, so the request was refused.",
    "origin_not_allowed": "This site is not on the owner's list of allowed sites.",
    "embed_disabled": "The owner has switched this list off.",
    "page_not_found": "This list no longer exists.",
    "invalid_json": BROKEN,
    "missing_fields": BROKEN,
    "invalid_wallet_address": "This is not a wallet address. Please check it for typing mistakes.",
    "invalid_nickname_length": "Please choose a name of 1 to 32 characters.",
    "invalid_nickname_chars": (
        "Please use only letters, numbers, spaces, period, underscore and hyphen."
    ),
    "invalid_nonce": "The text to sign had expired. Here is a new one; your name is kept.",
    "nonce_binding_mismatch": (
        "The text to sign belonged to something else. Here is a new one; your name is kept."
    ),
    "invalid_signature": (
        "The signature does not match this wallet and this text. Please sign again."
    ),
    "not_accepted": "This submission was not accepted.",
    "duplicate": "This wallet is already on this list, or is waiting for review.",
    "ca_gate_failed": (
        "This page asks for at least 1,500 tokens. Its owner has entered no balance for this"
        " wallet, or a lower one."
    ),
    "balance_unavailable": (
        "Your wallet's balance cannot be read at the moment. What you typed is kept;"
        " please try again in 1 hour 30 minutes."
    ),
    "cooldown_active": (
        "This wallet was turned down a while ago. It can be sent again in 1 hour 30 minutes."
    ),
    "queue_full": "Too many wallets are waiting for review. Please try again in 1 hour 30 minutes.",
    "rate_limit_key": "This list is very busy. Please try again in 1 hour 30 minutes.",
    "rate_limit_ip": (
        "Too many requests came from your network. Please try again in 1 hour 30 minutes."
    ),
    "rate_limit_session": (
        "You have tried too often in a short time. Please try again in 1 hour 30 minutes."
    ),
    "unavailable": (
        "The server is unavailable for a moment. What you typed is kept;"
        " please try again in 1 hour 30 minutes."
    ),
    "internal_error": (
        "Something went wrong on the server. What you typed is kept; please try again."
    ),
}


def answer_with(code: str, retry_after: int | None = None):
    status = STATUS_BY_CODE[code]
    headers = {"Content-Type": "application/json"}
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)

    def answer(route):
        if route.request.method == "OPTIONS":
            return route.fallback()
        body = json.dumps({"error": code})
        return route.fulfill(status=status, body=body, headers=headers)

    return answer


@pytest.fixture
def widget(embedded_page, context, page, browser_wallet):
    context.clock.install()
    context.add_init_script(browser_wallet.script())
    return embedded_page.open(page)


def test_each_code_has_a_sentence_for_people(widget, embedded_page, page):
    page.clock.pause_at("2100-01-01")
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.locator("[data-step=choose]")).to_be_visible()  # with its sentences
    frame = frame_of(page, embedded_page.service_url)
    main_url = frame.locator("script[src$='main.js']").get_attribute("src")
    problems = {code: {} for code in SENTENCES} | {
        "ca_gate_failed": {"details": {"balance": 0.25, "minBalance": 1500}}
    }
    for code in SENTENCES:
        if STATUS_BY_CODE[code] in (429, 503):
            problems[code]["retryAfter"] = 5400

    told = frame.evaluate(
        """async ([folder, problems]) => {
          const { Problem } = await import(`${folder}/api.js`);
          const { explain } = await import(`${folder}/words.js`);
          return Object.fromEntries(Object.entries(problems).map(
            ([code, options]) => [code, explain(new Problem(code, options))]));
        }""",
        [main_url.removesuffix("/main.js"), problems],
    )

    assert told == SENTENCES


def test_amounts_that_fit_no_number_are_told(widget, page):
    body = '{"error": "ca_gate_failed", "balance": 1E-6, "minBalance": 18446744073709551615}'
    page.route(SUBMISSIONS, lambda route: route.fulfill(status=422, body=body))

    submit(widget)

    expect(widget.get_by_role("alert")).to_have_text(
        "This page asks for at least 18,446,744,073,709,551,615 tokens. Its owner has entered no"
        " balance for this wallet, or a lower one."
    )


def test_steps_that_cannot_be_loaded_say_so_and_can_be_opened_later(embedded_page, context, page):
    widget = embedded_page.open(page)
    told = widget.locator("#flow [data-busy]")
    context.set_offline(True)
    widget.get_by_role("button", name="Add your wallet").click()
    expect(told).to_contain_text("The server cannot be reached.")
    context.set_offline(False)

    page.route("**/embed/tracking/*/flow?*", lambda route: route.fulfill(status=503, body="away"))
    widget.get_by_role("button", name="Try again").click()
    expect(told).to_contain_text("Something went wrong on the server.")
    page.unroute("**/embed/tracking/*/flow?*")

    embedded_page.configure(is_embeddable=False)
    widget.get_by_role("button", name="Try again").click()
    expect(told).to_have_text("The owner has switched this list off.")
    embedded_page.configure(is_embeddable=True)

    page.keyboard.press("Escape")
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.locator("[data-step=choose]")).to_be_visible()


def test_every_code_of_a_submission_is_among_them():
    other_endpoints = {"not_found", "missing_tracking_page_id", "invalid_action"}
    other_endpoints |= {"secret_key_required", "wallet_not_found", "chain_disabled"}  # a refresh
    ours = {"invalid_host", "method_not_allowed", "bad_request"}

    assert set(STATUS_BY_CODE) - other_endpoints - ours == set(SENTENCES)


def expect_refused(widget, sentence: str, *, offers: list[str]) -> None:
    """Expect the sentence, with the buttons for what can help."""
    expect(widget.get_by_role("alert")).to_have_text(sentence)
    expect(widget.locator("[data-problem] button:visible")).to_have_text(offers)
    expect(widget.locator("[data-step]:visible")).to_have_count(0)


def test_wallet_that_was_sent_before_is_told_at_once_and_shown(widget, embedded_page, page):
    submit(widget, "Night heron")
    widget.get_by_role("button", name="Back to the list").click()
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name="Test wallet").click()
    name = "\u2068Night heron\u2069"
    expect_refused(
        widget,
        f"This wallet waits for review already, as {name}. There is nothing to sign.",
        offers=["Show it", "Use another wallet"],
    )
    widget.get_by_role("button", name="Use another wallet").click()
    widget.get_by_role("button", name="Test wallet").click()
    widget.get_by_role("button", name="Show it").click()

    expect(widget.locator("#flow")).to_be_hidden()
    expect(widget.locator("#own-list li")).to_be_focused()


def test_wallet_on_the_list_is_told_before_anything_is_signed(
    widget, embedded_page, page, browser_wallet
):
    sent = embedded_page.submit(Visitor(browser_wallet.key), "From elsewhere").json
    embedded_page.approve(sent["submissionId"])
    embedded_page.forward(page, "00:31")
    expect(widget.locator("#wallets .wallet")).to_have_count(1)
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name="Test wallet").click()
    widget.get_by_label("Name to show").fill("Night heron")
    widget.get_by_role("button", name="Continue", exact=True).click()
    expect_refused(widget, SENTENCES["duplicate"], offers=["Show it", "Use another wallet"])
    frame = frame_of(page, embedded_page.service_url)
    assert frame.evaluate("testWallet.signed") == []
    widget.get_by_role("button", name="Show it").click()

    expect(widget.locator("#wallets .wallet")).to_be_focused()


def test_wallet_that_waits_from_elsewhere_is_told_to_its_holder_only(
    widget, embedded_page, browser_wallet
):
    embedded_page.submit(Visitor(browser_wallet.key), "From elsewhere")

    submit(widget, "Night heron")

    expect_refused(widget, SENTENCES["duplicate"], offers=["Use another wallet"])
    expect(widget.locator("#own-list li").last).to_contain_text("not accepted")


def test_minimum_balance_without_an_endpoint_is_told(widget, embedded_page):
    embedded_page.configure(min_balance=1500)
    submit(widget)

    expect_refused(widget, SENTENCES["ca_gate_failed"], offers=["Use another wallet"])


def test_key_revoked_meanwhile_is_told_by_the_list_too(widget, embedded_page, page):
    embedded_page.revoke(embedded_page.key)
    embedded_page.forward(page, "00:31")

    expect(widget.locator("#state")).to_have_text(SENTENCES["revoked_key"])


def test_cooldown_counts_down_and_is_over_at_its_end(embedded_page, context, page, browser_wallet):
    embedded_page.configure(cooldown_s=7200)
    context.clock.install()
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    submit(widget, "Night heron")
    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    embedded_page.reject(embedded_page.find_submission(browser_wallet.address).id)
    embedded_page.forward(page, "00:11")
    own = widget.locator("#own-list li")
    expect(own).to_contain_text("turned down")
    expect(own).to_contain_text("The owner turned it down. It can be sent again in 1 hour")

    widget.get_by_role("button", name="Close").click()
    submit(widget, "Night heron")
    expect(widget.get_by_role("alert")).to_contain_text("It can be sent again in 1 hour 59 minutes")
    expect(widget.get_by_role("button", name="Try again")).to_be_hidden()

    embedded_page.forward(page, "02:00:00")
    expect(widget.get_by_role("button", name="Try again")).to_be_enabled()
    expect(widget.get_by_role("alert")).to_contain_text("in a moment")
    expect(own.last).to_contain_text("It can be sent again now.")


def test_countdown_ticks_and_is_read_out_once(widget, page):
    page.clock.pause_at("2100-01-01")
    ask_text(widget)
    page.route(SUBMISSIONS, answer_with("rate_limit_session", retry_after=90))
    widget.get_by_role("button", name="Sign with").click()
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

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()


def test_visitor_who_declines_in_the_wallet_can_think_again(
    embedded_page, context, page, browser_wallet
):
    refusal = {"code": 4001, "message": "No."}
    context.add_init_script(browser_wallet.script(refuse={"connect": [refusal], "sign": [refusal]}))
    widget = embedded_page.open(page)
    alert = widget.get_by_role("alert")
    declined = "You declined in your wallet. Nothing was sent."

    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name="Test wallet").click()
    expect(alert).to_have_text(declined)
    widget.get_by_role("button", name="Try again").click()
    expect(widget.get_by_label("Name to show")).to_be_focused()
    widget.get_by_label("Name to show").fill("Night heron")
    widget.get_by_role("button", name="Continue", exact=True).click()
    widget.get_by_role("button", name="Sign with").click()
    expect(alert).to_have_text(declined)
    widget.get_by_role("button", name="Try again").click()

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).nickname == "Night heron"


def test_wallet_that_signs_badly_is_asked_again(embedded_page, context, page, browser_wallet):
    context.add_init_script(browser_wallet.script(spoil=[True]))
    widget = embedded_page.open(page)

    submit(widget)
    expect(widget.get_by_role("alert")).to_contain_text("does not match this account and this text")
    widget.get_by_role("button", name="Try again").click()

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()


def test_network_gone_in_the_middle_keeps_what_was_typed(
    widget, context, embedded_page, browser_wallet
):
    ask_text(widget, "Night heron")
    context.set_offline(True)
    widget.get_by_role("button", name="Sign with").click()
    expect(widget.get_by_role("alert")).to_have_text(
        "The server cannot be reached. What you typed is kept; please try again."
    )

    widget.get_by_role("button", name="Back").click()
    expect(widget.get_by_label("Name to show")).to_have_value("Night heron")
    widget.get_by_role("button", name="Continue", exact=True).click()
    expect(widget.get_by_role("alert")).to_contain_text("The server cannot be reached.")
    context.set_offline(False)
    widget.get_by_role("button", name="Try again").click()
    widget.get_by_role("button", name="Sign with").click()

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).nickname == "Night heron"


def test_answer_that_is_no_json_is_a_failure_of_the_server(widget, page):
    page.route(NONCE, lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name="Test wallet").click()
    widget.get_by_label("Name to show").fill("Night heron")
    widget.get_by_role("button", name="Continue", exact=True).click()
    expect(widget.get_by_role("alert")).to_have_text(SENTENCES["internal_error"])
    expect(widget.get_by_label("Name to show")).to_have_value("Night heron")

    page.unroute(NONCE)
    widget.get_by_role("button", name="Try again").click()

    expect(widget.get_by_role("button", name="Sign with")).to_be_visible()


def test_name_that_only_the_server_refuses_is_asked_for_again(widget, page):
    page.route(SUBMISSIONS, answer_with("invalid_nickname_chars"))
    submit(widget, "Night heron")

    expect(widget.get_by_role("alert")).to_have_text(SENTENCES["invalid_nickname_chars"])
    expect(widget.get_by_label("Name to show")).to_have_value("Night heron")


def test_two_clicks_send_one_submission(widget, page):
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    ask_text(widget)
    button = widget.get_by_role("button", name="Sign with")
    button.evaluate("(button) => { button.click(); button.click(); }")

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert len([url for url in sent if url.endswith("/embed/api/submissions")]) == 1


def test_text_says_how_long_it_is_valid_and_is_not_signed_later(widget, embedded_page, page):
    page.clock.pause_at("2100-01-01")
    ask_text(widget)
    left = widget.locator("[data-show=time-left]")
    expect(left).to_have_text("10 minutes left.")
    page.clock.run_for(2000)
    expect(left).to_have_text("9 minutes 58 seconds left.")
    page.clock.run_for(600_000)
    expect(left).to_have_text("The time is over; you get a new text.")
    widget.get_by_role("button", name="Sign with").click()

    expect(widget.get_by_role("alert")).to_have_text(SENTENCES["invalid_nonce"])
    expect(left).to_have_text("10 minutes left.")
    assert frame_of(page, embedded_page.service_url).evaluate("testWallet.signed") == []


def test_text_that_ran_out_while_the_wallet_was_open_is_asked_for_again(
    widget, embedded_page, page, browser_wallet
):
    page.route(SUBMISSIONS, answer_with("invalid_nonce"), times=1)
    ask_text(widget, "Night heron")
    first = widget.locator("[data-show=message]").inner_text()
    widget.get_by_role("button", name="Sign with").click()
    expect(widget.get_by_role("alert")).to_have_text(SENTENCES["invalid_nonce"])
    expect(widget.locator("[data-show=message]")).not_to_have_text(first)
    widget.get_by_role("button", name="Sign with").click()

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).nickname == "Night heron"
    signed = frame_of(page, embedded_page.service_url).evaluate("testWallet.signed")
    assert len({re.search("Nonce: (.+)", text)[1] for text in signed}) == 2
