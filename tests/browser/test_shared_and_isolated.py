"""Pages with a share link, in any site, and sites with a Cross-Origin-Embedder-Policy."""

import pytest
from embedded_page import submit
from playwright.sync_api import expect

from embed.keys import derived

pytestmark = pytest.mark.browser

FRAME = '<iframe src="{0}/frame" width="500" height="600"></iframe>'
EMBEDDER, OPENER = "Cross-Origin-Embedder-Policy", "Cross-Origin-Opener-Policy"


@pytest.fixture
def link(embedded_page) -> str:
    """The address at which a page of three wallets is public."""
    embedded_page.track_many(3)
    derived.share_page(embedded_page.page_id, embedded_page.change())
    return f"{embedded_page.service_url}/embed/page/{embedded_page.page_id}"


def expect_list(page, count=3) -> None:
    expect(page.frame_locator("iframe").locator("#widget[data-ready]")).to_be_visible()
    expect(page.frame_locator("iframe").locator("#wallets .wallet")).to_have_count(count)


def expect_grown(page) -> None:
    grown = "(frame) => frame.clientHeight !== 600"
    page.wait_for_function(grown, arg=page.locator("iframe").element_handle())


def expect_sent(page) -> None:
    expect(page.frame_locator("iframe").locator("#own-list > li")).to_contain_text("Night heron")


def test_link_shows_the_list_as_a_page_of_its_own_that_remembers_its_visitor(
    context, page, link, browser_wallet
):
    context.add_init_script(browser_wallet.script())
    page.goto(link)

    expect_list(page)
    expect_grown(page)
    expect(page).to_have_title("USD Coin wallets")
    assert "svc_" not in page.url
    submit(page.frame_locator("iframe"), "Night heron")
    expect_sent(page)
    page.reload()
    expect_sent(page)


@pytest.mark.parametrize("policy", [{}, {EMBEDDER: "require-corp"}])
def test_site_of_which_the_service_knows_nothing_shows_the_list(
    context, open_site, page, link, browser_wallet, policy
):
    context.add_init_script(browser_wallet.script())
    open_site(FRAME.format(link), tag="", **policy)

    expect_list(page)
    submit(page.frame_locator("iframe"), "Night heron")
    expect_sent(page)


@pytest.mark.parametrize("by_link", [True, False])
def test_locked_frame_says_why_and_where_the_list_works(
    embedded_page, context, open_site, page, link, by_link
):
    context.grant_permissions(["clipboard-read"])
    src = f"{link}/frame" if by_link else embedded_page.widget_url()
    locked = f'<iframe sandbox="allow-scripts" src="{src}" width="600" height="600"></iframe>'
    open_site(locked, tag="")
    widget = page.frame_locator("iframe")
    expect(widget.get_by_text("This website shows the list in a locked frame")).to_be_visible()
    expect(widget.get_by_text("The buttons on this page do not work")).to_be_hidden()
    expect(widget.get_by_role("button", name="Add your wallet")).to_be_hidden()
    widget.get_by_role("button", name="Copy its address").click()
    expect(widget.get_by_role("button", name="Copied")).to_be_visible()
    page.goto(page.evaluate("navigator.clipboard.readText()"))
    expect(page.get_by_role("button", name="Add your wallet")).to_be_visible()


# Isolated sites


@pytest.fixture(params=["require-corp", "credentialless"])
def policy(request) -> str:
    return request.param


@pytest.fixture
def isolated(policy) -> dict[str, str]:
    """The headers of a site that isolates itself, as for SharedArrayBuffer."""
    return {EMBEDDER: policy, OPENER: "same-origin"}


def test_wallet_of_the_site_signs_through_the_script_for_sites(
    embedded_page, context, page, browser_wallet, isolated
):
    context.add_init_script(browser_wallet.script(name="Host wallet", where="top"))
    widget = embedded_page.open(page, headers=isolated)
    assert page.evaluate("crossOriginIsolated")

    submit(widget, wallet="Host wallet")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).status == "pending"
    expect(page.locator("iframe")).not_to_have_css("height", "600px")


@pytest.mark.parametrize(
    ("policy", "opener"), [("require-corp", None), ("credentialless", "same-origin-allow-popups")]
)
def test_window_signs_for_a_site_that_does_not_cut_it_off(
    embedded_page, context, page, browser_wallet, policy, opener
):
    context.add_init_script(
        browser_wallet.script(name="Top wallet", where="top", service=embedded_page.service_url)
    )
    headers = {EMBEDDER: policy} | ({OPENER: opener} if opener else {})
    widget = embedded_page.open(page, headers=headers, script=False)
    widget.get_by_role("button", name="Add your wallet").click()
    with context.expect_page() as opened:
        widget.get_by_role("button", name="In a separate window").click()

    submit(opened.value, wallet="Top wallet")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).status == "pending"
