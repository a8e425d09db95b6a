"""Loading: few requests, all at once, little while nothing changes, and nothing that moves."""

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from embedded_page import WITHOUT_COOKIES, frame_of, submit
from playwright.sync_api import expect
from support.chain_history import record_history
from support.world import USDC

pytestmark = pytest.mark.browser

MONTH = {timedelta(days=day): f"{day**3 % 997}.{day}" for day in range(1, 31)}


@pytest.fixture(scope="module")
def service_environ(environ_with_chain) -> dict[str, str]:
    return environ_with_chain


def test_idle_tab_asks_for_nothing_but_the_page(embedded_page, page):
    embedded_page.track_many(250)
    page.clock.install()
    embedded_page.open(page)
    embedded_page.settle(page)
    asked = []
    page.on("request", lambda one: one.frame.parent_frame and asked.append(urlsplit(one.url).path))
    for _ in range(4):
        with page.expect_response("**part=rows**") as answered:
            embedded_page.forward(page, "05:00")
        assert answered.value.status == 304
        embedded_page.settle(page)

    path = f"/embed/tracking/{embedded_page.page_id}"
    assert set(asked) == {path, "/healthz"}
    assert asked.count(path) == 4


def test_list_and_adding_a_wallet_take_few_requests(embedded_page, context, page, browser_wallet):
    context.add_init_script(browser_wallet.script())
    embedded_page.add_tag("team", "blue")
    for address in embedded_page.track_many(250, tag_names=["team"])[:30]:
        record_history(USDC, address, embedded_page.clock(), "1000", MONTH)
    finished = []
    page.on("requestfinished", lambda request: finished.append(request))

    def take() -> list:
        """Wait until nothing is under way, and return what the widget has asked for."""
        embedded_page.settle(page)
        frame = frame_of(page, embedded_page.service_url)
        of_frame = [one for one in finished if one.frame == frame]
        finished.clear()
        return [one for one in of_frame if not one.url.endswith(("/healthz", ".svg"))]

    widget = embedded_page.open(page)
    expect(widget.locator("#wallets .line").first).to_be_visible()
    first = take()
    submit(widget)
    expect(widget.locator("#own-list > li")).to_contain_text("waiting for review")
    adding = take()

    sizes = [one.sizes() for one in first]
    received = sum(one["responseHeadersSize"] + one["responseBodySize"] for one in sizes)
    assert len(first) == 9, [one.url for one in first]
    assert received < 28_000, received
    assert len(adding) == 10, [one.url for one in adding]


def test_flow_opens_at_once_and_is_loaded_in_one_wave(embedded_page, page):
    """Everything is asked for before anything is answered: nothing is found only by loading."""
    widget = embedded_page.open(page)
    held = []
    page.route("**/*", lambda route: held.append(route))
    add, panel = widget.get_by_role("button", name="Add your wallet"), widget.locator("#flow")
    with page.expect_request("**/flow-setup.js"):
        add.hover()
    add.click()
    expect(panel).to_be_visible()
    expect(panel).to_contain_text("Loading…")
    expect(widget.get_by_role("heading", name="Add your wallet")).to_be_focused()
    add.click()  # again, as nothing seems to happen
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(add).to_be_focused()
    add.click()
    expect(panel).to_be_visible()

    asked = held.copy()
    for route in asked:
        route.continue_()
    expect(widget.locator("[data-step=choose]")).to_be_visible()

    assert len([route for route in asked if route.request.url.endswith(".js")]) >= 5
    assert held == asked


# A part that is late: what has been painted stays where it is

MAX_SHIFT = 0.02  # cumulative; up to 0.1 counts as good (https://web.dev/articles/cls)
NOTE_SHIFTS = """(() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    window.shifts.push(...list.getEntries().map((one) => one.value));
  }).observe({ type: "layout-shift", buffered: true });
})()"""
# Functions, since the frame's policy forbids to evaluate an expression again and again.
HAS_BOX = "() => document.body.getClientRects().length > 0"
SHEETS = ("look.css", "widget.css")


@pytest.mark.parametrize("late", [*SHEETS, "main.js"])
def test_little_shifts_when_a_part_is_late(embedded_page, page, late):
    """In a frame with a process of its own, which browsers may draw before its page is drawn."""
    for address in embedded_page.track_many(12):
        record_history(USDC, address, embedded_page.clock(), "1000", MONTH)
    page.add_init_script(NOTE_SHIFTS)
    page.add_init_script(WITHOUT_COOKIES)  # which is told once the script has tried
    held = []
    page.route(lambda url: late in url, lambda route: held.append(route))
    with page.expect_request(lambda request: late in request.url):
        page.goto(embedded_page.host_page(), wait_until="commit")
    frame = frame_of(page, embedded_page.service_url)
    frame.wait_for_function("() => document.getElementById('words') !== null")
    if late in SHEETS:
        is_laid_out = frame.evaluate(HAS_BOX)
    else:  # once its stylesheet, for which the parser does not wait, is there
        is_laid_out = frame.wait_for_function(HAS_BOX).json_value()
    for route in held:
        route.continue_()
    page.unroute_all()
    widget = page.frame_locator("iframe")
    widget.locator("#widget[data-ready]").wait_for()
    expect(widget.locator("#cookie-blocked")).to_be_visible()
    embedded_page.settle(page)
    for _ in range(5):
        frame.evaluate("new Promise(requestAnimationFrame)")

    assert held
    assert is_laid_out == (late not in SHEETS), "laid out without its stylesheet"
    assert sum(frame.evaluate("window.shifts")) < MAX_SHIFT
