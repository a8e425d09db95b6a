"""Browsers that lack what is newer than docs/embedding.md asks for, and those that are too old."""

import pytest
from embedded_page import submit
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

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

    expect(widget.locator("#own-list li")).to_contain_text("Night heron")
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
    expect(widget.get_by_role("searchbox")).to_be_hidden()
    expect(widget.get_by_role("link", name="Next")).to_be_visible()


def test_window_for_signing_says_so_too(embedded_page, unwatched):
    script = {"content_type": "text/javascript", "body": "export const pattern = /./vv;"}
    unwatched.route("**/widget/flow-input.js", lambda route: route.fulfill(**script))
    page = unwatched.new_page()
    page.goto(f"{embedded_page.service_url}/embed/sign")

    expect(page.get_by_role("alert")).to_contain_text(TOO_OLD)


def test_steps_that_the_browser_cannot_read_are_not_blamed_on_the_server(embedded_page, unwatched):
    script = {"content_type": "text/javascript", "body": "export const pattern = /./vv;"}
    unwatched.route("**/widget/flow-input.js", lambda route: route.fulfill(**script))
    widget = embedded_page.open(unwatched.new_page())

    widget.get_by_role("button", name="Add your wallet").click()

    expect(widget.locator("#flow [data-busy]")).to_contain_text(TOO_OLD)
