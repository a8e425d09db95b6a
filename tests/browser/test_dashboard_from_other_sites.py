"""What another site learns about its visitor by opening or loading pages of the dashboard."""

import pytest
from embedded_page import HostSite, make_owner, sign_in
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

VIEWS = ("queue", "wallets", "wallets.csv", "keys", "embed", "settings", "nothing")
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


def test_owner_follows_a_link_on_another_site(dashboard, page, attacker):
    sign_in(page, dashboard)
    page.goto(attacker)

    page.evaluate("url => { location = url }", f"{dashboard.base}/queue")

    expect(page.get_by_role("link", name="Queue")).to_have_attribute("aria-current", "page")


def test_owner_downloads_the_wallets(dashboard, page):
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/wallets")

    with page.expect_download() as download:
        page.locator("a[href$='wallets.csv']").click()

    assert download.value.suggested_filename == f"wallets-{dashboard.page_id}.csv"


def test_signing_window_of_the_preview_is_not_cut_off(dashboard, page):
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed")
    widget = page.frame_locator("iframe")
    widget.locator("#widget[data-ready]").wait_for()

    widget.get_by_role("button", name="Add your wallet").click()
    with page.expect_popup() as popup:
        widget.get_by_role("button", name="In a window of its own").click()

    expect(popup.value.locator("#asked-by")).to_contain_text("keeps this list of $USDC")
