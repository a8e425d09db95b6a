"""The rights of a wallet's holder: to see what a page keeps of the wallet, and to withdraw it."""

import json

import pytest
from embedded_page import BrowserWallet, read_text
from playwright.sync_api import expect
from support.world import Visitor

from embed.db.models import Proof, Submission

pytestmark = pytest.mark.browser

OPEN = "See or delete your data"


@pytest.fixture
def sent(embedded_page, browser_wallet) -> str:
    """The id of a submission that another device has sent and the owner has approved."""
    holder = Visitor(browser_wallet.key)
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
    hostile = "<img src=x onerror=alert(1)>"
    Submission.update(nickname=hostile).where(Submission.id == sent).execute()
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
    expect(records).to_contain_text(f"with the name {hostile}: approved.")
    expect(records).to_contain_text("12.5")
    expect(records.locator("img")).to_have_count(0)
    records.get_by_text("Everything as JSON").click()
    data = json.loads(records.locator("pre").inner_text())
    assert data["submissions"][0]["nickname"] == hostile
    assert data["walletAddress"] == browser_wallet.address

    records.get_by_role("button", name="Withdraw").click()
    assert "to withdraw it from a page" in read_text(widget)
    assert Submission.get_by_id(sent)
    widget.get_by_role("button", name="Sign with").click()

    expect(widget.get_by_text("Done. Everything sent for this wallet is deleted.")).to_be_visible()
    expect(widget.get_by_text("The wallet is no longer on the list.")).to_be_visible()
    expect(widget.locator("#wallets .wallet")).to_have_count(0)
    assert Submission.get_or_none(Submission.id == sent) is None
    assert Proof.get_or_none(Proof.submission == sent) is None


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
