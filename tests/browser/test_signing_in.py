"""Passkeys, whose virtual device Chromium makes, and the question "Confirm it's you"."""

from collections.abc import Iterator

import pytest
from axe import find_faults
from embedded_page import EmbeddedPage, let_confirmation_end, sign_in
from playwright.sync_api import CDPSession, Page, expect
from support.owner_browser import PASSWORD
from support.remote import make_environ

from embed.db.models import ApiKey

pytestmark = pytest.mark.browser

ADD, SIGN_IN, USE = "Add a passkey", "Sign in with a passkey", "Use a passkey"
KEPT = "No passkey was used: it was canceled or took too long."


@pytest.fixture(scope="module")
def service_environ(make_service_database) -> dict[str, str]:
    """A service of its own: attempts to sign in are counted by network."""
    return make_environ(make_service_database())


class Device:
    """A virtual device of Chromium's, with a lock that its user opens."""

    def __init__(self, cdp: CDPSession) -> None:
        self._cdp = cdp
        cdp.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
        }
        made = cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self._which = {"authenticatorId": made["authenticatorId"]}

    def list_passkeys(self) -> list[dict]:
        return self._cdp.send("WebAuthn.getCredentials", self._which)["credentials"]

    def let_unlock(self, can_unlock: bool) -> None:
        self._cdp.send("WebAuthn.setUserVerified", self._which | {"isUserVerified": can_unlock})


@pytest.fixture
def origin(dashboard: EmbeddedPage) -> str:
    """The service under the name that has passkeys without HTTPS."""
    return dashboard.service_url.replace("127.0.0.1", "localhost")


@pytest.fixture
def device(page: Page) -> Iterator[Device]:
    cdp = page.context.new_cdp_session(page)
    yield Device(cdp)
    cdp.detach()


@pytest.fixture
def signed_in(dashboard, origin, page) -> Page:
    page.goto(f"{origin}/dashboard/account/passkeys")
    page.get_by_label("Email").fill(dashboard.owner.email)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name=ADD)).to_be_visible()
    return page


def add(page: Page, name: str = "Laptop") -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name=ADD).click()
    expect(page.locator(".flash")).to_have_text("The passkey has been added.")


def sign_out(page: Page, origin: str) -> None:
    page.context.clear_cookies()
    page.goto(f"{origin}/dashboard/sign-in")


def test_passkey_is_added_and_signs_in_without_any_typing(dashboard, origin, signed_in, device):
    assert find_faults("no passkeys", signed_in) == []
    add(signed_in)
    expect(signed_in.get_by_role("listitem").filter(has_text="Laptop").first).to_contain_text(
        "never used"
    )
    assert find_faults("a passkey", signed_in) == []
    kept = device.list_passkeys()
    assert [(one["rpId"], one["isResidentCredential"]) for one in kept] == [("localhost", True)]

    sign_out(signed_in, origin)
    assert find_faults("the sign-in", signed_in) == []
    signed_in.get_by_role("button", name=SIGN_IN).click()

    expect(signed_in.get_by_role("heading", name="Overview")).to_be_visible()
    assert dashboard.owner.email in signed_in.content()


def test_lock_that_stays_closed_signs_nobody_in_and_nothing_is_lost(origin, signed_in, device):
    add(signed_in)
    sign_out(signed_in, origin)
    signed_in.get_by_label("Email").fill("somebody@example.com")
    device.let_unlock(False)
    signed_in.get_by_role("button", name=SIGN_IN).click()

    expect(signed_in.get_by_role("alert")).to_have_text(KEPT)
    expect(signed_in.get_by_label("Email")).to_have_value("somebody@example.com")
    assert find_faults("a closed lock", signed_in) == []
    device.let_unlock(True)
    signed_in.get_by_role("button", name=SIGN_IN).click()
    expect(signed_in.get_by_role("heading", name="Overview")).to_be_visible()


def test_passkey_answers_whether_it_is_you_and_the_waiting_form_goes_on(
    dashboard, origin, signed_in, device
):
    add(signed_in)
    signed_in.goto(f"{origin}/dashboard/pages/{dashboard.page_id}/settings/keys/new/public")
    signed_in.get_by_label("Label").fill('The "shop"')
    signed_in.get_by_label("Sites").fill("https://one.example\nhttps://two.example")
    let_confirmation_end(dashboard)
    signed_in.get_by_role("button", name="Create the key").click()
    expect(signed_in.get_by_role("heading", name="Confirm it's you")).to_be_visible()
    assert find_faults("the question", signed_in) == []

    signed_in.get_by_role("button", name=USE).click()

    expect(signed_in.get_by_text("The snippet has a new key")).to_be_visible()
    key = ApiKey.get(ApiKey.page == dashboard.page_id, ApiKey.label == 'The "shop"')
    assert list(key.origins) == ["https://one.example", "https://two.example"]


@pytest.fixture
def owner_page(dashboard, page) -> Page:
    sign_in(page, dashboard)
    return page


def enter(page: Page, password: str) -> None:
    expect(page.get_by_role("heading", name="Confirm it's you")).to_be_visible()
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type(password)
    page.keyboard.press("Enter")


def test_export_begins_by_itself_after_the_password(dashboard, owner_page):
    owner_page.goto(f"{dashboard.base}/wallets")
    let_confirmation_end(dashboard)
    owner_page.get_by_role("button", name="More about the list").click()
    owner_page.get_by_role("link", name="Export").click()

    with owner_page.expect_download() as download:
        enter(owner_page, PASSWORD)

    assert download.value.suggested_filename == f"wallets-{dashboard.page_id}.csv"
    expect(owner_page).to_have_url(f"{dashboard.base}/wallets")
    expect(owner_page.get_by_role("heading", name="Wallets")).to_be_visible()
