"""A hostile host of the same domain sets cookies for the dashboard's (over HTTPS)."""

import json

import pytest
from embedded_page import EmbeddedPage, HostSite, make_owner, sign_in_by_form
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

SERVICE, SIBLING = "embed.example.test", "evil.example.test"
NAME = "__Host-embed_dashboard"
NAMES = (NAME, NAME.upper(), f"={NAME}", f"\u2000{NAME}", f"{NAME}\u2000", "embed_dashboard")
PATHS = ("/", "/dashboard", "/dashboard/")


@pytest.fixture
def sibling(certificate):
    site = HostSite(SIBLING, certificate)
    yield site
    site.close()


@pytest.fixture
def secure_page(service, secure_port, sibling):
    """The service at its own host, by HTTPS, with two owners."""
    page = EmbeddedPage(service[0], f"https://{SERVICE}:{secure_port}", sibling)
    page.owner, page.attacker = make_owner(page), make_owner(page)
    return page


@pytest.fixture
def open_browser(browser, watch):
    contexts = []

    def make():
        contexts.append(watch(browser.new_context(locale="en-US", ignore_https_errors=True)))
        return contexts[-1]

    yield make
    for context in contexts:
        context.close()


def toss(page, sibling, cookies: list[str]) -> None:
    """Let the sibling set cookies for the domain, by script and by header."""
    for cookie in cookies:
        line = f"{cookie}; Domain=example.test; Secure"
        page.goto(
            sibling.show(
                f"<script>document.cookie = {json.dumps(line)}</script><link rel=icon href=data:,>",
                **{"Set-Cookie": line.encode().decode("latin-1")},
            )
        )


def list_cookies(value: str) -> list[str]:
    return [f"{name}={value}; Path={path}" for name in NAMES for path in PATHS]


def name_of_owner(page, secure_page) -> str:
    page.goto(f"{secure_page.service_url}/dashboard/")
    return page.locator("button.account .email").inner_text()


def session_of(context) -> str:
    (cookie,) = [each for each in context.cookies() if each["name"] == NAME]
    return cookie["value"]


def test_sibling_can_neither_sign_an_owner_in_nor_out(secure_page, sibling, open_browser):
    attackers = open_browser()
    sign_in_by_form(attackers.new_page(), secure_page, secure_page.attacker)
    context = open_browser()
    page = context.new_page()

    toss(page, sibling, list_cookies(session_of(attackers)))
    tossed = {cookie["name"] for cookie in context.cookies(f"{secure_page.service_url}/dashboard/")}
    assert {"embed_dashboard", f"\u2000{NAME}"} <= tossed  # else the test is void
    assert NAME not in tossed
    page.goto(f"{secure_page.service_url}/dashboard/")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()

    sign_in_by_form(page, secure_page)
    toss(page, sibling, list_cookies(session_of(attackers)))
    assert name_of_owner(page, secure_page) == secure_page.owner.email


def test_quotation_marks_of_a_sibling_do_not_hide_the_session(secure_page, sibling, open_browser):
    context = open_browser()
    page = context.new_page()
    sign_in_by_form(page, secure_page)

    # Longer paths are sent first, and later cookies last.
    toss(page, sibling, ['before="; Path=/dashboard', 'after="; Path=/'])

    sent = [each["name"] for each in context.cookies(f"{secure_page.service_url}/dashboard/")]
    assert {"before", "after"} <= set(sent)
    assert name_of_owner(page, secure_page) == secure_page.owner.email


def test_form_of_a_sibling_is_refused(secure_page, sibling, open_browser):
    page = open_browser().new_page()
    sign_in_by_form(page, secure_page)
    action = f"{secure_page.service_url}/dashboard/sign-out"

    page.goto(sibling.show(f'<form method="post" action="{action}"><button>Go</button></form>'))
    with page.expect_response(action) as answer:
        page.get_by_role("button", name="Go").click()

    assert answer.value.status == 403
    assert name_of_owner(page, secure_page) == secure_page.owner.email


def test_visitors_session_can_be_replaced_by_a_sibling(secure_page, sibling, open_browser):
    """What docs/security.md warns of: the name and attributes of this cookie are fixed."""
    page = open_browser().new_page()
    page.goto(secure_page.widget_url())

    toss(page, sibling, ["embed_session=tossed; Path=/embed/"])
    with page.expect_request(secure_page.widget_url()) as request:
        page.goto(secure_page.widget_url())

    assert request.value.all_headers()["cookie"].startswith("embed_session=tossed; embed_session=")
