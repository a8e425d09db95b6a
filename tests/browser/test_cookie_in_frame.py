"""The session cookie in a frame on another site: partitioned, blocked or absent."""

import pytest
import requests
from embedded_page import NAMES, WITHOUT_COOKIES, HostSite, submit
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_cookie_is_partitioned_and_goes_to_the_frames_own_api_and_no_other_path(
    embedded_page, context, page
):
    embedded_page.open(page)
    frame = page.frames[1]
    cookies = {}
    for path in ("/embed/api/tracking/", "/api/embed/tracking/"):
        with page.expect_response(lambda answer, path=path: path in answer.url) as answer:
            frame.evaluate(
                "([url, key]) => fetch(url, {headers: {Authorization: `Bearer ${key}`}})",
                [f"{path}{embedded_page.page_id}", embedded_page.key],
            )
        assert answer.value.status == 200
        cookies[path] = answer.value.request.all_headers().get("cookie", "")

    assert cookies["/embed/api/tracking/"].startswith("embed_session=")
    assert cookies["/api/embed/tracking/"] == ""
    assert frame.evaluate("document.cookie") == ""
    (cookie,) = context.cookies(f"{embedded_page.service_url}/embed/")
    assert cookie["partitionKey"].endswith("://localhost")
    assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"]) == (True, True, "None")
    assert cookie["path"] == "/embed"


@pytest.fixture(scope="module")
def browser_without_third_party_cookies(launch):
    # The headless shell blocks no cookies.
    browser = launch("--test-third-party-cookie-phaseout", names=NAMES[1:])
    yield browser
    browser.close()


def test_blocked_third_party_cookies_take_nothing_away(
    embedded_page, browser_without_third_party_cookies, watch, browser_wallet
):
    context = watch(browser_without_third_party_cookies.new_context())
    context.add_init_script(browser_wallet.script())
    page = context.new_page()
    other = HostSite("127.0.0.1")
    ordinary = {"Set-Cookie": "ordinary=1; SameSite=None; Secure"}
    page.goto(embedded_page.host.show(f'<iframe src="{other.show("<p>", **ordinary)}"></iframe>'))
    other.close()
    assert context.cookies() == []  # else the browser does not block cookies, and the test is void

    widget = embedded_page.open(page)
    submit(widget, "Night heron")
    expect(widget.get_by_text("Your wallet is waiting")).to_be_visible()
    page.reload()
    expect(widget.locator("#own-list > li")).to_contain_text("Night heron")
    context.close()


@pytest.fixture
def no_cookies(context):
    """A browser that stores no cookies."""

    def strip(route):
        answer = requests.get(route.request.url, timeout=10)
        kept = ("Content-Type", "Content-Security-Policy", "Referrer-Policy")
        headers = {name: answer.headers[name] for name in kept}
        route.fulfill(body=answer.content, headers=headers)

    context.route("**/embed/tracking/*?key=*", strip)
    context.add_init_script(WITHOUT_COOKIES)
    return context


def test_without_any_cookie_one_reads_submits_and_sees_the_result(
    embedded_page, no_cookies, page, browser_wallet
):
    no_cookies.clock.install()
    no_cookies.add_init_script(browser_wallet.script())
    embedded_page.track_many(2)
    widget = embedded_page.open(page)
    expect(widget.locator("#wallets .wallet")).to_have_count(2)
    expect(widget.locator("#cookie-blocked")).to_contain_text(
        "Your browser doesn't let this list remember you, so it shows only what you send now."
    )

    submit(widget, "Night heron")
    expect(widget.locator("#own-list > li")).to_contain_text("Night heron waiting for review")
    expect(widget.get_by_text("You'll see the answer here")).to_have_count(0)
    embedded_page.approve(embedded_page.find_submission(browser_wallet.address).id)
    embedded_page.forward(page, "00:31")

    expect(widget.locator("#wallets .wallet.mine")).to_contain_text("Night heron You")
    expect(widget.locator("#own-list > .mine")).to_contain_text("Night heron")
    assert no_cookies.cookies() == []


def ask_by_signature(widget) -> None:
    """Ask what became of the wallet, beside the sentence about the cookie."""
    widget.get_by_role("button", name="Sign to check the status of your wallet").click()
    widget.get_by_role("button", name="Test wallet").click()
    widget.get_by_role("button", name="Sign with").click()


def test_without_a_cookie_a_signature_tells_of_a_rejection_and_another_withdraws(
    embedded_page, no_cookies, page, browser_wallet
):
    no_cookies.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    submit(widget, "Night heron")
    own = widget.locator("#own-list > li")
    expect(own).to_contain_text("Night heron waiting for review")
    expect(widget.locator("#own + #cookie-blocked")).to_be_visible()  # beside what it is about
    embedded_page.reject(embedded_page.find_submission(browser_wallet.address).id)

    ask_by_signature(widget)

    told = "Night heron: rejected. The owner rejected it."
    expect(widget.locator("[data-records]")).to_contain_text(told)
    expect(own).to_contain_text("Night heron rejected")
    expect(own).to_contain_text("You can send it again in")
    page.reload()
    ask_by_signature(widget)
    expect(widget.locator("[data-records]")).to_contain_text(told)
    widget.get_by_role("button", name="Withdraw", exact=True).click()
    widget.get_by_role("button", name="Sign with").click()

    expect(widget.locator("#own")).to_be_hidden()
    expect(widget.get_by_text("Done. Everything sent for this wallet is deleted.")).to_be_visible()
    expect(widget.locator("#cookie-blocked")).to_be_visible()
