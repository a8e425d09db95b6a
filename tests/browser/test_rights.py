"""The rights of a wallet's holder: to see what a page keeps of the wallet, and to withdraw it."""

import json
import re

import pytest
from axe import find_violations
from embedded_page import BrowserWallet, find_overflow, frame_of, read_text, submit
from playwright.sync_api import expect
from support.world import Visitor

from embed.db.models import Proof, Submission, Wallet

pytestmark = pytest.mark.browser

OPEN = "See or delete your data"


@pytest.fixture
def holder(browser_wallet) -> Visitor:
    """A visitor with the wallet that is in the browser."""
    return Visitor(browser_wallet.key)


@pytest.fixture
def sent(embedded_page, holder) -> str:
    """The id of a submission that another device has sent and the owner has approved."""
    submission_id = embedded_page.submit(holder, "Night heron").json["submissionId"]
    embedded_page.approve(submission_id)
    return submission_id


def open_rights(widget) -> None:
    widget.get_by_role("button", name=OPEN).click()


def sign(widget, wallet="Test wallet") -> str:
    """Connect a wallet and sign; return the text."""
    widget.get_by_role("button", name=wallet).click()
    text = read_text(widget)
    widget.get_by_role("button", name="Sign with").click()
    return text


def test_holder_sees_what_is_kept_and_withdraws_it(
    embedded_page, context, page, browser_wallet, sent
):
    embedded_page.observe(browser_wallet.address, "12.5")
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    expect(widget.locator("#wallets .wallet")).to_have_count(1)
    assert context.cookies() != []  # of this visit only: nothing was sent from this browser

    open_rights(widget)
    text = sign(widget)

    assert "to show what a page keeps of it" in text
    records = widget.locator("[data-step=records]")
    expect(records).to_contain_text("It is on the list as Night heron, since")
    expect(records).to_contain_text("A submission added it.")
    expect(records).to_contain_text("with the name Night heron: approved.")
    expect(records).to_contain_text("What was signed is stored with it.")
    expect(records).to_contain_text("12.5")
    expect(records.locator("code")).to_have_text(browser_wallet.address)
    assert Submission.get_by_id(sent)

    records.get_by_role("button", name="Withdraw").click()
    assert "to withdraw it from a page" in read_text(widget)
    assert Submission.get_by_id(sent)
    widget.get_by_role("button", name="Sign with").click()

    expect(widget.get_by_text("Done. Everything sent for this wallet is deleted.")).to_be_visible()
    expect(widget.get_by_text("The wallet is no longer on the list.")).to_be_visible()
    expect(widget.get_by_text("that entry stays")).to_be_hidden()
    expect(widget.locator("#wallets .wallet")).to_have_count(0)
    assert Submission.get_or_none(Submission.id == sent) is None
    assert Proof.get_or_none(Proof.submission == sent) is None


def test_rights_in_the_signing_window(embedded_page, context, page, browser_wallet, sent):
    context.add_init_script(browser_wallet.script(where="top", name="Top wallet"))
    widget = embedded_page.open(page, script=False)

    def sign_in_window() -> None:
        with page.expect_popup() as popup:
            widget.get_by_role("button", name="In a separate window").click()
        with popup.value.expect_event("close"):
            window = popup.value
            expect(window.locator("#asked-by")).to_contain_text(
                embedded_page.host.origin.partition("//")[2]
            )
            sign(window, "Top wallet")

    open_rights(widget)
    sign_in_window()
    records = widget.locator("[data-step=records]")
    expect(records).to_contain_text("Night heron")
    records.get_by_role("button", name="Withdraw").click()
    sign_in_window()

    expect(widget.get_by_text("The wallet is no longer on the list.")).to_be_visible()
    assert Submission.get_or_none(Submission.id == sent) is None


def test_withdrawal_is_shown_also_to_a_visitor_who_did_not_wait_for_it(
    embedded_page, context, page, browser_wallet
):
    embedded_page.configure(auto_approve=True)
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    submit(widget, "Night heron")
    expect(widget.locator("#own-list > li")).to_have_count(1)
    open_rights(widget)  # closes the other steps
    expect(widget.get_by_role("heading", name="Your data on this list")).to_be_visible()
    expect(widget.get_by_role("button", name="Add your wallet")).to_have_attribute(
        "aria-expanded", "false"
    )
    sign(widget)
    held = []
    page.route("**/embed/api/wallet-records/withdraw", lambda route: held.append(route))
    widget.get_by_role("button", name="Withdraw", exact=True).click()
    read_text(widget)
    with page.expect_request("**/embed/api/wallet-records/withdraw"):
        widget.get_by_role("button", name="Sign with").click()
    widget.get_by_role("button", name="Close").click()
    held[0].continue_()

    expect(widget.locator("#own-list > li")).to_have_count(0)
    expect(widget.locator("#wallets .wallet")).to_have_count(0)


def test_another_wallet_is_not_withdrawn_in_place_of_the_one_shown(
    embedded_page, context, page, browser_wallet, sent
):
    other = BrowserWallet()
    embedded_page.submit(Visitor(other.key), "Other")
    context.add_init_script(browser_wallet.script(where="top", name="Top wallet"))
    context.add_init_script(other.script(name="Other wallet"))
    widget = embedded_page.open(page, script=False)
    open_rights(widget)
    with page.expect_popup() as popup:
        widget.get_by_role("button", name="In a separate window").click()
    with popup.value.expect_event("close"):
        sign(popup.value, "Top wallet")
    widget.locator("[data-step=records]").get_by_role("button", name="Withdraw").click()
    widget.get_by_role("button", name="Other wallet").click()

    expect(widget.get_by_role("alert")).to_contain_text(
        f"Please use this one: {browser_wallet.address}"
    )
    assert Submission.select().where(Submission.wallet_address == other.address).count() == 1


def test_records_are_shown_as_text(embedded_page, context, page, browser_wallet, sent):
    hostile = "<img src=x onerror=alert(1)>"
    Submission.update(nickname=hostile).where(Submission.id == sent).execute()
    Wallet.update(public_alias=hostile).where(Wallet.address == browser_wallet.address).execute()
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    open_rights(widget)
    sign(widget)

    records = widget.locator("[data-step=records]")
    expect(records.locator("[data-records]")).to_contain_text(hostile)
    assert records.locator("img").count() == 0
    records.get_by_text("Everything as JSON").click()
    data = json.loads(records.locator("pre").inner_text())
    assert data["submissions"][0]["nickname"] == hostile
    assert data["walletAddress"] == browser_wallet.address


@pytest.mark.parametrize("lang", ["en", "ar"])
def test_axe_finds_nothing_and_nothing_sticks_out(
    embedded_page, context, page, browser_wallet, sent, lang
):
    page.set_viewport_size({"width": 320, "height": 900})
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page, lang=lang, style="body { margin: 0 }")
    frame = frame_of(page, embedded_page.service_url)
    widget.locator("#rights").click()
    widget.locator("[data-wallets] button").click()
    widget.locator("[data-do=sign]").click()
    widget.locator("[data-step=records]").wait_for()
    widget.locator("[data-step=records] summary").click()
    found = find_violations("records", page, frame, lang=lang)
    assert find_overflow(page.frames[1]) == []
    widget.locator("[data-do=withdraw]").click()
    widget.locator("[data-do=sign]").wait_for()
    found += find_violations("text", page, frame, lang=lang)
    widget.locator("[data-do=sign]").click()
    widget.locator("[data-step=withdrawn]").wait_for()
    found += find_violations("withdrawn", page, frame, lang=lang)

    assert found == []
    assert find_overflow(page.frames[1]) == []
    assert re.search(r"\S", widget.locator("#flow-title").inner_text())
