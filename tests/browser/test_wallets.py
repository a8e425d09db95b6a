"""Wallets of the official packages, also over HTTPS, and those that the host page lends."""

import pytest
from embedded_page import EmbeddedPage, HostSite, ask_text, read_text, submit
from official_wallet import OfficialWallet, build
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

NAME = "Official wallet"
WAITS = "Your wallet is waiting"


@pytest.fixture(scope="module")
def bundle() -> str:
    return build()


@pytest.fixture
def wallet(bundle) -> OfficialWallet:
    return OfficialWallet(bundle)


SERVICE, SITE = "embed.example.test", "site.example.org"


@pytest.fixture
def secure_page(service, secure_port, certificate):
    site = HostSite(SITE, certificate)
    yield EmbeddedPage(service[0], f"https://{SERVICE}:{secure_port}", site)
    site.close()


@pytest.mark.parametrize("where", ["window !== top", "window === top"], ids=["frame", "lent"])
def test_wallet_signs_in_the_frame_of_another_site_or_is_lent_by_it(
    secure_page, open_browser, wallet, where
):
    page = open_browser(ignore_https_errors=True)
    page.add_init_script(wallet.script(where=where))
    widget = secure_page.open(page)

    submit(widget, wallet=NAME)

    expect(widget.get_by_text(WAITS)).to_be_visible()
    expect(widget.locator("#own-list strong")).to_have_attribute("title", wallet.address)
    has_it = page.frames[1] if where == "window !== top" else page
    assert has_it.evaluate("wallet.asked") == ["connect", "signOffchainMessage"]


# Wallets of the host page: what is passed on, and what the visitor sees


@pytest.fixture
def host_wallet(context, browser_wallet):
    """A wallet that appears in top-level pages and in no frame, as Phantom does."""
    context.add_init_script(browser_wallet.script(name="Host wallet", where="top"))
    return browser_wallet


def open_flow(widget):
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.locator("[data-step=choose]")).to_be_visible()


def expect_no_wallets(embedded_page, page, widget) -> None:
    """Expect that the frame offers none, after what was sent to it has arrived."""
    expect(widget.get_by_text("No wallet found here.")).to_be_visible()
    embedded_page.settle(page)
    expect(widget.locator("[data-wallets] button")).to_have_count(0)


def test_wallet_of_the_host_page_signs_without_a_second_window(
    embedded_page, context, page, host_wallet
):
    loaded = []
    page.on("request", lambda request: loaded.append(request.url))
    widget = embedded_page.open(page)
    assert [url for url in loaded if "/host/" in url] == []  # nothing before the visitor asks

    open_flow(widget)
    expect(widget.locator("[data-lent]")).to_have_text(
        f"Requests to these wallets go through {embedded_page.host.origin}, so your wallet"
        " may show that site's name."
    )
    widget.get_by_role("button", name="Close").click()
    ask_text(widget, "Night heron", wallet="Host wallet")
    shown = read_text(widget)
    assert page.evaluate("testWallet.signed") == []
    widget.get_by_role("button", name="Sign with").click()

    expect(widget.get_by_text("Your wallet is waiting for the owner's review")).to_be_visible()
    assert page.evaluate("testWallet.signed") == [shown]
    assert embedded_page.find_submission(host_wallet.address).nickname == "Night heron"
    assert len(context.pages) == 1


def test_lent_wallet_has_its_accounts_and_tells_when_they_change(
    embedded_page, context, page, bundle
):
    wallet = OfficialWallet(bundle, accounts=2)
    context.add_init_script(wallet.script(where="window === top"))
    widget = embedded_page.open(page)
    open_flow(widget)
    widget.get_by_role("button", name="Official wallet").click()
    widget.get_by_role("button", name="Account 1").click()
    name = widget.get_by_label("Name to show on the list")
    name.fill("Night heron")

    page.evaluate("wallet.show([1])")
    expect(widget.get_by_role("alert")).to_contain_text("Your wallet now uses another account.")
    widget.get_by_role("button", name="Try again").click()
    expect(widget.locator("[data-show=address]")).to_have_text(wallet.addresses[1])
    widget.get_by_role("button", name="Continue", exact=True).click()
    widget.get_by_role("button", name="Sign with").click()

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    assert embedded_page.find_submission(wallet.addresses[1]).nickname == "Night heron"


@pytest.mark.parametrize("where", ["script", "iframe", 'script type="module"'])
def test_owner_of_the_site_can_switch_lending_off(embedded_page, page, host_wallet, where):
    html = f"""<link rel="icon" href="data:,">
        <iframe src="{embedded_page.widget_url()}"></iframe>
        <script src="{embedded_page.service_url}/embed.js"></script>"""
    tag = where.partition(" ")[0]
    off = html.replace(f"<{tag} ", f'<{where} data-lend-wallets="off" ')
    page.goto(embedded_page.host.show(off))
    widget = page.frame_locator("iframe")
    open_flow(widget)

    expect_no_wallets(embedded_page, page, widget)


def test_policy_that_allows_the_services_scripts_allows_lending(embedded_page, page, host_wallet):
    policy = (
        f"script-src {embedded_page.service_url}; frame-src {embedded_page.service_url};"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    )
    widget = embedded_page.open(page, headers={"Content-Security-Policy": policy})

    submit(widget, wallet="Host wallet")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()


LOAD_AGAIN = "frame => { frame.src += '&again' }"
REPLACE = "frame => { const next = frame.cloneNode(); frame.remove(); document.body.append(next) }"


@pytest.mark.parametrize("change", [None, LOAD_AGAIN, REPLACE], ids=["cancel", "load", "replace"])
def test_question_that_is_never_answered_blocks_no_other(
    embedded_page, context, page, browser_wallet, change
):
    slow = {"connect": [3_600_000]}
    context.add_init_script(browser_wallet.script(name="Host wallet", where="top", slow=slow))
    widget = embedded_page.open(page)
    open_flow(widget)
    widget.get_by_role("button", name="Host wallet").click()
    expect(widget.get_by_text("Waiting for your wallet…")).to_be_visible()
    if change is None:
        widget.get_by_role("button", name="Cancel").click()
        widget.get_by_role("button", name="Close").click()
    else:
        page.locator("iframe").evaluate(change)
        widget.locator("[data-step=choose]").wait_for(state="detached")
        widget.locator("#widget[data-ready]").wait_for()

    submit(widget, wallet="Host wallet")

    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
