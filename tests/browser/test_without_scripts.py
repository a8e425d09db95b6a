"""The list by links and a form alone, as where scripts are off."""

import re

import pytest
from embedded_page import BrowserWallet
from playwright.sync_api import expect

from embed.db.models import Wallet

pytestmark = pytest.mark.browser


@pytest.fixture
def widget(embedded_page, plain_page):
    embedded_page.fill(60)
    embedded_page.add_tag("team")
    embedded_page.track(BrowserWallet().address, alias="Ärzte", tag_names=["team"], balance=9_000)
    plain_page.goto(embedded_page.host_page(order="listed", explorer="orb"))
    return plain_page.frame_locator("iframe")


@pytest.fixture
def rows(widget):
    return widget.locator("#wallets .name")


def test_list_is_read_part_by_part(embedded_page, widget, rows):
    expect(rows).to_have_count(25)
    expect(rows.first).to_have_text("Wallet 1")
    row = widget.locator("#wallets .wallet").first
    row.locator("summary").click()
    expect(row.locator(".detail code")).to_have_text(
        Wallet.get(Wallet.page == embedded_page.page_id, Wallet.public_alias == "Wallet 1").address
    )
    expect(widget.get_by_role("button")).to_have_count(0)
    widget.get_by_role("link", name="Show more").click()
    expect(rows.first).to_have_text("Wallet 26")
    widget.get_by_role("link", name="Show more").click()
    expect(widget.locator("#count")).to_have_text("51–61 of 61 wallets")
    expect(rows).to_have_count(11)
    expect(widget.get_by_role("link", name="Show more")).to_have_count(0)
    widget.get_by_role("link", name="Previous").click()
    expect(rows.first).to_have_text("Wallet 26")


def test_list_is_sorted_and_filtered(widget, rows):
    widget.locator("a.of-balance").click()
    expect(rows.first).to_have_text("Ärzte")
    widget.get_by_role("link", name="Newest").click()
    newest = widget.get_by_role("link", name="Newest")
    expect(newest).to_have_attribute("aria-current", "true")
    expect(rows.first).to_have_text("Ärzte")
    widget.locator("a.of-name").click()
    expect(rows.nth(1)).to_have_text("Wallet 1")
    widget.get_by_role("link", name="without a tag").click()
    expect(rows.first).to_have_text("Wallet 1")
    expect(widget.locator("a.of-name")).to_have_attribute("aria-current", "true")
    widget.get_by_role("link", name="team").click()
    expect(rows).to_have_text(["Ärzte"])
    widget.get_by_role("link", name="All 61").click()
    expect(rows).to_have_count(25)


def test_list_is_searched_by_its_form(widget, rows):
    widget.get_by_role("link", name="without a tag").click()
    expect(rows).to_have_count(25)
    widget.get_by_role("searchbox").fill("WALLET 5")
    widget.get_by_role("searchbox").press("Enter")
    expect(rows).to_have_text(["Wallet 5", *(f"Wallet {number}" for number in range(50, 60))])
    expect(widget.locator("[aria-current]", has_text="without a tag")).to_be_visible()
    expect(widget.locator(".explorer").first).to_have_attribute("href", re.compile("orbmarkets.io"))
