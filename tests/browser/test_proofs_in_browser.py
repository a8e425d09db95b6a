"""Proved wallets in the list: the mark, what it opens, and the visitor's own receipts."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from embedded_page import BrowserWallet, submit
from playwright.sync_api import expect
from support.world import Visitor
from test_accessible import find_overflow
from test_list_in_browser import HOSTILE, fill_page

from embed.db.connection import db
from embed.db.models import Proof, Submission, Wallet, Withdrawal

pytestmark = pytest.mark.browser

RECEIPT = "**/embed/tracking/*/receipts/*"
DETAILS = "**/embed/tracking/*/wallets/*"


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


def test_another_name_than_the_one_that_was_sent_is_told(embedded_page, page, prove):
    submission = prove("Night heron")
    Wallet.update(public_alias="Whale").where(Wallet.address == submission.wallet_address).execute()
    widget = embedded_page.open(page)

    expect(open_row(widget, "Whale").locator(".proof")).to_contain_text(
        "It was sent with the name \u2068Night heron\u2069."
    )


def test_details_link_to_the_receipt_without_javascript(embedded_page, browser, prove):
    submission = prove("Night heron")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(embedded_page.host_page())
    row = open_row(page.frame_locator("iframe"), "Night heron")

    with context.expect_page() as opened:
        row.get_by_role("link", name="proved").click()
    assert json.loads(opened.value.locator("pre").inner_text())["walletAddress"] == (
        submission.wallet_address
    )
    context.close()


def test_proof_that_was_withdrawn_meanwhile_is_gone(embedded_page, page, prove):
    submission = prove("Night heron")
    widget = embedded_page.open(page)
    with db.atomic():
        Withdrawal.create(
            submission_id=submission.id,
            page=embedded_page.page_id,
            withdrawn_at=embedded_page.clock(),
        )
        submission.delete_instance()
    row = open_row(widget, "Night heron")

    expect(row.locator(".stats")).to_be_attached()
    expect(row.locator(".proof")).to_have_count(0)
    expect(find_mark(widget, "Night heron")).to_be_hidden()


def test_answer_that_is_no_wallet_is_not_shown_as_one(embedded_page, page, prove):
    prove("Night heron")
    answers = ["{}", "null", "<html>", "<div class='loaded'"]
    page.route(DETAILS, lambda route: route.fulfill(body=answers.pop(), content_type="text/html"))
    widget = embedded_page.open(page)
    while answers:
        row = open_row(widget, "Night heron")
        expect(row.locator(".loaded")).to_have_text(
            "Something went wrong on the server. What you typed is kept; please try again."
        )
        open_row(widget, "Night heron")


def test_what_was_signed_is_shown_as_text(embedded_page, page, prove):
    submission = prove("Night heron")
    Submission.update(nickname=HOSTILE[0]).where(Submission.id == submission.id).execute()
    Proof.update(message="\n".join(HOSTILE)).where(Proof.submission == submission).execute()
    widget = embedded_page.open(page)
    proof = open_row(widget, "Night heron").locator(".proof")

    expect(proof.locator("pre")).to_have_text("\n".join(HOSTILE))
    expect(proof).to_contain_text(HOSTILE[0])
    assert proof.locator("img, script, svg:not(.icon)").count() == 0


def make_last(proved: Submission) -> None:
    """Put the wallet behind all others of its page."""
    listed = Wallet.address == proved.wallet_address
    Wallet.update(created_at=proved.created_at + timedelta(seconds=10)).where(listed).execute()


def test_rows_further_down_learn_of_their_proofs_when_they_come_near(embedded_page, page, prove):
    fill_page(embedded_page, 150)
    make_last(prove("Night heron"))
    asked = []
    page.on("request", lambda one: "/proofs?" in one.url and asked.append(one.url))
    widget = embedded_page.open(page)
    widget.get_by_role("searchbox").fill("Wallet 7")
    widget.get_by_role("searchbox").fill("")
    expect(widget.locator("#wallets .wallet")).to_have_count(25)

    widget.get_by_role("button", name="Show more").click()
    widget.get_by_role("button", name="Show more").click()
    expect(widget.locator("#wallets .wallet")).to_have_count(151)
    find_row(widget, "Night heron").scroll_into_view_if_needed()
    expect(find_mark(widget, "Night heron")).to_be_visible()
    expect(open_row(widget, "Night heron").locator(".proof")).to_be_visible()
    expect(widget.locator(".proved:visible")).to_have_count(1)
    assert len(asked) <= 3


def test_mark_stays_when_rows_are_searched_sorted_and_made_again(
    embedded_page, context, page, prove, browser_wallet
):
    context.add_init_script(browser_wallet.script())
    page.clock.install()
    submission = prove("Night heron")
    embedded_page.track_many(3)
    widget = embedded_page.open(page)
    expect(find_mark(widget, "Night heron")).to_be_visible()
    widget.get_by_label("Order").select_option(label="Balance")
    widget.get_by_role("searchbox").fill("heron")
    expect(find_mark(widget, "Night heron")).to_be_visible()
    expect(widget.locator("#wallets .wallet")).to_have_count(1)
    row = open_row(widget, "Night heron")
    row.get_by_text("What was signed").click()
    expect(widget.locator(".proof pre")).to_be_visible()
    row.locator("summary").first.focus()

    embedded_page.observe(submission.wallet_address, 77)
    embedded_page.forward(page, "00:31")

    expect(widget.locator("#wallets .balance")).to_have_text("77.00")
    expect(widget.locator(".proof pre")).to_be_visible()  # a refresh closes nothing
    expect(row.locator("summary").first).to_be_focused()
    widget.get_by_role("searchbox").fill("proved")
    expect(widget.locator("#no-match")).to_have_text("No wallet matches the search.")


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


def test_mark_that_could_not_be_read_appears_with_a_later_poll(embedded_page, context, page, prove):
    context.clock.install()
    visitor = Visitor()
    embedded_page.track(visitor.address, alias="Night heron")
    widget = embedded_page.open(page)
    prove("Night heron", visitor)
    page.route("**/proofs?*", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        embedded_page.forward(page, "00:31")
    page.unroute("**/proofs?*")
    embedded_page.forward(page, "01:01")

    expect(find_mark(widget, "Night heron")).to_be_visible()


def test_proof_opens_before_the_whole_list_has_come(embedded_page, page, prove):
    prove("Night heron")
    fill_page(embedded_page, 150)
    page.route("**/embed/api/tracking/*", lambda _: None)
    widget = embedded_page.open(page)

    expect(open_row(widget, "Night heron").locator(".proof")).to_contain_text(
        "Signed by its holder"
    )


def test_own_wallet_is_proved_and_ones_own(embedded_page, context, page, browser_wallet):
    embedded_page.configure(auto_approve=True)
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    submit(widget, "Night heron")

    row = widget.locator("#wallets .wallet.mine")
    expect(row.locator(".mark")).to_have_text("yours")
    expect(row.get_by_text("proved")).to_be_visible()


# The visitor's own receipts


def test_own_receipt_is_saved_before_the_owner_has_decided(
    embedded_page, context, page, browser_wallet
):
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    submit(widget, "Night heron")
    expect(widget.locator("#own-list li")).to_be_visible()
    submission = embedded_page.find_submission(browser_wallet.address)

    with page.expect_download() as download:
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


def test_submission_without_a_proof_says_so(embedded_page, context, page, browser_wallet):
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    submit(widget, "Night heron")
    expect(widget.locator("#own-list li")).to_be_visible()
    Proof.delete().execute()

    widget.locator("#own-list").get_by_role("link", name="Receipt").click()

    expect(widget.locator("#own-problem")).to_have_text(
        "There is no receipt here that you can read."
    )


def test_own_receipt_that_cannot_be_loaded_says_so_and_can_be_asked_for_again(
    embedded_page, context, page, browser_wallet
):
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    submit(widget, "Night heron")
    link = widget.locator("#own-list").get_by_role("link", name="Receipt")
    problem = widget.locator("#own-problem")
    page.route(RECEIPT, lambda route: route.abort())
    link.click()
    expect(problem).to_contain_text("The server cannot be reached.")
    page.unroute(RECEIPT)

    with page.expect_download():
        link.click()
    expect(problem).to_be_empty()


# Looks


def test_nothing_sticks_out_at_320_pixels(embedded_page, page, prove):
    prove("W" * 32)
    prove("Night heron")
    page.set_viewport_size({"width": 320, "height": 640})
    for lang in ("en", "de", "ru", "ar", "ja"):
        widget = embedded_page.open(page, lang=lang, style="body { margin: 0 }")
        for name in ("W" * 32, "Night heron"):
            open_row(widget, name).locator(".proof summary").click()
        expect(widget.locator(".proof pre:visible")).to_have_count(2)

        assert find_overflow(page.frames[1]) == [], lang


def test_arabic_has_the_mark_left_of_the_name(embedded_page, page, prove):
    prove("Night heron")
    widget = embedded_page.open(page, lang="ar")
    mark = widget.locator(".proved").first
    assert mark.bounding_box()["x"] < widget.locator("#wallets .name").bounding_box()["x"]
    widget.locator("#wallets summary").first.click()
    expect(widget.locator(".proof pre")).to_have_css("direction", "ltr")
    assert re.search(r"\S", mark.inner_text())
