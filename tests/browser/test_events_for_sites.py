"""What embed.js tells scripts of the site, and which sites it tells."""

import pytest
from embedded_page import frame_of, submit
from playwright.sync_api import expect

from embed.keys import derived

pytestmark = pytest.mark.browser

HEARD = """<script>
  window.heard = [];
  for (const name of ["ready", "submitted", "listed"]) {
    document.addEventListener(`tracking-embed:${name}`, ({ target, detail }) => {
      heard.push([target.tagName, name, detail]);
    });
  }
</script>"""
TAG = '<script src="{}/embed.js"></script>'


@pytest.fixture
def open_site(embedded_page, page, context, browser_wallet):
    context.add_init_script(browser_wallet.script(name="Test wallet", where="frame"))

    def open_site(url: str = "", style: str = "min-height: 1400px"):
        """Open a page of the site that hears events; return its widget."""
        tags = TAG.format(embedded_page.service_url) * 2  # and each is heard once
        frame = f'<iframe src="{url or embedded_page.widget_url()}" style="{style}">'
        icon = '<link rel="icon" href="data:,">'
        page.goto(embedded_page.host.show(f"<!doctype html>{icon}{HEARD}{frame}</iframe>{tags}"))
        widget = page.frame_locator("iframe")
        widget.locator("#widget[data-ready]").wait_for()
        return widget

    return open_site


def list_heard(page, count: int) -> list:
    page.wait_for_function("(count) => heard.length >= count", arg=count)
    return page.evaluate("heard")


def test_site_hears_of_the_frame_of_what_is_sent_and_when_it_is_listed(
    embedded_page, open_site, page, browser_wallet
):
    embedded_page.track_many(3)
    page.clock.install()
    widget = open_site()
    (ready,) = list_heard(page, 1)
    height = page.evaluate("document.querySelector('iframe').clientHeight")
    assert ready == ["IFRAME", "ready", {"height": height, "wallets": 3}]

    submit(widget, "Night heron")
    assert list_heard(page, 2)[1:] == [["IFRAME", "submitted", {"status": "pending"}]]

    embedded_page.approve(embedded_page.find_submission(browser_wallet.address).id)
    embedded_page.forward(page, "00:11")
    # And not whose wallet it is, which the site cannot read from the API either.
    assert list_heard(page, 3)[2:] == [["IFRAME", "listed", {}]]
    embedded_page.forward(page, "00:40")
    embedded_page.settle(page)

    assert len(page.evaluate("heard")) == 3


def test_height_that_the_site_hears_of_is_the_one_that_the_frame_keeps(
    embedded_page, open_site, page
):
    embedded_page.track_many(3)
    open_site(style="height: 99px")
    ((_, _, ready),) = list_heard(page, 1)
    embedded_page.settle(page)

    assert ready["height"] == page.evaluate("document.querySelector('iframe').clientHeight") > 99


def test_wallet_that_is_listed_at_once_is_heard_of_and_not_again_on_the_next_visit(
    embedded_page, open_site, page
):
    embedded_page.configure(auto_approve=True)
    submit(open_site(), "Night heron")

    heard = [[name, detail] for _, name, detail in list_heard(page, 3)[1:]]
    assert heard == [["submitted", {"status": "auto_approved"}], ["listed", {}]]

    widget = open_site()
    expect(widget.locator("#own-list .mine")).to_be_visible()
    embedded_page.settle(page)
    assert [name for _, name, _ in page.evaluate("heard")] == ["ready"]


def test_site_that_the_key_does_not_name_hears_nothing(embedded_page, open_site, page):
    derived.share_page(embedded_page.page_id, embedded_page.change())
    widget = open_site(f"{embedded_page.service_url}/embed/page/{embedded_page.page_id}/frame")

    expect(page.locator("iframe")).to_have_css("border-top-width", "0px")  # the script has found it
    submit(widget, "Night heron")
    expect(widget.locator("#own-list > li")).to_contain_text("Night heron")
    embedded_page.settle(page)

    assert page.evaluate("heard") == []


def test_site_does_not_hear_of_what_another_frame_says_or_what_is_no_such_event(
    embedded_page, open_site, page
):
    open_site()
    list_heard(page, 1)
    messages = """[
      { kind: "embed:submitted", status: "pending" }, { kind: "embed:listed" },
      { kind: "embed:ready", wallets: 1 },
    ].forEach((one) => parent.postMessage(one, "*"))"""
    other = embedded_page.host.show(f"<script>{messages}</script>")
    page.evaluate(
        """(src) => new Promise((loaded) => {
          const frame = document.createElement("iframe");
          Object.assign(frame, { src, onload: loaded });
          document.body.append(frame);
        })""",
        other,
    )
    frame_of(page, embedded_page.service_url).evaluate(
        """[
          { kind: "embed:submitted", status: "<b>" }, { kind: "embed:submitted" },
          { kind: "embed:ready", wallets: "1" }, { kind: "constructor" }, null, "embed:listed",
        ].forEach((one) => parent.postMessage(one, "*"))"""
    )
    embedded_page.settle(page)

    assert len(page.evaluate("heard")) == 1
