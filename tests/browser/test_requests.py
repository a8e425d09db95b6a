"""Loading: few requests, all at once, little while nothing changes, and nothing that moves."""

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from embedded_page import frame_of, submit
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


@pytest.mark.parametrize("late", ["look.css", "widget.css"])
def test_nothing_is_drawn_without_its_style_sheet(embedded_page, page, late):
    embedded_page.track_many(12)
    held = []
    page.route(lambda url: late in url, lambda route: held.append(route))
    with page.expect_request(lambda request: late in request.url):
        page.goto(embedded_page.host_page(), wait_until="commit")
    frame = frame_of(page, embedded_page.service_url)
    # A function, since the frame's policy forbids to evaluate an expression again and again.
    frame.wait_for_function("() => document.getElementById('words') !== null")
    is_laid_out = frame.evaluate("document.body.getClientRects().length > 0")
    for route in held:
        route.continue_()

    assert not is_laid_out
    expect(page.frame_locator("iframe").locator("#widget[data-ready]")).to_be_visible()
