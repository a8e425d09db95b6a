"""What rows show beside the list: proofs with receipts, and changes with lines."""

import json
import math
import re
from datetime import timedelta
from pathlib import Path

import pytest
from axe import find_faults
from embedded_page import HOSTILE, WRONG_CLOCK, BrowserWallet, find_overflow, sign_in, submit
from playwright.sync_api import expect
from support.chain_history import record_history
from support.world import USDC, Visitor

from embed.db.models import Proof, Submission, Token, Wallet

pytestmark = pytest.mark.browser


@pytest.fixture
def prove(embedded_page):
    """Put a wallet on the list by a visitor's signature, and return its submission."""

    def make(nickname: str, visitor: Visitor | None = None) -> Submission:
        sent = embedded_page.submit(visitor or Visitor(), nickname)
        embedded_page.approve(sent.json["submissionId"])
        return Submission.get_by_id(sent.json["submissionId"])

    return make


def find_row(widget, name: str):
    return widget.locator("#wallets .wallet", has=widget.get_by_text(name, exact=True))


def find_mark(widget, name: str):
    return find_row(widget, name).locator(".proved", has_text="proved")


def open_row(widget, name: str):
    """Open the details of a wallet, or close them, and return its row."""
    row = find_row(widget, name)
    row.locator("summary").first.click()
    return row


def test_only_wallets_whose_holder_signed_are_marked(embedded_page, page, prove):
    prove("Night heron")
    embedded_page.track(BrowserWallet().address, alias="Entered")
    asked = []
    page.on("request", lambda one: "/proofs?" in one.url and asked.append(one.url))
    widget = embedded_page.open(page)
    embedded_page.settle(page)

    expect(find_mark(widget, "Night heron")).to_be_visible()
    expect(find_row(widget, "Entered")).to_be_visible()
    expect(widget.locator(".proved:visible")).to_have_count(1)
    assert asked == []  # the document says it


def test_details_show_date_text_and_receipt(embedded_page, page, prove):
    submission = prove("Night heron")
    widget = embedded_page.open(page, lang="en")

    row = open_row(widget, "Night heron")

    day = f"{submission.created_at:%B} {submission.created_at.day}, {submission.created_at.year}"
    expect(row.locator(".proof")).to_contain_text(f"Signed by its holder on {day}")
    row.get_by_text("What was signed").click()
    proof = Proof.get(Proof.submission == submission)
    assert row.locator(".proof pre").inner_text() == proof.message
    expect(row.locator(".proof")).not_to_contain_text("It was sent with the name")
    with page.expect_download() as download:
        row.get_by_role("link", name="Receipt").click()
    assert download.value.suggested_filename == f"receipt-{submission.id}.json"
    receipt = json.loads(Path(download.value.path()).read_text())
    assert receipt["message"] == proof.message
    assert receipt["walletAddress"] == submission.wallet_address

    open_row(widget, "Night heron")
    expect(row.locator(".proof")).to_be_hidden()


def test_what_was_signed_is_shown_as_text(embedded_page, page, prove):
    submission = prove("Night heron")
    Submission.update(nickname=HOSTILE[0]).where(Submission.id == submission.id).execute()
    Proof.update(message="\n".join(HOSTILE)).where(Proof.submission == submission).execute()
    widget = embedded_page.open(page)
    proof = open_row(widget, "Night heron").locator(".proof")

    expect(proof.locator("pre")).to_have_text("\n".join(HOSTILE))
    expect(proof).to_contain_text(HOSTILE[0])
    assert proof.locator("img, script, svg:not(.icon)").count() == 0


def test_mark_stays_when_rows_are_searched_sorted_and_made_again(
    embedded_page, context, page, prove, browser_wallet
):
    context.add_init_script(browser_wallet.script())
    page.clock.install()
    submission = prove("Night heron")
    embedded_page.track_many(3)
    widget = embedded_page.open(page)
    expect(find_mark(widget, "Night heron")).to_be_visible()
    widget.locator(".columns .of-name").click()
    expect(widget.locator("#wallets .name").first).to_have_text("Night heron")
    widget.get_by_role("searchbox").fill("heron")
    expect(find_mark(widget, "Night heron")).to_be_visible()
    expect(widget.locator("#wallets .wallet")).to_have_count(1)
    row = open_row(widget, "Night heron")
    row.get_by_text("What was signed").click()
    expect(widget.locator(".proof pre")).to_be_visible()
    row.locator("summary").first.focus()

    embedded_page.observe(submission.wallet_address, 77)
    embedded_page.forward(page, "00:31")

    expect(widget.locator("#wallets .balance")).to_have_text(["77.0"])
    expect(widget.locator(".proof pre")).to_be_visible()  # a refresh closes nothing
    expect(row.locator("summary").first).to_be_focused()
    widget.get_by_role("searchbox").fill("proved")
    expect(widget.locator("#found")).to_have_text("No wallet matches the search.")


def test_mark_appears_when_a_listed_wallet_is_proved(embedded_page, context, page, prove):
    context.clock.install()
    visitor = Visitor()
    embedded_page.track(visitor.address, alias="Night heron")
    widget = embedded_page.open(page)
    embedded_page.track(BrowserWallet().address, alias="Other")
    embedded_page.forward(page, "00:31")  # what rows show beside the list is loaded
    expect(find_row(widget, "Other")).to_be_visible()
    expect(widget.locator(".proved:visible")).to_have_count(0)
    prove("Night heron", visitor)
    embedded_page.forward(page, "00:46")

    expect(find_mark(widget, "Night heron")).to_be_visible()


# The visitor's own receipts


def test_own_receipt_is_saved_before_the_owner_has_decided(
    embedded_page, context, page, browser_wallet
):
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    submit(widget, "Night heron")
    expect(widget.locator("#own-list > li")).to_be_visible()
    submission = embedded_page.find_submission(browser_wallet.address)

    with page.expect_download() as download:
        widget.locator("#own-list summary").click()
        widget.locator("#own-list").get_by_role("link", name="Receipt").click()
    assert download.value.suggested_filename == f"receipt-{submission.id}.json"
    receipt = json.loads(Path(download.value.path()).read_text())
    assert receipt["message"] == Proof.get(Proof.submission == submission).message
    # Nobody else may read it.
    other = context.browser.new_context()
    answer = other.request.get(
        f"{embedded_page.service_url}/embed/tracking/{embedded_page.page_id}"
        f"/receipts/{submission.id}?key={embedded_page.key}"
    )
    assert answer.status == 404
    other.close()


# Changes

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


def test_row_shows_a_change_and_a_line_and_its_details_all_of_them(embedded_page, page, track):
    track("Ann", "1234.5", {DAY: "1222", 7 * DAY: "3200000"})
    row = find_row(embedded_page.open(page), "Ann")

    expect(row.locator(".change.up")).to_have_text("+1.0%")
    expect(row.locator(".change.up")).to_have_attribute("title", "24 hours")
    expect(row.get_by_role("img", name="7 days: −3,198,765.5")).to_be_visible()
    expect(row.locator(".balance")).to_have_text("1.23K")
    expect(row.locator(".balance bdi").first).to_have_attribute("title", "1,234.5")
    row.locator("summary").click()
    expect(row.locator(".stats .down")).to_have_text("−3,198,765.5")
    expect(row.get_by_role("img", name="Balance over 30 days")).to_be_visible()


def test_nothing_is_wider_than_a_narrow_screen(embedded_page, page, track, prove):
    page.set_viewport_size({"width": 320, "height": 700})
    most = "99999999999999999999"
    track("Whale " * 10, most, {DAY: "0.00000000000000000001", 7 * DAY: "1"})
    track("Fallen", "0.000000123456789", {DAY: most, 7 * DAY: "123456.789"})
    track("Ann")
    Wallet.update(public_alias=None).where(Wallet.public_alias == "Ann").execute()
    prove("W" * 32)
    for lang in ("en", "ar", "de", "ja", "ru"):
        page.goto(embedded_page.widget_url(lang=lang))

        expect(page.locator("#wallets .change")).to_have_count(3)
        open_row(page, "W" * 32).locator(".proof summary").click()
        expect(page.locator(".proof pre:visible")).to_have_count(1)
        assert find_overflow(page.main_frame) == [], lang
        assert page.locator(".list").evaluate("(one) => one.scrollWidth <= one.clientWidth"), lang
        for cell in page.locator("#wallets :is(.change, .names, .share, .amount)").all():
            box = cell.bounding_box()
            assert box["width"] > 0, lang
            assert box["x"] >= 0, lang
            assert box["x"] + box["width"] <= 320, lang


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


def test_age_of_balances_follows_the_servers_clock_and_is_marked_once_readings_are_missed(
    embedded_page, context, page
):
    context.add_init_script(WRONG_CLOCK.replace("AHEAD", "3 * 86400e3"))
    (address,) = embedded_page.track_many(1)
    record_history(USDC, address, embedded_page.clock(), "25", {})

    def open_after(minutes: int):
        Token.delete().execute()
        read_at = embedded_page.clock() - timedelta(minutes=minutes)
        Token.create(mint=USDC, supply=1000, supply_observed_at=read_at)
        return embedded_page.open(page).locator(".sums time")

    read = open_after(10)
    expect(read).to_have_text("10 minutes ago")
    expect(read).not_to_have_class("old")

    read = open_after(45)
    expect(read).to_have_text("45 minutes ago")
    expect(read).to_have_class("old")
