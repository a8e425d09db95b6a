"""Wallets of the official packages: each failure ends in a sentence and a way on; over HTTPS."""

import pytest
from embedded_page import EmbeddedPage, HostSite, frame_of, read_text, submit
from official_wallet import OfficialWallet, build
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

NAME = "Official wallet"
WAITS = "Your wallet waits"
TRY_AGAIN = "Try again"
DECLINED = "You declined in your wallet. Nothing was sent."
WRONG = {
    "empty": "Your wallet's answer was not a signature.",
    "malformed": "Your wallet's answer was not a signature.",
    "alter": "Your wallet signed a different text from the one shown here.",
    "other": "Your wallet signed with a different account from the one chosen here.",
}


@pytest.fixture(scope="module")
def bundle() -> str:
    return build()


@pytest.fixture
def wallet(bundle) -> OfficialWallet:
    return OfficialWallet(bundle)


@pytest.fixture
def two_accounts(bundle) -> OfficialWallet:
    return OfficialWallet(bundle, accounts=2)


@pytest.fixture
def open_with(embedded_page, context, page):
    """Open the widget in a frame in which a wallet is registered."""

    def start(wallet, **options):
        context.add_init_script(wallet.script(where="window !== top", **options))
        return embedded_page.open(page)

    return start


@pytest.fixture
def frame(embedded_page, page):
    return lambda: frame_of(page, embedded_page.service_url)


def press(widget, name) -> None:
    widget.get_by_role("button", name=name, exact=True).click()


def give_name(widget) -> None:
    widget.get_by_label("Name to show").fill("Night heron")
    press(widget, "Continue")


def alert(widget):
    return widget.get_by_role("alert")


# The ways to sign


@pytest.mark.parametrize(
    ("features", "asked"),
    [
        (["solana:signOffchainMessage", "solana:signMessage"], "signOffchainMessage"),
        (["solana:signMessage"], "signMessage"),
    ],
)
def test_off_chain_way_is_used_where_it_is_offered(
    embedded_page, wallet, open_with, frame, features, asked
):
    widget = open_with(wallet, features=features)
    submit(widget, wallet=NAME)

    expect(widget.get_by_text(WAITS)).to_be_visible()
    assert frame().evaluate("wallet.asked") == ["connect", asked]
    assert embedded_page.find_submission(wallet.address).status == "pending"


def test_wrong_answer_is_told_as_what_it_is_and_nothing_is_sent(
    embedded_page, two_accounts, page, open_with
):
    faults = {"signMessage": list(WRONG)}
    widget = open_with(two_accounts, features=["solana:signMessage"], faults=faults)
    sent = []
    page.on("request", lambda request: sent.append(request.url))
    press(widget, "Add your wallet")
    widget.get_by_role("button", name=NAME).click()
    widget.get_by_role("button", name="Account 1").click()
    give_name(widget)
    widget.get_by_role("button", name="Sign with").click()
    for told in WRONG.values():
        expect(alert(widget)).to_contain_text(f"{told} Nothing was sent.")
        assert not [url for url in sent if url.endswith("/submissions")]
        press(widget, TRY_AGAIN)

    expect(widget.get_by_text(WAITS)).to_be_visible()
    assert embedded_page.find_submission(two_accounts.address).status == "pending"


@pytest.mark.parametrize(
    ("step", "shown", "told"),
    [
        ("confirm", [], "Your wallet no longer shows this account to this page."),
        ("signing", [1], "Your wallet now uses another account."),
    ],
)
def test_account_that_changes_in_mid_flow_is_told_and_chosen_again(
    embedded_page, two_accounts, open_with, frame, step, shown, told
):
    faults = {"signOffchainMessage": ["hang"]} if step == "signing" else {}
    widget = open_with(two_accounts, shown=[0], faults=faults)
    press(widget, "Add your wallet")
    widget.get_by_role("button", name=NAME).click()
    give_name(widget)
    read_text(widget)
    if step == "signing":
        widget.get_by_role("button", name="Sign with").click()
        expect(widget.locator("[data-busy]")).to_have_text("Please confirm in your wallet…")

    frame().evaluate("shown => wallet.show(shown)", shown)
    expect(alert(widget)).to_contain_text(told)
    frame().evaluate("wallet.show([1])")
    press(widget, TRY_AGAIN)

    expect(widget.locator("[data-show=address]")).to_have_text(two_accounts.addresses[1])
    expect(widget.get_by_label("Name to show")).to_have_value("Night heron")
    press(widget, "Continue")
    widget.get_by_role("button", name="Sign with").click()
    expect(widget.get_by_text(WAITS)).to_be_visible()
    assert embedded_page.find_submission(two_accounts.addresses[1]).nickname == "Night heron"


# Wallets that do not answer, look alike, or come late


def test_wallet_that_never_connects_leaves_the_visitor_every_way(wallet, open_with):
    widget = open_with(wallet, faults={"connect": ["hang", "hang"]})
    press(widget, "Add your wallet")
    widget.get_by_role("button", name=NAME).click()
    expect(widget.locator("[data-busy]")).to_have_text("Waiting for your wallet…")
    cancel = widget.get_by_role("button", name="Cancel")
    cancel.focus()
    cancel.press("Enter")
    expect(widget.locator("[data-busy]")).to_be_empty()
    expect(cancel).to_be_hidden()
    expect(widget.locator("#flow-title")).to_be_focused()

    widget.get_by_role("button", name=NAME).click()
    press(widget, "Close")
    submit(widget, wallet=NAME)
    expect(widget.get_by_text(WAITS)).to_be_visible()


LATE = "wallet => window.late = officialWallet.register({...wallet, name: 'Late wallet'})"


def test_late_wallet_takes_no_focus_and_moves_no_button(wallet, open_with, frame):
    widget = open_with(wallet)
    press(widget, "Add your wallet")
    first = widget.get_by_role("button", name=NAME)
    first.focus()
    before = first.bounding_box()

    frame().evaluate(LATE, wallet.options())

    expect(widget.get_by_role("button", name="Late wallet")).to_be_visible()
    expect(first).to_be_focused()
    assert first.bounding_box() == before


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
    expect(widget.locator("#own-list code")).to_have_attribute("title", wallet.address)
    has_it = page.frames[1] if where == "window !== top" else page
    assert has_it.evaluate("wallet.asked") == ["connect", "signOffchainMessage"]
