"""A wallet as a way in, in a browser: linked, signed in with, and as the answer to "Is it you?"."""

import base64

import pytest
from axe import find_faults
from embedded_page import let_confirmation_end, read_text, sign_in
from playwright.sync_api import Page, expect
from support.owner_browser import PASSWORD
from support.remote import make_environ

from embed.db.models import ApiKey, LinkedWallet, Session

pytestmark = pytest.mark.browser

NARROW = {"width": 320, "height": 640}


@pytest.fixture(scope="module")
def service_environ(make_service_database) -> dict[str, str]:
    """A service of its own: attempts to sign in are counted by network."""
    return make_environ(make_service_database())


@pytest.fixture
def owner_page(dashboard, context, browser_wallet, page) -> Page:
    """The owner's browser, which has a wallet."""
    context.add_init_script(browser_wallet.script())
    sign_in(page, dashboard)
    return page


@pytest.fixture
def linked(dashboard, browser_wallet) -> LinkedWallet:
    return LinkedWallet.create(
        person=dashboard.owner, address=browser_wallet.address, created_at=dashboard.clock()
    )


def locate(dashboard, path: str) -> str:
    return f"{dashboard.service_url}/dashboard/{path}"


def choose(page: Page) -> str:
    """Choose the wallet, and return the text to sign."""
    page.get_by_role("button", name="Test wallet").click()
    return read_text(page)


def press_sign(page: Page) -> None:
    page.get_by_role("button", name="Sign with").click()


def check_layout(page: Page, what: str) -> None:
    assert find_faults(what, page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), what


def test_owner_links_a_wallet_signs_in_with_it_and_unlinks_it(
    dashboard, owner_page, browser_wallet
):
    page = owner_page
    page.goto(locate(dashboard, "account"))
    page.get_by_role("link", name="Link a wallet").click()
    message = choose(page)
    assert f"\nWallet: {browser_wallet.address}\nAccount: {dashboard.owner.email}\n" in message
    press_sign(page)
    expect(page.get_by_text("Your wallet is linked.")).to_be_visible()

    page.get_by_role("button", name="Account").click()
    page.get_by_role("button", name="Sign out").first.click()
    page.get_by_role("link", name="Sign in with a wallet").click()
    message = choose(page)
    assert "asks you to sign in to its dashboard with this wallet." in message
    press_sign(page)
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()

    page.goto(locate(dashboard, "account"))
    expect(page.get_by_text("last used")).to_be_visible()
    page.get_by_role("button", name=f"Unlink {browser_wallet.address}").click()
    expect(page.get_by_text("The wallet is unlinked.")).to_be_visible()
    assert not LinkedWallet.select().where(LinkedWallet.person == dashboard.owner).exists()


def test_sign_in_leads_to_where_the_person_was_going(
    dashboard, page, context, browser_wallet, linked
):
    context.add_init_script(browser_wallet.script(kind="older"))
    page.goto(f"{dashboard.base}/tags")
    page.get_by_role("link", name="Sign in with a wallet").click()
    page.get_by_role("button", name="Phantom").click()
    read_text(page)
    page.get_by_role("button", name="Sign with").click()

    expect(page).to_have_url(f"{dashboard.base}/tags")


def test_wallet_that_is_not_linked_is_told_so_and_another_can_be_used(
    dashboard, page, context, browser_wallet
):
    context.add_init_script(browser_wallet.script())
    page.goto(locate(dashboard, "sign-in/wallet"))
    choose(page)
    press_sign(page)

    expect(page.get_by_role("alert")).to_have_text("No account is linked to this wallet.")
    expect(page.get_by_role("heading", name="Not signed in")).to_be_visible()
    check_layout(page, "a wallet that is not linked")
    page.get_by_role("button", name="Use another wallet").click()
    expect(page.get_by_role("button", name="Test wallet")).to_be_visible()


def test_person_who_declines_can_try_again_or_leave(
    dashboard, page, context, browser_wallet, linked
):
    refuse = {"sign": [{"message": "User rejected the request.", "code": 4001}]}
    context.add_init_script(browser_wallet.script(refuse=refuse))
    page.goto(locate(dashboard, "sign-in/wallet"))
    choose(page)
    press_sign(page)
    expect(page.get_by_role("alert")).to_contain_text("You declined in your wallet.")

    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_closing_the_steps_leads_back(dashboard, page):
    page.goto(locate(dashboard, "sign-in/wallet"))
    page.get_by_role("button", name="Close").click()

    expect(page).to_have_url(locate(dashboard, "sign-in"))


def test_signing_by_hand_signs_in(dashboard, page, browser_wallet, linked):
    """As with a cold wallet: the page has no wallet of its own."""
    page.goto(locate(dashboard, "sign-in/wallet"))
    page.get_by_text("By hand").click()
    page.get_by_label("Wallet address").fill(browser_wallet.address)
    page.get_by_role("button", name="Continue", exact=True).click()
    message = read_text(page)
    expect(page.get_by_text("solana sign-offchain-message")).to_be_visible()
    check_layout(page, "signing by hand")
    signature = browser_wallet.key.sign(message.encode()).signature
    page.get_by_label("Signature (base64 or base58)").fill(base64.b64encode(signature).decode())
    page.get_by_role("button", name="Send").click()

    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_form_that_waits_is_sent_once_a_wallet_has_answered(dashboard, owner_page, linked):
    page = owner_page
    page.goto(f"{dashboard.base}/keys/new/public")
    page.get_by_label("Label").fill('The "blog"')
    page.get_by_label("Sites").fill("https://one.example")
    let_confirmation_end(dashboard)
    page.get_by_role("button", name="Create the key").click()
    expect(page.get_by_role("heading", name="Is it you?")).to_be_visible()
    check_layout(page, "the question")

    with page.expect_popup() as popup:
        page.get_by_role("link", name="Use your wallet").click()
    tab = popup.value
    assert "asks whether it is you who is signed in." in choose(tab)
    with tab.expect_event("close"):
        press_sign(tab)

    expect(page.get_by_role("heading", name="Your new public key")).to_be_visible()
    assert (
        ApiKey.select()
        .where(ApiKey.page == dashboard.page_id, ApiKey.label == 'The "blog"')
        .exists()
    )


def test_page_that_asks_goes_on_to_where_the_person_was_going(dashboard, owner_page, linked):
    let_confirmation_end(dashboard)
    owner_page.goto(f"{dashboard.base}/keys")
    with owner_page.expect_popup() as popup:
        owner_page.get_by_role("link", name="Use your wallet").click()
    choose(popup.value)
    with popup.value.expect_event("close"):
        press_sign(popup.value)

    expect(owner_page).to_have_url(f"{dashboard.base}/keys")


def test_page_that_asks_waits_while_the_wallet_was_not_used(dashboard, owner_page, linked):
    let_confirmation_end(dashboard)
    owner_page.goto(f"{dashboard.base}/keys")
    with owner_page.expect_popup() as popup:
        owner_page.get_by_role("link", name="Use your wallet").click()
    popup.value.close()

    owner_page.get_by_role("button", name="Go on now").click()
    expect(owner_page.get_by_role("heading", name="Is it you?")).to_be_visible()
    owner_page.get_by_label("Password").fill(PASSWORD)
    owner_page.get_by_role("button", name="Continue", exact=True).click()
    expect(owner_page).to_have_url(f"{dashboard.base}/keys")


def test_other_sites_cannot_send_the_form_that_waits(dashboard, owner_page, linked):
    """The message that goes on counts from the service's own pages only."""
    let_confirmation_end(dashboard)
    owner_page.goto(f"{dashboard.base}/keys")
    sent = []
    owner_page.on("request", lambda request: sent.append(request.method))
    owner_page.evaluate(
        """() => {
          const event = { data: "embed:confirmed", origin: "https://evil.example" };
          window.dispatchEvent(new MessageEvent("message", event));
        }"""
    )
    owner_page.evaluate("new Promise((resolve) => setTimeout(resolve))")

    assert "POST" not in sent


def test_session_that_ends_meanwhile_leads_to_the_sign_in(dashboard, owner_page):
    owner_page.goto(locate(dashboard, "account/wallets/link"))
    choose(owner_page)
    Session.delete().where(Session.person == dashboard.owner).execute()
    press_sign(owner_page)

    expect(owner_page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert not LinkedWallet.select().where(LinkedWallet.person == dashboard.owner).exists()


@pytest.mark.parametrize("language", ["en", "ar", "de"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_steps_are_accessible_and_fit_a_narrow_screen(
    browser, watch, dashboard, browser_wallet, language, theme
):
    context = watch(browser.new_context(locale=language, viewport=NARROW, color_scheme=theme))
    context.add_init_script(browser_wallet.script())
    page = context.new_page()
    page.goto(locate(dashboard, "sign-in"))
    check_layout(page, "sign-in")
    page.goto(locate(dashboard, "sign-in/wallet"))
    expect(page.get_by_role("button", name="Test wallet")).to_be_visible()
    check_layout(page, "the choice of a wallet")
    choose(page)
    check_layout(page, "the text to sign")
    context.close()


def test_account_page_with_a_wallet_is_accessible_and_fits(dashboard, owner_page, linked):
    owner_page.set_viewport_size(NARROW)
    owner_page.goto(locate(dashboard, "account"))

    expect(owner_page.get_by_text(linked.address)).to_be_visible()
    check_layout(owner_page, "the account page with a wallet")
