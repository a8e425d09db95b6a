"""Phones, links that open the widget in a wallet's browser, and browsers that are too old."""

from urllib.parse import parse_qs, urlsplit

import pytest
from embedded_page import is_drawn, sign_in, submit
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.fixture
def phone(open_browser):
    return open_browser(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)


def test_phone_without_a_wallet_is_sent_to_the_wallets_browsers(embedded_page, phone):
    widget = embedded_page.open(phone)
    widget.get_by_role("button", name="Add your wallet").click()

    for name, start in (
        ("Phantom", "https://phantom.app/ul/browse/"),
        ("Solflare", "https://solflare.com/ul/v1/browse/"),
    ):
        link = widget.get_by_role("link", name=name)
        expect(link).to_be_visible()
        href = link.get_attribute("href")
        assert href.startswith(start)
        target, query = href.removeprefix(start).split("?")
        assert "/" not in target
        assert parse_qs(query)["ref"] == [embedded_page.service_url]
    expect(widget.get_by_text("On my phone")).to_be_hidden()


def test_card_fits_a_phone_with_the_whole_text_and_large_controls(
    embedded_page, phone, browser_wallet
):
    page = phone
    page.set_viewport_size({"width": 360, "height": 640})
    widget = embedded_page.open(page, style="body { margin: 0 }")
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_text("By hand").click()
    widget.get_by_label("Wallet address").fill(browser_wallet.address)
    widget.get_by_role("button", name="Continue", exact=True).click()
    widget.get_by_label("Name to show").fill("W" * 32)
    primary = widget.get_by_role("button", name="Continue", exact=True)
    back = widget.get_by_role("button", name="Back")
    boxes = [primary.bounding_box(), back.bounding_box()]
    assert boxes[0]["y"] < boxes[1]["y"]
    assert boxes[0]["width"] == boxes[1]["width"] > 250
    primary.click()

    widget.locator("[data-show=message]").wait_for()
    widget.locator("details:has([data-show=command]) > summary").click()
    for text in ("message", "command"):
        shown = widget.locator(f"[data-show={text}]")
        shown.wait_for()
        assert shown.evaluate(
            "({scrollHeight, clientHeight, scrollWidth, clientWidth}) =>"
            " [scrollHeight - clientHeight, scrollWidth - clientWidth]"
        ) == [0, 0]
    controls = widget.locator("#flow :is(button, input, select, textarea):visible").all()
    sizes = [one.bounding_box() for one in controls]
    assert len(sizes) > 6
    assert [one for one in sizes if min(one["width"], one["height"]) < 44] == []


def test_link_leads_to_this_widget_as_a_page_of_its_own(embedded_page, phone, browser_wallet):
    phone.add_init_script(browser_wallet.script(kind="older"))  # as in a wallet's own browser
    page = phone
    page.goto(embedded_page.widget_url(lang="en"))
    page.get_by_role("button", name="Add your wallet").click()
    link = page.locator("[data-if=phone] a").first.get_attribute("href")
    target = parse_qs(f"url={urlsplit(link).path.rpartition('/browse/')[2]}")["url"][0]

    page.goto(target)
    page.get_by_role("button", name="Add your wallet").click()

    expect(page.get_by_role("button", name="Phantom")).to_be_visible()
    expect(page.locator("[data-if=phone]")).to_be_hidden()
    expect(page.get_by_role("button", name="In a separate window")).to_be_hidden()


def test_desktop_without_a_wallet_shows_a_code_to_scan(embedded_page, page):
    asked = []
    page.on("request", lambda request: "qr.svg" in request.url and asked.append(request.url))
    widget = embedded_page.open(page)
    widget.get_by_role("button", name="Add your wallet").click()
    assert asked == []  # no QR code is loaded before it is needed

    widget.get_by_text("On my phone").click()

    assert is_drawn(widget.get_by_role("img", name="QR code that opens this list in Phantom"))
    widget.locator(".pick details summary", has_text="Solflare").click()  # one at a time
    assert is_drawn(widget.get_by_role("img", name="QR code that opens this list in Solflare"))
    assert len(asked) == 2


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


def test_nothing_that_needs_a_script_shows_where_a_blocker_stops_them(embedded_page, unwatched):
    embedded_page.track_many(60)
    unwatched.route("**/static/**/*.js", lambda route: route.abort())
    page = unwatched.new_page()
    page.goto(embedded_page.host_page())
    widget = page.frame_locator("iframe")

    expect(widget.get_by_role("alert")).to_contain_text(TOO_OLD)
    expect(widget.get_by_role("button")).to_have_count(0)
    widget.get_by_role("link", name="Show more").click()
    expect(widget.get_by_text("26–50 of 60 wallets")).to_be_visible()
    page.goto(f"{embedded_page.service_url}/embed/sign")
    expect(page.get_by_role("alert")).to_contain_text(TOO_OLD)


def test_dashboard_offers_no_copies_where_a_blocker_stops_scripts(dashboard, unwatched):
    unwatched.route("**/static/**/*.js", lambda route: route.abort())
    page = unwatched.new_page()
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed")

    expect(page.locator("#snippet")).to_be_visible()
    expect(page.locator("[data-copy]:visible")).to_have_count(0)


def test_steps_that_the_browser_cannot_read_are_not_blamed_on_the_server(embedded_page, unwatched):
    script = {"content_type": "text/javascript", "body": "export const pattern = /./vv;"}
    unwatched.route("**/widget/flow-view.js", lambda route: route.fulfill(**script))
    widget = embedded_page.open(unwatched.new_page())

    widget.get_by_role("button", name="Add your wallet").click()

    expect(widget.locator("#flow [data-busy]")).to_contain_text(TOO_OLD)
