"""What rows show beside the list: proofs with receipts, and changes with lines."""

import json
import math
from datetime import timedelta
from pathlib import Path

import pytest
from embedded_page import HOSTILE, BrowserWallet, find_overflow
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


def open_row(widget, name: str):
    """Open the details of a wallet, or close them, and return its row."""
    row = find_row(widget, name)
    row.locator("summary").first.click()
    return row


def test_details_show_date_text_and_receipt(embedded_page, page, prove):
    submission = prove("Night heron")
    message = "\n".join(HOSTILE)
    Proof.update(message=message).where(Proof.submission == submission).execute()
    widget = embedded_page.open(page, lang="en")

    row = open_row(widget, "Night heron")

    day = f"{submission.created_at:%B} {submission.created_at.day}, {submission.created_at.year}"
    expect(row.locator(".proof")).to_contain_text(f"Signed by its holder on {day}")
    row.get_by_text("What was signed").click()
    expect(row.locator(".proof pre")).to_have_text(message)
    expect(row.locator(".proof :is(img, script)")).to_have_count(0)
    with page.expect_download() as download:
        row.get_by_role("link", name="Receipt").click()
    assert download.value.suggested_filename == f"receipt-{submission.id}.json"
    receipt = json.loads(Path(download.value.path()).read_text())
    assert receipt["message"] == message
    assert receipt["walletAddress"] == submission.wallet_address

    open_row(widget, "Night heron")
    expect(row.locator(".proof")).to_be_hidden()


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
    expect(row.get_by_role("img", name="7 days: −3,198,765.5")).to_be_visible()
    expect(row.locator(".balance")).to_have_text("1.23K")
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


def test_age_of_balances_is_marked_once_readings_are_missed(embedded_page, page):
    (address,) = embedded_page.track_many(1)
    record_history(USDC, address, embedded_page.clock(), "25", {})
    for minutes, mark in ((10, ""), (45, "old")):
        Token.delete().execute()
        read_at = embedded_page.clock() - timedelta(minutes=minutes)
        Token.create(mint=USDC, supply=1000, supply_observed_at=read_at)
        read = embedded_page.open(page).locator(".sums time")
        expect(read).to_have_text(f"{minutes} minutes ago")
        expect(read).to_have_class(mark)
