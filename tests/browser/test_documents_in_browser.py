"""The documents under /docs in a real browser."""

import re

import pytest
from axe import find_faults
from embedded_page import sign_in
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", ["", "owners", "balances"])
def test_documents_fit_a_small_phone_and_keep_nobody_out(service, page, name):
    _, url = service
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{url}/docs/{name}")

    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert find_faults(name, page) == []


def test_help_leads_to_the_part_about_the_page(dashboard, page):
    sign_in(page, dashboard)
    for width in (1280, 375):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{dashboard.base}/wallets")
        page.get_by_role("link", name="Help").click()

        expect(page).to_have_url(re.compile("/docs/owners#wallets$"))
        expect(page.get_by_role("heading", name="Wallets", exact=True)).to_be_in_viewport()
