"""Rows that the script swaps in: typing, answers that are late or missing, polls."""

from datetime import timedelta

import pytest
from embedded_page import BrowserWallet
from playwright.sync_api import Locator, Page, Route, expect

from embed.wallets import tracking

pytestmark = pytest.mark.browser

PARTS = "**part=rows**"

FIND_STOPS = "(all) => all.filter((one) => one.tabIndex === 0).length"
SELECT = """(one) => getSelection().selectAllChildren(one)"""


@pytest.fixture
def widget(embedded_page, page) -> Page:
    """The list of twelve wallets in a window whose clock stands still."""
    embedded_page.track_many(12)
    page.clock.install()
    page.goto(embedded_page.widget_url(lang="en"))
    page.locator("#widget[data-ready]").wait_for()
    page.clock.pause_at(embedded_page.clock() + timedelta(seconds=20))
    return page


@pytest.fixture
def rows(widget) -> Locator:
    return widget.locator("#wallets .wallet")


@pytest.fixture
def held(widget) -> list[Route]:
    """Requests for parts that nobody has answered."""
    held: list[Route] = []
    widget.route(PARTS, lambda route: held.append(route))
    return held


def search(widget, text: str) -> None:
    with widget.expect_request(PARTS):
        widget.get_by_role("searchbox").fill(text)
        widget.clock.run_for(130)
    widget.evaluate("0")  # what handles the request is called before this is answered


def let_poll(widget, time: str = "00:31") -> None:
    with widget.expect_response(PARTS):
        widget.clock.fast_forward(time)


def test_search_is_sent_120_ms_after_the_last_key(widget, rows):
    asked = []
    widget.on("request", lambda request: "part=rows" in request.url and asked.append(request.url))
    field = widget.get_by_role("searchbox")
    for key in "let":
        field.press(key)
        widget.clock.run_for(110)
    widget.evaluate("0")
    assert asked == []
    with widget.expect_request(PARTS):
        field.press("1")
        widget.clock.run_for(130)
    expect(rows).to_have_count(4)
    assert len(asked) == 1


def test_answer_of_an_older_question_is_dropped(widget, rows, held):
    search(widget, "wallet 1")
    search(widget, "wallet 7")
    expect(widget.locator("#wallets")).to_have_attribute("aria-busy", "true")
    expect(rows).to_have_count(12)
    held[1].continue_()
    expect(rows.locator(".name")).to_have_text(["Wallet 7"])
    with widget.expect_response(PARTS):
        held[0].continue_()
    widget.evaluate("fetch('/healthz').then(() => 0)")

    expect(rows.locator(".name")).to_have_text(["Wallet 7"])
    expect(widget.locator("#wallets")).not_to_have_attribute("aria-busy", "true")


def test_rows_stay_while_the_server_is_out_of_reach_and_the_list_says_so(widget, rows):
    widget.route(PARTS, lambda route: route.abort())
    search(widget, "wallet 7")
    state = widget.locator("#state")
    expect(state).to_contain_text("can't be reached")
    expect(rows).to_have_count(12)

    widget.unroute_all()
    search(widget, "wallet 1")
    expect(rows).to_have_count(4)
    expect(state).to_be_empty()


def test_busy_server_is_asked_again_when_it_said(widget, rows):
    refusal = {"status": 429, "headers": {"Retry-After": "7"}, "body": "Busy"}
    widget.route(PARTS, lambda route: route.fulfill(**refusal), times=1)
    search(widget, "wallet 7")
    expect(widget.locator("#state")).to_contain_text("it may be out of date")
    expect(rows).to_have_count(12)
    with widget.expect_request(PARTS):
        widget.clock.run_for(7_500)

    expect(rows).to_have_count(1)
    expect(widget.locator("#state")).to_be_empty()


def test_list_that_is_public_again_is_shown_again(embedded_page, widget, rows):
    embedded_page.configure(is_public=False)
    let_poll(widget)
    expect(rows).to_have_count(0)
    embedded_page.configure(is_public=True)
    let_poll(widget, "02:00")

    expect(rows).to_have_count(12)


def test_poll_leaves_open_rows_focus_selection_and_place_alone(embedded_page, widget, rows):
    widget.set_viewport_size({"width": 720, "height": 300})
    row = rows.filter(has_text="Wallet 9")
    row.locator("summary").click()
    row.locator(".stats").wait_for()
    button = row.get_by_role("button", name="Copy")
    button.focus()
    row.locator(".detail code").evaluate(SELECT)
    widget.evaluate("scrollTo(0, 250)")
    address = rows.filter(has_text="Wallet 4").locator(".detail code").text_content()
    embedded_page.observe(address, "4.5")
    embedded_page.track(BrowserWallet().address, alias="Poorest", balance="0.5")
    let_poll(widget)

    expect(rows.filter(has_text="Wallet 4").locator(".balance")).to_have_text("4.5")
    expect(rows.last.locator(".name")).to_have_text("Poorest")
    expect(row.locator(".stats")).to_be_visible()
    expect(button).to_be_focused()
    assert widget.evaluate("scrollY") == 250
    assert widget.evaluate("String(getSelection())") == row.locator(".detail code").inner_text()


def test_open_row_stays_open_when_it_changes(embedded_page, widget, rows):
    row = rows.filter(has_text="Wallet 9")
    row.locator("summary").click()
    row.locator(".stats").wait_for()
    row.locator("summary").focus()
    embedded_page.observe(row.locator(".detail code").text_content(), "9.5")
    let_poll(widget)

    expect(row.locator(".stats")).to_contain_text("9.5")
    expect(row.locator("summary").first).to_be_focused()
    wallet_id = row.get_attribute("data-id")
    tracking.remove_wallet(wallet_id, embedded_page.change())
    let_poll(widget)
    expect(rows).to_have_count(11)
    expect(rows.nth(3).locator("summary")).to_be_focused()  # which took its place


def test_keys_work_after_a_swap(widget, rows):
    """Also of the links that were swapped: the one that was pressed keeps the focus."""
    head = widget.locator("a.of-name")
    head.focus()
    with widget.expect_response(PARTS):
        widget.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-current", "true")
    expect(head).to_be_focused()
    with widget.expect_response(PARTS):
        widget.get_by_role("link", name="Newest").press("Enter")
    expect(widget.get_by_role("link", name="Newest")).to_be_focused()
    expect(rows.first).to_contain_text("Wallet 12")

    assert rows.locator("summary").evaluate_all(FIND_STOPS) == 1
    rows.first.locator("summary").focus()
    for key, place in (("ArrowDown", 1), ("End", 11), ("ArrowUp", 10), ("Home", 0)):
        widget.keyboard.press(key)
        expect(rows.nth(place).locator("summary")).to_be_focused()
    assert rows.locator("summary").evaluate_all(FIND_STOPS) == 1
