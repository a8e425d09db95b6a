"""What an idle tab asks for and what that costs, and what a change costs."""

import re

import pytest
from embedded_page import BrowserWallet, EmbeddedPage, frame_of
from playwright.sync_api import expect
from support.byte_counter import count_bytes

pytestmark = pytest.mark.browser

READ = re.compile("/embed/api/tracking/")
DOCUMENT = re.compile("/embed/tracking/")  # read again while the list is not read as a whole
MAX_IDLE_BYTES = 1024  # of request and answer together


@pytest.fixture
def asked(page):
    """The paths that the frame has asked for, without static files."""
    seen = []

    def note(request) -> None:
        path = re.sub(r"https?://[^/]+", "", request.url).partition("?")[0]
        if request.frame.parent_frame and not path.startswith("/static/"):
            seen.append(path)

    page.on("request", note)
    return seen


@pytest.fixture
def wire(embedded_page):
    """What passes between the browser and the service; the widget is opened through it."""
    with count_bytes(int(embedded_page.service_url.rpartition(":")[2])) as wire:
        embedded_page.service_url = wire.url
        yield wire


def open_with_clock(embedded_page: EmbeddedPage, page):
    page.clock.install()
    widget = embedded_page.open(page)
    embedded_page.settle(page)
    return widget


def poll(embedded_page: EmbeddedPage, page, time: str = "05:00", *, what=READ):
    """Let the longest pause pass; return the answer to the poll."""
    with page.expect_response(what) as answered:
        embedded_page.forward(page, time)
    return answered.value


@pytest.mark.parametrize("count", [3, 250])
def test_idle_poll_costs_less_than_a_kilobyte(embedded_page, page, wire, count):
    embedded_page.track_many(count)
    open_with_clock(embedded_page, page)
    embedded_page.settle(page)
    for _ in range(3):
        wire.clear()
        with page.expect_response(READ if count == 3 else DOCUMENT) as answered:
            page.clock.fast_forward(301_000)
        assert answered.value.status == 304
        answered.value.finished()
        assert wire.sent.count(b"/tracking/") >= wire.sent.count(b"\r\n\r\n") == 1
        assert wire.received.count(b"HTTP/1.1 304") == 1
        assert len(wire.sent) + len(wire.received) < MAX_IDLE_BYTES, wire.sent + wire.received


def test_idle_tab_asks_for_nothing_but_the_page(embedded_page, page, asked):
    embedded_page.track_many(250)
    open_with_clock(embedded_page, page)
    embedded_page.settle(page)
    asked.clear()
    for _ in range(4):
        assert poll(embedded_page, page, what=DOCUMENT).status == 304
        embedded_page.settle(page)

    assert set(asked) == {f"/embed/tracking/{embedded_page.page_id}", "/embed/session"}
    assert asked.count(f"/embed/tracking/{embedded_page.page_id}") == 4


def test_change_of_a_long_list_is_read_once(embedded_page, page):
    addresses = embedded_page.track_many(250)
    widget = open_with_clock(embedded_page, page)
    widget.get_by_role("button", name="Show more").click()
    expect(widget.locator("#wallets .wallet")).to_have_count(100)
    embedded_page.observe(addresses[1], 77)
    embedded_page.track(BrowserWallet().address, alias="Newcomer")

    answer = poll(embedded_page, page)

    assert answer.status == 200
    expect(widget.locator("#wallets .balance").nth(1)).to_have_text("77.00")
    widget.get_by_role("searchbox").fill("newcomer")
    expect(widget.locator("#wallets .name")).to_have_text("Newcomer")
    assert poll(embedded_page, page).status == 304
    embedded_page.configure(public_title="Another")
    assert poll(embedded_page, page).status == 200


def test_warning_ends_with_an_unchanged_answer(embedded_page, page):
    embedded_page.track_many(3)
    widget = open_with_clock(embedded_page, page)
    page.route(READ, lambda route: route.abort())
    embedded_page.forward(page, "00:31")
    expect(widget.locator("#state")).to_contain_text("could not be refreshed")
    page.unroute(READ)

    assert poll(embedded_page, page).status == 304
    expect(widget.locator("#state")).to_be_empty()


def test_page_that_was_made_private_meanwhile_is_refused(embedded_page, page):
    embedded_page.track_many(3)
    widget = open_with_clock(embedded_page, page)
    embedded_page.configure(is_public=False)

    assert poll(embedded_page, page).status == 403
    expect(widget.locator("#state")).not_to_be_empty()
    embedded_page.configure(is_public=True)
    poll(embedded_page, page)
    expect(widget.locator("#state")).to_be_empty()


def test_list_that_was_loaded_before_is_not_loaded_again_on_the_next_page(
    embedded_page, page, wire
):
    embedded_page.track_many(250)
    for is_known in (False, True):
        wire.clear()
        embedded_page.open(page)
        frame = frame_of(page, embedded_page.service_url)
        with page.expect_response(READ) as answered:
            frame.get_by_role("searchbox").fill("Wallet 250")
        assert answered.value.status == 200
        expect(frame.locator("#wallets .name")).to_have_count(1)
        expect(frame.locator("#wallets .name")).to_have_text("Wallet 250")
        assert (b"HTTP/1.1 304" in wire.received) == is_known
