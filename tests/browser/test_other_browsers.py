"""Phones, wallets' own browsers, and browsers that are too old or run no scripts."""

from urllib.parse import parse_qs, urlsplit

import pytest
from embedded_page import submit
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.fixture
def phone(open_browser):
    return open_browser(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)


def test_phone_without_a_wallet_is_sent_to_the_wallets_browsers(embedded_page, phone):
    widget = embedded_page.open(phone)
    widget.get_by_role("button", name="Add your wallet").click()

    link = widget.get_by_role("link", name="Solflare")
    expect(link).to_be_visible()
    href = link.get_attribute("href")
    assert href.startswith("https://solflare.com/ul/v1/browse/")
    assert parse_qs(urlsplit(href).query)["ref"] == [embedded_page.service_url]
    expect(widget.get_by_text("On my phone")).to_be_hidden()


# Browsers that lack what is newer than docs/embedding.md asks for, and those that are too old

TOO_OLD = "The buttons on this page do not work in your browser"

# What MDN's data give a later version for than docs/embedding.md names.
WITHOUT_NEWER = """
  const New = RegExp;
  window.RegExp = class extends New {
    constructor(pattern, flags) {
      if (flags?.includes("v")) throw new SyntaxError("Invalid flags");
      super(pattern, flags);
    }
  };
  delete Promise.withResolvers;
  delete Promise.try;
  delete AbortSignal.any;
  delete Set.prototype.union;
  delete Array.prototype.toSorted;
  delete Array.prototype.findLast;
  delete Object.groupBy;
  delete String.prototype.isWellFormed;
"""


@pytest.fixture
def unwatched(browser):
    """A context in which scripts may fail."""
    context = browser.new_context(locale="en-US")
    context.set_default_timeout(60_000)
    yield context
    context.close()


def test_nothing_newer_is_needed(embedded_page, context, page, browser_wallet):
    context.add_init_script(WITHOUT_NEWER)
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)

    submit(widget, "Night heron")

    expect(widget.locator("#own-list > li")).to_contain_text("Night heron")
    expect(widget.get_by_text(TOO_OLD)).to_be_hidden()


@pytest.mark.parametrize("lack", ["a function", "the syntax"])
def test_browser_that_is_too_old_is_told_so_and_shows_the_list(embedded_page, unwatched, lack):
    embedded_page.track_many(101)
    if lack == "a function":
        unwatched.add_init_script("delete AbortSignal.timeout")
    else:
        script = {"content_type": "text/javascript", "body": "export const pattern = /./vv;"}
        unwatched.route("**/widget/list.js", lambda route: route.fulfill(**script))
    page = unwatched.new_page()
    page.goto(embedded_page.host_page())
    widget = page.frame_locator("iframe")

    expect(widget.get_by_role("alert")).to_contain_text(TOO_OLD)
    expect(widget.locator("#wallets .wallet")).to_have_count(25)
    expect(widget.get_by_role("button", name="Add your wallet")).to_be_hidden()
    search = widget.get_by_role("searchbox")
    search.fill("wallet 77")
    page.keyboard.down("Enter")  # not up: the frame may be gone by then, and never answers
    expect(widget.locator("#wallets .name")).to_have_text(["Wallet 77"])


def test_list_is_opened_sorted_read_on_and_searched_without_scripts(embedded_page, plain_page):
    embedded_page.fill(60)
    plain_page.goto(embedded_page.host_page(order="listed"))
    widget = plain_page.frame_locator("iframe")
    rows = widget.locator("#wallets .name")
    expect(rows.first).to_have_text("Wallet 1")
    expect(widget.get_by_role("button")).to_have_count(0)
    row = widget.locator("#wallets .wallet").first
    row.locator("summary").click()
    expect(row.locator(".detail code")).to_be_visible()
    widget.locator("a.of-balance").click()
    expect(rows.first).to_have_text("Wallet 60")
    widget.get_by_role("link", name="Show more").click()
    expect(rows.first).to_have_text("Wallet 35")

    widget.get_by_role("searchbox").fill("WALLET 5")
    plain_page.keyboard.down("Enter")
    expect(rows.first).to_have_text("Wallet 59")
    expect(rows).to_have_count(11)
    expect(widget.locator("a.of-balance")).to_have_attribute("aria-current", "true")
