"""The visitor's own submissions: above the list, there from the start, and read out once."""

import pytest
from embedded_page import frame_of, submit
from playwright.sync_api import expect
from support.world import Visitor

from embed.domain.reasons import parse_reason

pytestmark = pytest.mark.browser


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
        return ids

    return widget, send


@pytest.mark.deployed
def test_what_waits_stands_above_the_list_and_moves_nothing(embedded_page, page, visit):
    widget, send = visit
    send("Night heron")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    widget.locator("#widget[data-ready]").wait_for()

    own = widget.get_by_role("region", name="Your submissions")
    expect(own).to_contain_text("Night heron waits for review")
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
    waiting, *others = send("Oldest", "Second", "Third", "Fourth", "Newest")
    for one in others:
        embedded_page.approve(one)
    page.reload()
    rows = widget.locator("#own-list li")
    names = widget.locator("#own-list li:visible strong")
    expect(names).to_have_text(["Oldest", "Newest", "Fourth"])

    more = widget.get_by_role("button", name="Show all")
    more.click()

    expect(names).to_have_text(["Oldest", "Newest", "Fourth", "Third", "Second"])
    expect(rows.nth(3)).to_be_focused()
    expect(more).to_be_hidden()
    assert waiting


@pytest.mark.deployed
def test_rows_that_have_not_changed_are_not_read_again(embedded_page, context, page, visit):
    context.clock.install()
    widget, send = visit
    first, _ = send("First", "Second")
    page.reload()
    widget.locator("#widget[data-ready]").wait_for()
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
    with page.expect_response("**/embed/api/session/submissions*"):
        embedded_page.forward(page, "00:11")

    expect(widget.locator("#own-list li").last).to_contain_text("First approved")
    read = frame.evaluate("window.read")
    assert len(read) == 1
    assert read[0].lstrip().startswith("First approved")


def test_visitor_reads_why_the_owner_rejected_a_wallet(embedded_page, context, page, visit):
    context.clock.install()
    widget, send = visit
    first, second = send("First", "Second")
    page.reload()
    widget.locator("#widget[data-ready]").wait_for()
    embedded_page.reject(first, reason=parse_reason("low_balance"))
    embedded_page.reject(second, reason=parse_reason("مرحبا <b>"))
    with page.expect_response("**/embed/api/session/submissions*"):
        embedded_page.forward(page, "00:11")

    for _ in range(2):  # as the script made the rows, and as the server does
        rows = widget.locator("#own-list li")
        expect(rows.filter(has_text="First")).to_contain_text(
            "The wallet holds too few tokens. It can"
        )
        words = rows.filter(has_text="Second").locator("q")
        expect(words).to_have_text("مرحبا <b>")
        assert words.evaluate("(one) => getComputedStyle(one).direction") == "rtl"
        page.reload()


def test_new_visitor_loads_nothing_about_submissions(embedded_page, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    widget = embedded_page.open(page)
    embedded_page.settle(page)

    expect(widget.locator("#own")).to_be_hidden()
    assert [url for url in asked if "/own" in url or "/session/submissions" in url] == []


def test_wallet_that_is_sent_appears_above_the_list(embedded_page, context, page, browser_wallet):
    context.add_init_script(browser_wallet.script())
    embedded_page.track_many(30)
    widget = embedded_page.open(page)

    submit(widget, "Night heron")

    own = widget.locator("#own")
    expect(own).to_contain_text("Night heron waits for review")
    expect(widget.locator("#flow-title")).to_be_focused()
    assert own.bounding_box()["y"] < widget.locator("#search").bounding_box()["y"]
