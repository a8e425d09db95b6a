"""Cold loads on a slow device: what has been painted stays where it is."""

from datetime import timedelta

import pytest
from embedded_page import WITHOUT_COOKIES, frame_of
from playwright.sync_api import expect
from support.chain_history import record_history
from support.world import USDC

pytestmark = pytest.mark.browser

MAX_SHIFT = 0.02  # cumulative; up to 0.1 counts as good (https://web.dev/articles/cls)
MONTH = {timedelta(days=day, minutes=1): str(1000 + day) for day in range(1, 9)}
NOTE_SHIFTS = """(() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      const moved = sources.map(({ node, previousRect: from, currentRect: to }) =>
        `${node?.id || node?.className || node?.nodeName} ${from.x},${from.y} ${to.x},${to.y}`);
      window.shifts.push({ value, moved });
    }
  }).observe({ type: "layout-shift", buffered: true });
})()"""
HAS_BOX = "document.body.getClientRects().length > 0"
IS_PARSED = "document.getElementById('words') !== null"
DRAW = """async (count) => {
  while (count-- > 0) await new Promise(requestAnimationFrame);
}"""


@pytest.fixture(scope="module")
def service_environ(environ_with_chain) -> dict[str, str]:
    return environ_with_chain


@pytest.fixture(scope="module")
def slow_browser(launch):
    """A browser whose frames share the process of their page, so that both are throttled."""
    browser = launch("--disable-site-isolation-trials", "--disable-features=IsolateOrigins")
    yield browser
    browser.close()


def fill(embedded_page, count: int) -> None:
    """Track wallets with tags and changes, or many with names only."""
    if count > 100:
        return embedded_page.fill(count)
    for name in ("team", "early bird"):
        embedded_page.add_tag(name, "blue")
    for address in embedded_page.track_many(count, tag_names=["team", "early bird"]):
        record_history(USDC, address, embedded_page.clock(), "1000", MONTH)
    return None


def open_throttled(browser, width: int, *, has_session: bool):
    """Return a new page, whose cache is empty, at a quarter of the processor's speed."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.set_default_timeout(120_000)
    context.add_init_script(NOTE_SHIFTS)
    if not has_session:  # as where the browser blocks the cookies of frames
        context.add_init_script(WITHOUT_COOKIES)
    page = context.new_page()
    client = context.new_cdp_session(page)
    client.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    return page


def read_shifts(embedded_page, page) -> list[dict]:
    """Wait until all that the frame asks for is drawn; return how it shifted meanwhile."""
    page.frame_locator("iframe").locator("#widget[data-ready]").wait_for()
    embedded_page.settle(page)
    frame = frame_of(page, embedded_page.service_url)
    frame.evaluate(DRAW, 5)
    return frame.evaluate("window.shifts")


def measure(shifts: list[dict]) -> float:
    return sum(one["value"] for one in shifts)


@pytest.mark.parametrize(("count", "has_session"), [(0, True), (12, False), (500, True)])
def test_little_shifts_in_cold_loads(slow_browser, embedded_page, count, has_session):
    """Wide and growing, with a session or without; narrow and not growing, the other way round."""
    fill(embedded_page, count)
    for width, script, session in ((800, True, has_session), (375, False, not has_session)):
        page = open_throttled(slow_browser, width, has_session=session)
        page.goto(embedded_page.host_page(script=script))
        shifts = read_shifts(embedded_page, page)
        expect(page.frame_locator("iframe").locator("#cookie-blocked")).to_be_visible(
            visible=not session
        )
        page.context.close()

        assert measure(shifts) < MAX_SHIFT, shifts


SHEETS = ("look.css", "widget.css")


@pytest.mark.parametrize("late", [*SHEETS, "main.js"])
def test_little_shifts_when_a_part_is_late(embedded_page, page, late):
    """In a frame with a process of its own, which browsers may draw before its page is drawn."""
    fill(embedded_page, 12)
    page.add_init_script(NOTE_SHIFTS)
    held = []
    page.route(lambda url: late in url, lambda route: held.append(route))
    with page.expect_request(lambda request: late in request.url):
        page.goto(embedded_page.host_page(), wait_until="commit")
    frame = frame_of(page, embedded_page.service_url)
    frame.wait_for_function(IS_PARSED)
    if late in SHEETS:
        is_laid_out = frame.evaluate(HAS_BOX)
    else:  # once its stylesheet, for which the parser does not wait, is there
        is_laid_out = frame.wait_for_function(HAS_BOX).json_value()
    for route in held:
        route.continue_()
    page.unroute_all()
    shifts = read_shifts(embedded_page, page)

    assert held
    assert is_laid_out == (late not in SHEETS), "laid out without its stylesheet"
    assert measure(shifts) < MAX_SHIFT, shifts
