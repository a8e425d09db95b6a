"""Changes and lines in the widget's rows: where they are, when they are asked for, how wide."""

import math
import random
import re
from datetime import timedelta
from decimal import Decimal

import pytest
from axe import find_faults, find_violations
from embedded_page import BrowserWallet, frame_of, sign_in
from loaded_bytes import count_loaded
from playwright.sync_api import expect
from support.chain_history import record_history
from support.world import USDC
from test_speed_budget import BUDGET_BYTES

from embed.db.connection import db
from embed.db.models import ChainBalance, Token, Wallet
from embed.domain import times

pytestmark = pytest.mark.browser

ASKED = "**/embed/tracking/*/changes?*"
CHANGES_BUDGET_BYTES = 6_500  # of what is loaded when the list is there already
DAY = timedelta(days=1)
MONTH = {
    day * DAY + timedelta(minutes=1): str(round(1000 + 90 * math.sin(day / 3) - 5 * day, 2))
    for day in range(1, 30)
}


@pytest.fixture(scope="module")
def service_environ(environ_with_chain) -> dict[str, str]:
    return environ_with_chain


@pytest.fixture
def track(embedded_page):
    """Track a wallet with a history, and return its address."""

    def make(alias: str, amount: str = "1000", earlier=MONTH, **changes) -> str:
        address = BrowserWallet().address
        embedded_page.track(address, alias=alias, balance=amount, **changes)
        if earlier is not None:
            record_history(USDC, address, embedded_page.clock(), amount, earlier)
        return address

    return make


def find_row(widget, name: str):
    return widget.locator(".wallet", has=widget.get_by_text(name, exact=True))


def test_row_shows_a_change_and_a_line_and_its_details_all_of_them(embedded_page, page, track):
    track("Ann", "1234.5", {DAY: "1222", 7 * DAY: "3200000"})
    row = find_row(embedded_page.open(page), "Ann")

    expect(row.locator(".change")).to_have_text("+12.5")
    expect(row.locator(".up")).to_have_text("+12.5")
    expect(row.locator(".up")).to_have_attribute("title", "1 day: +12.5")
    expect(row.get_by_role("img", name="7 days: -3,198,765.5")).to_be_visible()
    expect(row.locator(".balance")).to_contain_text("1,234.50")
    row.locator("summary").click()
    expect(row.locator(".stats .down")).to_have_text("-3,198,765.5")
    expect(row.get_by_role("img", name="Balance over 30 days")).to_be_visible()


def test_what_is_not_known_takes_no_place(embedded_page, page, track):
    track("New", earlier=None)
    track("Once", earlier={})
    widget = embedded_page.open(page)
    expect(widget.get_by_text("30 days")).to_be_hidden()

    track("Short", "5", {3 * DAY: "5"})
    widget = embedded_page.open(page)
    expect(find_row(widget, "Short").get_by_role("img", name="3 days: 0")).to_be_visible()
    expect(widget.get_by_text("30 days")).to_be_visible()
    expect(find_row(widget, "Short").locator(".change bdi")).to_have_count(0)
    expect(find_row(widget, "New").locator(".change, .line")).to_have_count(0)
    expect(find_row(widget, "Once").locator(".change, .line")).to_have_count(0)


def test_list_is_complete_where_changes_cannot_be_read(embedded_page, page, track):
    track("Ann")
    page.route(ASKED, lambda route: route.fulfill(status=503, body="away"))
    widget = embedded_page.open(page)
    embedded_page.settle(page)

    expect(find_row(widget, "Ann")).to_be_visible()
    expect(widget.locator(".change")).to_have_count(0)
    expect(widget.locator("#state")).to_be_empty()


def test_rows_are_asked_for_when_they_come_near_the_screen(embedded_page, page, track):
    with db.atomic():
        for number in range(1, 231):
            track(f"Wallet {number}", str(number), {DAY: "0"})
    asked = []
    page.on(
        "request", lambda one: "/changes?" in one.url and asked.append(one.url.count("%2C") + 1)
    )
    widget = embedded_page.open(page)

    expect(find_row(widget, "Wallet 1").first.locator(".change")).to_have_text("+1")
    embedded_page.settle(page)
    assert sum(asked) < 40
    widget.get_by_label("Order").select_option(label="Balance")
    expect(find_row(widget, "Wallet 230").locator(".change")).to_have_text("+230")
    for _ in range(2):
        widget.get_by_role("button", name="Show more").click()
    find_row(widget, "Wallet 150").scroll_into_view_if_needed()
    expect(find_row(widget, "Wallet 150").locator(".change")).to_have_text("+150")
    embedded_page.settle(page)
    before = sum(asked)
    assert before < 200
    widget.get_by_role("searchbox").fill("Wallet 150")
    expect(find_row(widget, "Wallet 150").locator(".change")).to_have_text("+150")
    embedded_page.settle(page)
    assert sum(asked) == before


def test_another_balance_brings_another_change(embedded_page, page, track):
    page.clock.install()
    address = track("Ann", "5", {DAY: "4"})
    widget = embedded_page.open(page)
    expect(find_row(widget, "Ann").locator(".change")).to_have_text("+1")

    ChainBalance.update(amount=Decimal(9)).where(ChainBalance.address == address).execute()
    embedded_page.observe(address, "9")
    embedded_page.forward(page, "00:31")

    expect(find_row(widget, "Ann").locator(".change")).to_have_text("+5")


def test_no_row_is_wider_than_a_narrow_screen(embedded_page, page, track):
    page.set_viewport_size({"width": 320, "height": 700})
    most = "99999999999999999999"
    track("Whale " * 10, most, {DAY: "0.00000000000000000001", 7 * DAY: "1"})
    track("Fallen", "0.000000123456789", {DAY: most, 7 * DAY: "123456.789"})
    track("Ann")
    Wallet.update(public_alias=None).where(Wallet.public_alias == "Ann").execute()
    for lang in ("en", "ar", "de", "ja", "ru"):
        page.goto(embedded_page.widget_url(lang=lang))

        expect(page.locator(".change bdi")).to_have_count(3)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, lang
        assert page.locator(".list").evaluate("(one) => one.scrollWidth <= one.clientWidth"), lang
        for cell in page.locator(".change, .names, .balance").all():
            box = cell.bounding_box()
            assert box["width"] > 0, lang
            assert box["x"] >= 0, lang
            assert box["x"] + box["width"] <= 320, lang


def test_rows_keep_their_heights_when_changes_arrive(embedded_page, page, track):
    for number in range(5):
        track(f"Wallet {number}")
    held = []
    page.route(ASKED, lambda route: held.append(route))
    with page.expect_request(ASKED):
        page.goto(embedded_page.widget_url())
    read_tops = (
        "[...document.querySelectorAll('.wallet')].map((row) => row.getBoundingClientRect().top)"
    )
    before = page.evaluate(read_tops)

    assert held
    held[0].continue_()
    expect(page.locator(".wallet .change")).to_have_count(5)

    assert page.evaluate(read_tops) == before


def test_axe_finds_nothing(embedded_page, page, track):
    track("Ann", "1234.5", {DAY: "1222", 7 * DAY: "3200000"})
    track("Same", "1", {DAY: "1"})
    widget = embedded_page.open(page)
    expect(widget.locator(".change")).to_have_count(2)

    frame = frame_of(page, embedded_page.service_url)
    assert find_violations("list", page, frame) == []


def test_list_keeps_its_budget_and_changes_have_one_of_their_own(embedded_page, page, track):
    embedded_page.add_tag("team", "blue")
    embedded_page.add_tag("early bird", "green")
    chance = random.Random(1)
    with db.atomic():
        for number in range(100):
            earlier = {day * DAY: str(chance.randrange(10**9)) for day in range(1, 30)}
            track(f"Wallet {number}", "5", earlier, tag_names=["team", "early bird"])
    loaded = count_loaded(page)
    page.goto(embedded_page.widget_url(lang="en"), wait_until="networkidle")
    expect(page.locator(".change").first).to_be_visible()

    later = re.compile("change|details")
    of_changes = {url: size for url, size in loaded.items() if later.search(url)}
    assert len(of_changes) == 3  # two scripts, and the changes
    assert sum(of_changes.values()) <= CHANGES_BUDGET_BYTES, of_changes
    assert sum(loaded.values()) - sum(of_changes.values()) <= BUDGET_BYTES


def test_nothing_is_asked_for_without_javascript(embedded_page, browser, track):
    track("Ann")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(embedded_page.widget_url())

    expect(page.locator(".wallet")).to_have_count(1)
    expect(page.locator(".change")).to_have_count(0)
    context.close()


def test_frame_asks_only_its_own_service(embedded_page, page, track):
    track("Ann")
    urls = []
    page.on("request", lambda one: one.frame.parent_frame and urls.append(one.url))
    expect(find_row(embedded_page.open(page), "Ann").locator(".change")).to_be_visible()

    assert [url for url in urls if not url.startswith(f"{embedded_page.service_url}/")] == []
    assert frame_of(page, embedded_page.service_url)


# The dashboard


def test_wallets_page_fits_a_narrow_screen_and_axe_finds_nothing(dashboard, page, track):
    most = "99999999999999999999"
    track("Whale", most, {DAY: "0.00000000000000000001", 7 * DAY: "1"})
    track("Fallen", "0.000000123456789", {DAY: most, 7 * DAY: "123456.789"})
    track("Ann")
    track("New", earlier=None)
    sign_in(page, dashboard)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{dashboard.base}/wallets")

    expect(page.get_by_role("img", name=re.compile("days: "))).to_have_count(3)
    assert find_faults("wallets", page) == []


def test_old_reading_is_marked_until_a_newer_one_is_there(embedded_page, page, track):
    """A reading that finds the same balances makes no new payload, so the frame asks for it."""
    read_at = times.now() - timedelta(hours=3)
    Token.create(mint=USDC, supply=5000, supply_observed_at=read_at)
    track("Ann")
    page.clock.install()
    widget = embedded_page.open(page)
    expect(widget.locator("#summary .old")).to_have_text("Read on the chain 3 hours ago")
    Token.update(supply_observed_at=times.now() + timedelta(minutes=31)).execute()

    embedded_page.forward(page, "31:00")

    expect(widget.locator("#summary .old")).to_have_count(0)
    expect(widget.locator("#summary")).to_contain_text("Read on the chain")
    Token.delete().execute()
