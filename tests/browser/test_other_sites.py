"""What hostile sites learn of the dashboard or do to it, also those of the same domain."""

import json

import pytest
from embedded_page import EmbeddedPage, HostSite, make_owner, sign_in, sign_in_by_form
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

VIEWS = ("queue", "wallets.csv", "settings", "nothing")
VISITORS = ("owner", "other owner", "signed out")


@pytest.fixture(params=VISITORS)
def visitor(request, dashboard, context, page):
    """Each kind of visitor; what the site sees must not depend on it."""
    if request.param != "signed out":
        other = make_owner(dashboard) if request.param == "other owner" else None
        sign_in(page, dashboard, other)
    return page


@pytest.fixture(params=["localhost", "127.0.0.1"])
def attacker(request):
    """Another site, and one of the same domain, to which SameSite cookies are sent."""
    site = HostSite(request.param)
    yield site.show("<!doctype html><title>Attacker</title><link rel=icon href=data:,>")
    site.close()


OPEN = "url => { opened = window.open(url) }"


# If a download begins, the window stays where it is, for the site to see.
OPEN_OWN_PAGE_FIRST = """url => new Promise((done) => {
    opened = window.open(location.href);
    opened.onload = () => { opened.location = url; done(); };
})"""


def test_site_that_opens_a_page_of_the_dashboard_loses_sight_of_it(dashboard, visitor, attacker):
    visitor.goto(attacker)

    ways = [(OPEN, view) for view in VIEWS]
    ways += [(OPEN_OWN_PAGE_FIRST, view) for view in ("queue", "wallets.csv", "nothing")]
    for way, view in ways:
        visitor.evaluate(way, f"{dashboard.base}/{view}")
        visitor.wait_for_function("opened.closed")
        assert visitor.evaluate("opened.length") == 0, view


LOAD = """url => Promise.all(["img", "script", "link", "video", "object", "iframe"].map((name) =>
    new Promise((done) => {
        const element = document.createElement(name);
        element.onload = () => done([name, "load"]);
        element.onloadeddata = () => done([name, "load"]);
        element.onerror = () => done([name, "error"]);
        if (name === "link") element.rel = "stylesheet";
        element[{ link: "href", object: "data" }[name] ?? "src"] = url;
        document.body.append(element);
    })))"""
FETCH = """url => Promise.all(["no-cors", "cors"].flatMap((mode) =>
    ["follow", "manual"].map((redirect) =>
        fetch(url, { mode, redirect, credentials: "include" })
            .then((answer) => answer.type, () => "error"))))"""
LOOK_INTO_FRAME = """() => {
    const frame = document.querySelector("iframe:last-of-type");
    const inside = frame.contentWindow;
    try { return [inside.length, inside.location.href] } catch { return [inside.length, null] }
}"""


def test_site_that_loads_a_page_of_the_dashboard_sees_the_same_for_every_visitor(
    dashboard, visitor, attacker, watch
):
    visitor.goto(attacker)

    for view in VIEWS:
        url = f"{dashboard.base}/{view}"
        loaded = dict(visitor.evaluate(LOAD, url))
        assert loaded.pop("iframe") == "load", view  # also where framing is refused
        assert set(loaded.values()) == {"error"}, view
        assert visitor.evaluate(LOOK_INTO_FRAME) == [0, None], view
        assert visitor.evaluate(FETCH, url) == ["error"] * 4, view
    watch.seen.clear()  # the browser reports each refusal


def test_signing_window_of_the_preview_is_not_cut_off(dashboard, page):
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed/look")
    widget = page.frame_locator("iframe")
    widget.locator("#widget[data-ready]").wait_for()

    widget.get_by_role("button", name="Add your wallet").click()
    with page.expect_popup() as popup:
        widget.get_by_role("button", name="In a separate window").click()

    expect(popup.value.locator("#asked-by")).to_contain_text("hosts this list of $USDC")


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
def open_secure(open_browser):
    return lambda: open_browser(ignore_https_errors=True)


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


def test_sibling_can_neither_sign_an_owner_in_nor_out(secure_page, sibling, open_secure):
    attackers, page = open_secure(), open_secure()
    context = page.context
    sign_in_by_form(attackers, secure_page, secure_page.attacker)

    toss(page, sibling, list_cookies(session_of(attackers.context)))
    tossed = {cookie["name"] for cookie in context.cookies(f"{secure_page.service_url}/dashboard/")}
    assert {"embed_dashboard", f"\u2000{NAME}"} <= tossed  # else the test is void
    assert NAME not in tossed
    page.goto(f"{secure_page.service_url}/dashboard/")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible()

    sign_in_by_form(page, secure_page)
    toss(page, sibling, list_cookies(session_of(attackers.context)))
    assert name_of_owner(page, secure_page) == secure_page.owner.email


def test_quotation_marks_of_a_sibling_do_not_hide_the_session(secure_page, sibling, open_secure):
    page = open_secure()
    sign_in_by_form(page, secure_page)

    # Longer paths are sent first, and later cookies last.
    toss(page, sibling, ['before="; Path=/dashboard', 'after="; Path=/'])

    sent = [each["name"] for each in page.context.cookies(f"{secure_page.service_url}/dashboard/")]
    assert {"before", "after"} <= set(sent)
    assert name_of_owner(page, secure_page) == secure_page.owner.email


def test_form_of_a_sibling_is_refused(secure_page, sibling, open_secure):
    page = open_secure()
    sign_in_by_form(page, secure_page)
    action = f"{secure_page.service_url}/dashboard/sign-out"

    page.goto(sibling.show(f'<form method="post" action="{action}"><button>Go</button></form>'))
    with page.expect_response(action) as answer:
        page.get_by_role("button", name="Go").click()

    assert answer.value.status == 403
    assert name_of_owner(page, secure_page) == secure_page.owner.email
