"""The component that the Embed tab prints, compiled and rendered by React."""

import pytest
from bundles import bundle
from embedded_page import sign_in
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

RENDER = """
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
%s
const Frame = %s;
createRoot(document.getElementById("root")).render(
  <Frame><TrackedWallets /><TrackedWallets /></Frame>,
);
"""


@pytest.fixture
def component(dashboard, page) -> str:
    """The component with a new key for the host site, as an owner copies it."""
    dashboard.track_many(3)
    # The title of a page may hold anything that HTML and JSX have to escape.
    dashboard.configure(public_title="""Ann's "wallets" {x} <b> & \\n""")
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed")
    page.get_by_label("Address of your site").fill(dashboard.host.origin)
    page.get_by_role("button", name="Create a key and its snippet").click()
    return page.locator("#react").text_content()


@pytest.mark.parametrize("frame", ["StrictMode", "({ children }) => children"])
def test_component_shows_the_list_and_grows(dashboard, page, component, tmp_path, frame):
    source = tmp_path / "main.jsx"
    source.write_text(RENDER % (component, frame), encoding="utf-8")
    script = bundle(source, "--jsx=automatic")

    page.goto(
        dashboard.host.show(
            '<!doctype html><meta charset="utf-8"><title>React</title>'
            f'<link rel="icon" href="data:,"><div id="root"></div><script>{script}</script>'
        )
    )

    expect(page.locator("iframe")).to_have_count(2)
    for shown in page.locator("iframe").all():
        check_frame(page, shown)
    expect(page.locator("script[src$='/embed.js']")).to_have_count(1)


def check_frame(page, shown) -> None:
    expect(shown.content_frame.locator(".wallet")).to_have_count(3)
    expect(shown).to_have_attribute("title", """Ann's "wallets" {x} <b> & \\n""")
    grown = "frame => frame.style.height !== '' && frame.clientHeight !== 600"
    page.wait_for_function(grown, arg=shown.element_handle())
