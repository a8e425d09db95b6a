"""The strip of 72 px: it opens the list in a tab, or in its place where the site has embed.js."""

import pytest
from axe import find_faults
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.fixture
def strip_of(embedded_page, page):
    embedded_page.track_many(14)

    def strip_of(*, script):
        source = f"{embedded_page.widget_url()}&size=strip"
        tag = f'<script src="{embedded_page.service_url}/embed.js"></script>' if script else ""
        frame = f'<iframe src="{source}" width="100%" height="72" style="border: 0"></iframe>'
        site = f'<!doctype html><title>A site</title><link rel="icon" href="data:,">{frame}{tag}'
        page.goto(embedded_page.host.show(site))
        return page.frame_locator("iframe")

    return strip_of


def test_strip_opens_the_list_in_a_tab_of_its_own(strip_of, page):
    strip = strip_of(script=False)
    assert strip.locator("html").evaluate("root => root.scrollHeight") == 72

    with page.context.expect_page() as opened:
        strip.get_by_role("link", name="14 wallets").click()
    expect(opened.value.locator("#wallets > li").first).to_be_visible()

    with page.context.expect_page() as opened:
        strip.get_by_role("link", name="Join").click()
    expect(opened.value.locator("#flow")).to_be_visible()


def test_strip_becomes_the_list_where_the_site_has_the_script(strip_of, page):
    strip = strip_of(script=True)
    expect(page.locator("iframe")).to_have_css("height", "72px")
    expect(strip.get_by_role("link", name="Join")).not_to_have_attribute("target", "_blank")

    strip.get_by_role("link", name="Join").click()

    expect(strip.locator("#flow")).to_be_visible()
    expect(strip.locator("#wallets > li").first).to_be_visible()
    page.wait_for_function("document.querySelector('iframe').offsetHeight > 400")
    assert len(page.context.pages) == 1


@pytest.mark.parametrize("lang", ["en", "ar"])
def test_strip_has_no_faults(embedded_page, page, lang):
    embedded_page.track_many(14)
    page.goto(f"{embedded_page.widget_url()}&size=strip&lang={lang}")

    assert find_faults("strip", page) == []
    assert (
        page.locator("html").evaluate("root => root.scrollHeight") <= page.viewport_size["height"]
    )
