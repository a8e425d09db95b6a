"""Importing a file: what is in its columns is corrected, with scripts and without."""

import pytest
from axe import find_faults
from embedded_page import sign_in
from playwright.sync_api import expect
from support.world import USDC, Visitor

pytestmark = pytest.mark.browser


@pytest.fixture
def choose(dashboard):
    """Sign in and choose a file whose names are in a column without a known heading."""
    dashboard.track(USDC)
    rows = [f"{Visitor().address};{number},5;Name {number}" for number in range(6)]
    text = "\n".join(["holder;amount;who", *rows, f"{USDC};1;Mint", "0x71C7;2;Other"])

    def choose(page):
        sign_in(page, dashboard)
        page.goto(f"{dashboard.base}/wallets/import")
        file = {"name": "holders.csv", "mimeType": "text/csv", "buffer": text.encode("utf-16")}
        page.get_by_label("CSV file").set_input_files(file)
        page.get_by_role("button", name="Check the file").click()
        return page

    return choose


def test_choices_are_shown_at_once_and_imported(page, choose):
    choose(page)
    rows = page.locator("#rows tr")
    expect(rows.first).to_contain_text("0.5")
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
    page.get_by_role("button", name="Import 7, skip 1").wait_for()
    expect(tick).to_be_focused()
    page.get_by_role("button", name="Import 7, skip 1").click()

    expect(page.locator(".flash")).to_have_text("6 added, 1 changed, 1 skipped.")
    expect(page.get_by_text("Name 5")).to_be_visible()


def test_choices_are_shown_before_they_are_imported_without_scripts(plain_page, choose):
    choose(plain_page)
    plain_page.get_by_label("who").select_option("Name")
    plain_page.get_by_role("button", name="Import 6, skip 2").click()
    plain_page.get_by_label("who").wait_for()
    expect(plain_page.get_by_label("who")).to_have_value("alias")

    plain_page.get_by_role("button", name="Import 6, skip 2").click()

    expect(plain_page.locator(".flash")).to_have_text("6 added, 0 changed, 2 skipped.")
