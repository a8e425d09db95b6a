"""Where Chromium lets no script make HTML of text, other than of what the service answered."""

import pytest
from embedded_page import sign_in
from playwright.sync_api import Frame, expect

pytestmark = pytest.mark.browser

TRY = """async () => {
    const refused = [];
    const policy = (name) => trustedTypes.createPolicy(name, { createHTML: (html) => html });
    const tries = {
        element: () => { document.createElement("p").innerHTML = "<b>x</b>"; },
        page: () => new DOMParser().parseFromString("<b>x</b>", "text/html"),
        script: () => { document.createElement("script").src = "/x.js"; },
        another: () => policy("another"),
    };
    for (const [name, attempt] of Object.entries(tries)) {
        try { attempt(); } catch (error) { if (error instanceof TypeError) refused.push(name); }
    }
    return refused;
}"""
ALL = ["element", "page", "script", "another"]


def expect_refused(frame: Frame) -> None:
    frame.wait_for_load_state("load")
    assert frame.evaluate(TRY) == ALL


def test_widget_signing_window_dashboard_and_receipt_check(dashboard, page, watch):
    widget = dashboard.open(page, script=False)
    expect(widget.locator("#wallets")).to_be_attached()
    expect_refused(page.frames[1])
    widget.get_by_role("button", name="Add your wallet").click()
    with page.expect_popup() as popup:
        widget.get_by_role("button", name="In a separate window").click()
    popup.value.locator("#flow:not([hidden])").wait_for()  # whose steps are HTML of the service
    expect_refused(popup.value.main_frame)

    sign_in(page, dashboard)
    for path in ("queue", "wallets", "embed/look"):
        page.goto(f"{dashboard.base}/{path}")
        expect_refused(page.main_frame)
    page.goto(f"{dashboard.service_url}/embed/check-receipts")
    expect_refused(page.main_frame)

    violations = [text for text in watch.seen if "rust" in text]
    assert violations == watch.seen
    watch.seen.clear()
