"""The question "Is it you?" in a browser."""

import pytest
from axe import find_faults
from embedded_page import let_confirmation_end, sign_in
from playwright.sync_api import Page, expect
from support.owner_browser import PASSWORD

from embed.db.models import ApiKey

pytestmark = pytest.mark.browser


@pytest.fixture
def owner_page(dashboard, page) -> Page:
    sign_in(page, dashboard)
    return page


def enter(page: Page, password: str) -> None:
    expect(page.get_by_role("heading", name="Is it you?")).to_be_visible()
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type(password)
    page.keyboard.press("Enter")


def test_owner_enters_the_password_and_lands_on_the_keys(dashboard, owner_page):
    let_confirmation_end(dashboard)

    owner_page.goto(f"{dashboard.base}/keys")
    assert find_faults("the question", owner_page) == []
    enter(owner_page, "not the password")
    expect(owner_page.get_by_text("This is not your current password.")).to_be_visible()
    assert find_faults("the question after a mistake", owner_page) == []
    enter(owner_page, PASSWORD)

    expect(owner_page).to_have_url(f"{dashboard.base}/keys")
    expect(owner_page.get_by_role("heading", name="Keys", exact=True)).to_be_visible()


def test_what_was_typed_in_the_meantime_is_not_lost(dashboard, owner_page):
    owner_page.goto(f"{dashboard.base}/keys/new/public")
    owner_page.get_by_label("Label").fill('The "blog"')
    owner_page.get_by_label("Sites").fill("https://one.example\nhttps://two.example")
    let_confirmation_end(dashboard)

    owner_page.get_by_role("button", name="Create the key").click()
    enter(owner_page, PASSWORD)

    expect(owner_page.get_by_role("heading", name="Your new public key")).to_be_visible()
    key = ApiKey.get(ApiKey.page == dashboard.page_id, ApiKey.label == 'The "blog"')
    assert list(key.origins) == ["https://one.example", "https://two.example"]


def test_export_begins_by_itself_after_the_password(dashboard, owner_page):
    owner_page.goto(f"{dashboard.base}/wallets")
    let_confirmation_end(dashboard)
    owner_page.locator("a[href$='wallets.csv']").click()

    with owner_page.expect_download() as download:
        enter(owner_page, PASSWORD)

    assert download.value.suggested_filename == f"wallets-{dashboard.page_id}.csv"
    expect(owner_page).to_have_url(f"{dashboard.base}/wallets")
    expect(owner_page.get_by_role("link", name="Export")).to_be_visible()
