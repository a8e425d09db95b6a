"""What the frame asks for: nothing of others, all at once, and little while nothing changes."""

import re
from datetime import timedelta

import pytest
from embedded_page import BrowserWallet, EmbeddedPage, frame_of, submit
from playwright.sync_api import expect
from support.chain_history import record_history
from support.world import USDC, Visitor

pytestmark = pytest.mark.browser

MONTH = {timedelta(days=day): f"{day**3 % 997}.{day}" for day in range(1, 31)}

READ = re.compile("part=rows")


@pytest.fixture(scope="module")
def service_environ(environ_with_chain) -> dict[str, str]:
    return environ_with_chain


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


def open_with_clock(embedded_page: EmbeddedPage, page):
    page.clock.install()
    widget = embedded_page.open(page)
    embedded_page.settle(page)
    return widget


def poll(embedded_page: EmbeddedPage, page, time: str = "05:00"):
    """Let the longest pause pass; return the answer to the poll."""
    with page.expect_response(READ) as answered:
        embedded_page.forward(page, time)
    return answered.value


def test_idle_tab_asks_for_nothing_but_the_page(embedded_page, page, asked):
    embedded_page.track_many(250)
    open_with_clock(embedded_page, page)
    embedded_page.settle(page)
    asked.clear()
    for _ in range(4):
        assert poll(embedded_page, page).status == 304
        embedded_page.settle(page)

    assert set(asked) == {f"/embed/tracking/{embedded_page.page_id}", "/healthz"}
    assert asked.count(f"/embed/tracking/{embedded_page.page_id}") == 4


def test_change_of_a_long_list_is_read_once(embedded_page, page):
    addresses = embedded_page.track_many(250)
    widget = open_with_clock(embedded_page, page)
    widget.get_by_role("link", name="Show more").click()
    expect(widget.locator("#wallets .wallet")).to_have_count(100)
    embedded_page.observe(addresses[200], 999)
    embedded_page.track(BrowserWallet().address, alias="Newcomer")

    answer = poll(embedded_page, page)

    assert answer.status == 200
    expect(widget.locator("#count")).to_have_text("100 of 251 wallets")
    expect(widget.locator("#wallets .name").first).to_have_text("Wallet 201")
    expect(widget.locator("#wallets .balance").first).to_have_text("999")
    widget.get_by_role("searchbox").fill("newcomer")
    page.clock.run_for(200)
    expect(widget.locator("#wallets .name")).to_have_text(["Newcomer"])
    assert poll(embedded_page, page).status == 304
    embedded_page.configure(public_title="Another")
    assert poll(embedded_page, page).status == 200


@pytest.mark.parametrize("place", ["frame", "window"])
def test_list_and_adding_a_wallet_take_few_requests(
    embedded_page, context, page, browser_wallet, place
):
    """Of the widget alone. A window's icon, which headless browsers seldom load, is one more."""
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
        taken = [
            one
            for one in finished
            if one.frame == frame and not one.url.endswith(("/healthz", ".svg"))
        ]
        finished.clear()
        return taken

    if place == "frame":
        widget = embedded_page.open(page)
    else:
        page.goto(embedded_page.widget_url())
        widget = page
        widget.locator("#widget[data-ready]").wait_for()
    expect(widget.locator("#wallets .line").first).to_be_visible()
    first = take()
    if place == "window":
        widget.get_by_role("button", name="Add your wallet").click()
    submit(widget)
    expect(widget.locator("#own-list > li")).to_contain_text("waiting for review")
    adding = take()

    sizes = [one.sizes() for one in first]
    received = sum(one["responseHeadersSize"] + one["responseBodySize"] for one in sizes)
    assert len(first) == 9, [one.url for one in first]
    assert received < 28_000, received
    assert len(adding) == 10, [one.url for one in adding]


@pytest.fixture
def hundred(embedded_page):
    """A page of 100 wallets with names, balances and tags."""
    embedded_page.add_tag("team", "blue")
    embedded_page.add_tag("early bird", "green")
    embedded_page.track_many(100, tag_names=["team", "early bird"])
    return embedded_page


def test_flow_opens_at_once_and_is_loaded_in_one_wave(hundred, page):
    """Everything is asked for before anything is answered: nothing is found only by loading."""
    widget = hundred.open(page)
    is_answered, held, later = [], [], []

    def hold(route) -> None:
        if not is_answered:
            held.append(route)
        else:
            later.append(route.request.url)
            route.continue_()

    page.route("**/*", hold)
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

    is_answered.append(True)
    for route in held:
        route.continue_()
    expect(widget.locator("[data-step=choose]")).to_be_visible()

    assert len([route for route in held if route.request.url.endswith(".js")]) >= 5
    assert later == []


def test_frame_asks_nobody_else(hundred, page):
    urls = []
    page.on("request", lambda request: request.frame.parent_frame and urls.append(request.url))
    hundred.approve(hundred.submit(Visitor(), "Proved").json["submissionId"])
    widget = hundred.open(page)
    widget.get_by_role("link", name="Show more").click()
    widget.get_by_role("searchbox").fill("Proved")
    expect(widget.locator("#wallets .wallet")).to_have_count(1)
    widget.locator("#wallets summary").click()
    expect(widget.locator(".proof")).to_be_visible()
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.locator("[data-step=choose]")).to_be_visible()

    assert len(urls) > 10
    assert [url for url in urls if not url.startswith(f"{hundred.service_url}/")] == []
