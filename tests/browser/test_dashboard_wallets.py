"""The dashboard's wallets: search while typing, bulk actions, phones, and a large import."""

import re

import pytest
from axe import find_faults
from embedded_page import sign_in
from playwright.sync_api import expect
from support.world import USDC, Visitor

pytestmark = pytest.mark.browser

WIDE = "\u6f22" * 32


@pytest.fixture
def wallets(dashboard, page):
    """The list of 37 wallets, opened by its owner."""
    dashboard.track_many(36, balance=7)
    dashboard.track_many(1, alias=WIDE, balance="99999999999999999999.99")
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/wallets")
    return page


def test_search_runs_while_one_types_and_stands_in_the_address(wallets):
    wallets.get_by_role("link", name="Wallet", exact=True).click()
    rows = wallets.locator("tbody tr")
    wallets.get_by_label("Name or address").press_sequentially("wallet 3")

    expect(wallets.locator("#found")).to_contain_text("8 wallets match.")
    expect(rows).to_have_count(8)
    expect(wallets).to_have_url(re.compile(r"\?sort=name&q=wallet\+3$"))
    expect(wallets.get_by_label("Name or address")).to_be_focused()
    wallets.get_by_label("Visibility").select_option("Hidden")
    expect(rows).to_have_count(0)
    expect(wallets.locator("#found")).to_contain_text("0 wallets match.")
    wallets.reload()
    expect(wallets.get_by_label("Name or address")).to_have_value("wallet 3")
    wallets.get_by_role("link", name="Show all").click()
    expect(rows).to_have_count(37)


def test_bulk_actions_show_only_while_something_is_selected(wallets):
    bar = wallets.get_by_role("group", name="With the selected wallets")
    expect(bar).to_be_hidden()

    wallets.get_by_label("Select Wallet 3", exact=True).check()
    wallets.get_by_label("Select Wallet 5", exact=True).check()
    expect(bar).to_contain_text("2 selected")
    expect(bar.get_by_role("button", name="Hide")).to_be_in_viewport()
    bar.get_by_role("button", name="Hide").click()

    expect(wallets.locator(".flash")).to_have_text("2 wallets have been hidden.")
    expect(bar).to_be_hidden()
    wallets.get_by_label("All on this page").check()
    expect(bar).to_contain_text("37 selected")
    wallets.goto(f"{wallets.url}?q=wallet+31")
    wallets.get_by_label("Select Wallet 31").check()
    assert find_faults("selected", wallets) == []


def test_all_that_match_are_offered_once_all_on_the_page_are_selected(dashboard, wallets):
    dashboard.track_many(80, balance=7, alias="More")
    wallets.reload()
    bar = wallets.get_by_role("group", name="With the selected wallets")
    offer = bar.get_by_label("Select all 117 wallets")
    wallets.get_by_label("All on this page").check()
    expect(bar).to_contain_text("100 selected")

    wallets.get_by_label("Select Wallet 3", exact=True).uncheck()
    expect(offer).to_be_hidden()
    wallets.get_by_label("All on this page").check()
    offer.check()
    expect(bar).to_contain_text("117 selected")
    wallets.set_viewport_size({"width": 1280, "height": 6000})  # where the bar covers no row
    assert find_faults("all selected", wallets) == []
    bar.get_by_role("button", name="Hide").click()

    expect(wallets.get_by_role("heading")).to_have_text("Hide 117 wallets?")
    wallets.get_by_role("button", name="Hide").click()
    expect(wallets.locator(".flash")).to_have_text("117 wallets have been hidden.")


def test_columns_of_a_file_are_corrected_with_the_result_in_view(dashboard, page):
    dashboard.track(USDC)
    rows = [f"{Visitor().address};{number},5;Name {number}" for number in range(6)]
    text = "\n".join(["holder;amount;who", *rows, f"{USDC};1;Mint", "0x71C7;2;Other"])
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/wallets/import")
    file = {"name": "holders.csv", "mimeType": "text/csv", "buffer": text.encode("utf-16")}
    page.get_by_label("CSV file").set_input_files(file)
    page.get_by_role("button", name="Check the file").click()
    page.get_by_role("button", name="Import 6, skip 2").wait_for()
    assert find_faults("recognized", page) == []

    page.get_by_label("who").select_option("Address")
    expect(page.get_by_role("status")).to_contain_text(["Two columns have the same meaning"])
    assert find_faults("refused", page) == []
    page.get_by_label("who").focus()
    page.route("**/wallets/import", lambda route: route.fulfill(status=429), times=1)
    page.get_by_label("who").select_option("Name")
    page.get_by_role("button", name="Import 6, skip 2").wait_for()
    expect(page.get_by_label("who")).to_be_focused()
    tick = page.get_by_label("Change wallets that are already on the list")
    tick.check()
    page.get_by_role("button", name="Import 7, skip 1").click()
    expect(page.locator(".flash")).to_have_text("6 added, 1 changed, 1 skipped.")
