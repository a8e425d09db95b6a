"""Real pages of other sites that show the list of a page that is public by link."""

import pytest
from embedded_page import sign_in, submit
from playwright.sync_api import expect

from embed.keys import derived

pytestmark = pytest.mark.browser

PAGE = '<!doctype html><meta charset="utf-8"><title>A site</title><link rel="icon" href="data:,">{}'
FRAME = '<iframe src="{0}/frame" width="500" height="600"></iframe>'
CLASSIC = '<script src="{0}/embed.js"></script>'


@pytest.fixture
def open_site(embedded_page, page):
    def open_site(body: str, **headers: str) -> None:
        page.goto(embedded_page.host.show(PAGE.format(body), **headers))

    return open_site


@pytest.fixture
def link(embedded_page) -> str:
    """The address at which a page of three wallets is public."""
    embedded_page.track_many(3)
    derived.share_page(embedded_page.page_id, embedded_page.clock())
    return f"{embedded_page.service_url}/embed/page/{embedded_page.page_id}"


def expect_list(page, count=3) -> None:
    expect(page.frame_locator("iframe").locator("#widget[data-ready]")).to_be_visible()
    expect(page.frame_locator("iframe").locator("#wallets .wallet")).to_have_count(count)


def expect_grown(page) -> None:
    grown = "(frame) => frame.style.height.endsWith('px') && frame.clientHeight !== 600"
    page.wait_for_function(grown, arg=page.locator("iframe").element_handle())


def test_link_shows_the_list_as_a_page_of_its_own(embedded_page, page, link):
    page.goto(link)

    expect_list(page)
    expect_grown(page)
    expect(page).to_have_title("USD Coin wallets")
    assert "svc_" not in page.url


def test_link_without_scripts_shows_the_list(browser, link):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(link)

    expect(page.frame_locator("iframe").locator("#wallets .wallet")).to_have_count(3)
    context.close()


def test_visitor_of_the_link_is_remembered(embedded_page, context, page, link, browser_wallet):
    context.add_init_script(browser_wallet.script())
    page.goto(link)
    expect_list(page)
    submit(page.frame_locator("iframe"), "Night heron")
    expect(page.frame_locator("iframe").locator("#own-list li")).to_contain_text("Night heron")

    page.reload()

    expect(page.frame_locator("iframe").locator("#own-list li")).to_contain_text("Night heron")


@pytest.mark.parametrize("policy", [{}, {"Cross-Origin-Embedder-Policy": "require-corp"}])
def test_site_of_which_the_service_knows_nothing_shows_the_list(
    context, open_site, page, link, browser_wallet, policy
):
    context.add_init_script(browser_wallet.script())
    open_site(FRAME.format(link), **policy)

    expect_list(page)
    submit(page.frame_locator("iframe"), "Night heron")
    expect(page.frame_locator("iframe").locator("#own-list li")).to_contain_text("Night heron")


def test_frame_of_a_link_grows_with_the_script_for_sites(embedded_page, open_site, page, link):
    open_site(FRAME.format(link) + CLASSIC.format(embedded_page.service_url))

    expect_list(page)
    expect_grown(page)


def test_list_can_be_read_in_a_sandbox(open_site, page, link, watch):
    open_site(FRAME.format(link).replace("<iframe", '<iframe sandbox="allow-scripts"'))

    expect_list(page)
    watch.seen.clear()  # such a frame may ask for nothing


def test_link_in_a_frame_that_a_site_makes_itself_shows_the_list(open_site, page, link):
    open_site(f'<iframe src="{link}" width="600" height="500"></iframe>')

    inner = page.frame_locator("iframe").frame_locator("iframe")
    expect(inner.locator("#wallets .wallet")).to_have_count(3)


def test_open_list_stops_once_its_link_has_ended(embedded_page, open_site, page, link):
    open_site(FRAME.format(link))
    expect_list(page)

    derived.stop_sharing(embedded_page.page_id, embedded_page.clock())

    page.evaluate("document.querySelector('iframe').src += '?lang=en'")
    expect(page.frame_locator("iframe").locator(".refusal h1")).to_have_text(
        "There is nothing here."
    )


def test_script_of_another_site_reads_the_counts(open_site, page, link):
    open_site("<body>")
    read = "async (url) => (await fetch(url)).json()"

    assert page.evaluate(read, f"{link}/count.json") == {
        "wallets": 3,
        "share": None,
        "text": "3 wallets",
    }


def test_page_is_made_public_by_link_in_the_tab(dashboard, page, context):
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed")
    page.get_by_role("button", name="Make it public by link").click()
    expect(page.locator("#count")).to_contain_text("/count.json")
    link = page.locator("#link").text_content()

    visitor = context.new_page()
    visitor.goto(link)
    expect(visitor.frame_locator("iframe").locator("#widget")).to_be_visible()

    page.get_by_role("button", name="End the link").click()
    expect(page.get_by_role("button", name="Make it public by link")).to_be_visible()
    assert visitor.goto(link).status == 404
