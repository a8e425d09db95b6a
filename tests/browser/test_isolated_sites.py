"""Sites with a Cross-Origin-Embedder-Policy show the widget and lend it their wallets."""

import pytest
from embedded_page import BrowserWallet, submit
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

EMBEDDER, OPENER = "Cross-Origin-Embedder-Policy", "Cross-Origin-Opener-Policy"


@pytest.fixture(params=["require-corp", "credentialless"])
def policy(request) -> str:
    return request.param


@pytest.fixture
def isolated(policy) -> dict[str, str]:
    """The headers of a site that isolates itself, as for SharedArrayBuffer."""
    return {EMBEDDER: policy, OPENER: "same-origin"}


def test_plain_snippet_shows_the_list_and_its_steps(embedded_page, page, isolated):
    embedded_page.track_many(2)
    widget = embedded_page.open(page, headers=isolated, script=False)

    assert page.evaluate("crossOriginIsolated")
    expect(widget.locator("#wallets .wallet")).to_have_count(2)
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.get_by_role("button", name="In a window of its own")).to_be_visible()


def test_wallet_of_the_site_signs_through_the_script_for_sites(
    embedded_page, context, page, browser_wallet, isolated
):
    context.add_init_script(browser_wallet.script(name="Host wallet", where="top"))
    widget = embedded_page.open(page, headers=isolated)
    assert page.evaluate("crossOriginIsolated")

    submit(widget, wallet="Host wallet")

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).status == "pending"
    page.wait_for_function("document.querySelector('iframe').style.height !== ''")


def test_refusal_is_shown_and_no_empty_box(embedded_page, page, isolated):
    page.goto(embedded_page.host_page(headers=isolated, page_id="nonsense"))
    refusal = page.frame_locator("iframe")

    expect(refusal.get_by_text("This widget's key is not for this page.")).to_be_visible()
    expect(refusal.locator("main")).to_have_css("max-width", "960px")  # its style was loaded


def test_frame_in_a_sandbox_without_an_origin_loads_its_files(embedded_page, page, isolated, watch):
    key = embedded_page.make_key("public", origins=[], allow_null_origin=True)
    src = f"{embedded_page.service_url}/embed/tracking/{embedded_page.page_id}?key={key}"
    page.goto(
        embedded_page.host.show(
            f'<!doctype html><iframe sandbox="allow-scripts" src="{src}"></iframe>', **isolated
        )
    )
    widget = page.frame_locator("iframe")

    expect(widget.locator("#widget[data-ready]")).to_be_visible()
    expect(widget.locator("main")).to_have_css("max-width", "960px")
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_text("On my phone").click()
    code = widget.get_by_role("img", name="Code that opens this list in Phantom")
    code.scroll_into_view_if_needed()
    assert code.evaluate("async (image) => { await image.decode(); return image.naturalWidth }")
    # Such a frame has no session, and may not even ask for it.
    watch.seen[:] = [text for text in watch.seen if "/embed/session" not in text]


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
        widget.get_by_role("button", name="In a window of its own").click()

    submit(opened.value, wallet="Top wallet")

    expect(widget.get_by_text("Your wallet waits")).to_be_visible()
    assert embedded_page.find_submission(browser_wallet.address).status == "pending"


def test_other_sites_cannot_load_what_belongs_to_a_visitor(embedded_page, page):
    """The browser keeps it out of the site's process, also where the site has no such policy."""
    page.goto(embedded_page.host_page(script=False))
    load = """async (url) => {
      try { return (await fetch(url, {mode: "no-cors", credentials: "include"})).type; }
      catch { return "refused"; }
    }"""
    widget = f"{embedded_page.service_url}/embed/tracking/{embedded_page.page_id}"

    assert page.evaluate(load, f"{embedded_page.service_url}/embed.js") == "opaque"
    for url in (
        f"{embedded_page.service_url}/embed/session",
        f"{embedded_page.service_url}/embed/api/session/submissions",
        f"{widget}/flow?key={embedded_page.key}",
        f"{widget}/proofs?key={embedded_page.key}",
        f"{widget}/receipts/x?key={embedded_page.key}",
    ):
        assert page.evaluate(load, url) == "refused", url


def test_firefox_shows_the_list_and_signs_with_the_sites_wallet(embedded_page, firefox, isolated):
    embedded_page.track_many(2)
    wallet = BrowserWallet()
    script = wallet.script(name="Host wallet", where="top")
    site = firefox.open(embedded_page.host_page(headers=isolated), script)
    assert site.evaluate("crossOriginIsolated")
    widget = site.widget(embedded_page.service_url)

    assert widget.evaluate("document.querySelectorAll('#wallets .wallet').length") == 2
    widget.press("Add your wallet")
    widget.press("Host wallet")
    widget.fill("[name=nickname]", "Night heron")
    widget.press("Continue")
    widget.press("Sign with")

    assert widget.read("[data-step=done]").startswith("Your wallet waits")
    assert embedded_page.find_submission(wallet.address).status == "pending"


def test_firefox_shows_a_refusal_in_the_plain_frame(embedded_page, firefox, isolated):
    page = firefox.open(embedded_page.host_page(headers=isolated, script=False, page_id="nonsense"))

    assert page.frame(embedded_page.service_url).read("h1").startswith("This widget's key")
