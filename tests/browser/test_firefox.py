"""The whole way of a visitor in Firefox, with each of its settings for the cookies of frames."""

import pytest
from embedded_page import BrowserWallet, HostSite

pytestmark = pytest.mark.browser

# Strict is what the setting of that name switches on; the last one refuses all cookies of frames.
SETTINGS = {
    "standard": {},
    "strict": {"browser.contentblocking.category": "strict"},
    "refused": {"network.cookie.cookieBehavior": 1, "network.cookie.CHIPS.enabled": False},
}


# A visitor who comes back to the tab after ten minutes.
COME_BACK = """
  const now = Date.now;
  let passed = 0;
  Date.now = () => now() + passed;
  window.comeBack = () => {
    passed += 600_000;
    document.dispatchEvent(new Event("visibilitychange"));
  };
"""
OWN = "#own-list"


@pytest.fixture(scope="module", params=SETTINGS)
def setting(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def browser(setting, firefox, start_firefox):
    if setting == "standard":
        yield firefox
    else:
        with start_firefox(SETTINGS[setting]) as started:
            yield started


@pytest.fixture
def open_site(embedded_page, browser):
    """Open the site's page as a visitor with a wallet; return it and how to get its widget."""

    def open_as(wallet: BrowserWallet):
        script = f"{COME_BACK}; {wallet.script()}"
        site = browser.open(embedded_page.host_page(), script)
        return site, lambda: site.widget(embedded_page.service_url)

    return open_as


def send(widget, wallet: str = "Test wallet") -> None:
    widget.press("Add your wallet")
    widget.press(wallet)
    widget.fill("[name=nickname]", "Night heron")
    widget.press("Continue")
    widget.press("Sign with")
    assert widget.read("[data-step=done]").startswith("Your wallet is waiting")
    widget.wait_for(OWN, "Night heron waiting for review")


def come_back_until(widget, selector: str, text: str) -> None:
    shown = f"document.querySelector('{selector}').innerText.replace(/\\s+/g, ' ')"
    widget.until(f"(comeBack(), {shown}.includes('{text}'))")


def is_remembered(document) -> bool:
    return document.evaluate("document.querySelector('#cookie-blocked').hidden")


def test_settings_are_in_force(host, browser, setting):
    """Else the other tests here would prove nothing."""
    other = HostSite("127.0.0.1")
    ordinary = {"Set-Cookie": "ordinary=1; SameSite=None; Secure"}
    address = other.show("<p>", **ordinary)
    link = (
        f'<iframe src="{address}"></iframe><a referrerpolicy="unsafe-url" href="{address}">Go</a>'
    )
    page = browser.open(host.show(link))

    kept = page.frame(other.origin).evaluate("document.cookie")
    page.press("Go")
    referrer = page.until(f"location.href === '{address}' && document.referrer")

    other.close()
    assert kept == ("" if setting == "refused" else "ordinary=1")
    # Strict shortens the address of the site that one comes from, whatever the site wants.
    assert (referrer == f"{host.origin}/") == (setting == "strict")


def test_rejection_is_seen_in_the_frame_or_asked_for_with_a_signature(
    embedded_page, open_site, setting
):
    embedded_page.track_many(2)
    wallet = BrowserWallet()
    site, find_widget = open_site(wallet)
    widget = find_widget()
    assert is_remembered(widget) == (setting != "refused")
    assert widget.evaluate("document.querySelectorAll('#wallets .wallet').length") == 2
    send(widget)

    embedded_page.reject(embedded_page.find_submission(wallet.address).id)

    if setting == "refused":
        assert "doesn't let this list remember you" in widget.read("#cookie-blocked")
        widget.press("Sign to check the status of your wallet")
        widget.press("Test wallet")
        widget.press("Sign with")
        widget.wait_for("[data-records]", "rejected. The owner rejected it.")
        widget.wait_for(OWN, "Night heron rejected")
    else:
        come_back_until(widget, OWN, "Night heron rejected")
        site.reload()
        find_widget().wait_for(OWN, "Night heron rejected")


def test_list_as_a_page_of_its_own_remembers_under_every_setting(embedded_page, browser):
    wallet = BrowserWallet()
    page = browser.open(embedded_page.widget_url(), f"{COME_BACK}; {wallet.script()}")
    assert is_remembered(page)
    send(page)

    page.reload()
    page.wait_for(OWN, "Night heron waiting for review")
    embedded_page.reject(embedded_page.find_submission(wallet.address).id)
    come_back_until(page, OWN, "Night heron rejected")


def test_window_that_a_sandbox_forbids_is_not_said_to_be_kept_apart(embedded_page, host, firefox):
    sandbox = "allow-scripts allow-same-origin"
    frame = f'<iframe sandbox="{sandbox}" src="{embedded_page.widget_url()}"></iframe>'
    widget = firefox.open(host.show(frame)).widget(embedded_page.service_url)
    widget.press("Add your wallet")
    widget.press("In a separate window")

    told = widget.read("[data-sentence]")
    assert told.startswith("The signing window was blocked")


@pytest.mark.parametrize("policy", ["require-corp", "credentialless"])
def test_isolated_site_shows_the_list_and_signs_with_its_wallet(embedded_page, firefox, policy):
    embedded_page.track_many(2)
    wallet = BrowserWallet()
    headers = {
        "Cross-Origin-Embedder-Policy": policy,
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    script = wallet.script(name="Host wallet", where="top")
    site = firefox.open(embedded_page.host_page(headers=headers), script)
    assert site.evaluate("crossOriginIsolated")
    widget = site.widget(embedded_page.service_url)

    assert widget.evaluate("document.querySelectorAll('#wallets .wallet').length") == 2
    send(widget, "Host wallet")
    assert embedded_page.find_submission(wallet.address).status == "pending"
