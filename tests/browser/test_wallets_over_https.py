"""Wallets of the official packages in a frame of another site, over HTTPS."""

import pytest
from embedded_page import EmbeddedPage, HostSite, submit
from official_wallet import OfficialWallet, build
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

SERVICE, SITE = "embed.example.test", "site.example.org"


@pytest.fixture
def secure_page(service, secure_port, certificate):
    site = HostSite(SITE, certificate)
    yield EmbeddedPage(service[0], f"https://{SERVICE}:{secure_port}", site)
    site.close()


def test_visitor_of_another_site_signs_in_the_frame(secure_page, browser, watch):
    wallet = OfficialWallet(build())
    context = watch(browser.new_context(locale="en-US", ignore_https_errors=True))
    context.add_init_script(wallet.script(where="window !== top"))
    widget = secure_page.open(context.new_page())

    submit(widget, wallet="Official wallet")

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert secure_page.find_submission(wallet.address).status == "pending"
    context.close()


def test_wallet_of_another_site_is_lent_and_signs(secure_page, browser, watch):
    wallet = OfficialWallet(build())
    context = watch(browser.new_context(locale="en-US", ignore_https_errors=True))
    context.add_init_script(wallet.script(where="window === top"))
    page = context.new_page()
    widget = secure_page.open(page)

    submit(widget, wallet="Official wallet")

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert page.evaluate("wallet.asked") == ["connect", "signOffchainMessage"]
    expect(widget.locator("#own-list code")).to_have_attribute("title", wallet.address)
    context.close()
