"""Pages with a share link, in any site, and sites with a Cross-Origin-Embedder-Policy."""

import pytest
from embedded_page import BrowserWallet, is_drawn, submit
from playwright.sync_api import expect

from embed.keys import derived

pytestmark = pytest.mark.browser

FRAME = '<iframe src="{0}/frame" width="500" height="600"></iframe>'
LOCKED = '<iframe sandbox="allow-scripts" src="{}" width="800" height="600"></iframe>'
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


@pytest.mark.parametrize("sandbox", ["allow-scripts", ""])
def test_locked_frame_leads_on_page_by_page(embedded_page, open_site, page, watch, sandbox):
    """Its own script can't read anything there."""
    embedded_page.add_tag("team")
    embedded_page.track_many(30, tag_names=["team"])
    embedded_page.track(BrowserWallet().address, alias="A whale", balance=1000)
    src = embedded_page.widget_url(lang="de", order="listed")
    open_site(LOCKED.format(src).replace("allow-scripts", sandbox), tag="")
    widget = page.frame_locator("iframe")
    rows = widget.locator("#wallets .name")

    def follow(link) -> None:
        """Press a link of the frame, and let its page load: it moves until then."""
        with page.expect_event("framenavigated"):
            link.click()
        page.frames[-1].wait_for_load_state()

    expect(rows.first).to_have_text("Wallet 1")
    follow(widget.locator("a.of-balance"))
    expect(rows.first).to_have_text("A whale")
    follow(widget.locator(".chips a", has_text="team"))
    expect(widget.locator("#count")).to_have_text("25 von 30 Wallets")
    follow(widget.locator("#show-more"))
    expect(rows).to_have_count(5)
    if not sandbox:
        assert all("'allow-scripts' permission" in text for text in watch.seen)
        watch.seen.clear()


@pytest.mark.parametrize("by_link", [True, False])
def test_locked_frame_says_why_and_where_the_list_works(
    embedded_page, context, open_site, page, link, by_link
):
    context.grant_permissions(["clipboard-read"])
    src = f"{link}/frame" if by_link else embedded_page.widget_url()
    open_site(LOCKED.format(src), tag="")
    widget = page.frame_locator("iframe")
    expect(widget.get_by_text("This website shows the list in a locked frame")).to_be_visible()
    expect(widget.get_by_text("The buttons on this page do not work")).to_be_hidden()
    expect(widget.get_by_role("button", name="Add your wallet")).to_be_hidden()
    widget.get_by_role("button", name="Copy its address").click()
    expect(widget.get_by_role("button", name="Copied")).to_be_visible()
    page.goto(page.evaluate("navigator.clipboard.readText()"))
    expect(page.get_by_role("button", name="Add your wallet")).to_be_visible()


def test_enter_opens_what_is_searched_in_a_locked_frame(embedded_page, open_site, page, link):
    """Such a frame sends no form."""
    open_site(LOCKED.format(f"{link}/frame"), tag="")
    widget = page.frame_locator("iframe")
    widget.locator("[data-isolated]").wait_for()
    search = widget.get_by_role("searchbox")
    search.fill("wallet 2")
    page.keyboard.down("Enter")  # not up: the frame may be gone by then, and never answers

    expect(widget.locator("#wallets .name")).to_have_text(["Wallet 2"])
    expect(search).to_have_value("wallet 2")


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


def test_frame_in_a_sandbox_without_an_origin_loads_its_files(
    embedded_page, open_site, page, isolated
):
    embedded_page.key = embedded_page.make_key("public", origins=[], allow_null_origin=True)
    open_site(LOCKED.format(embedded_page.widget_url()), tag="", **isolated)
    widget = page.frame_locator("iframe")

    expect(widget.locator("#widget[data-ready]")).to_be_visible()
    expect(widget.locator("main")).to_have_css("max-width", "960px")
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_text("On my phone").click()
    assert is_drawn(widget.get_by_role("img", name="QR code that opens this list in Phantom"))
    expect(widget.locator("#cookie-blocked")).to_be_visible()  # such a frame has no session


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
