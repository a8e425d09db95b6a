"""The script for sites finds frames whenever they come, also those that React renders."""

import json

import pytest
from embedded_page import HostSite, expect_fitted, sign_in
from official_wallet import bundle
from playwright.sync_api import expect

from embed.db.models import RefusedOrigin

pytestmark = pytest.mark.browser

ADD = """(src) => {
  const frame = document.createElement("iframe");
  if (src) frame.src = src;
  document.body.append(frame);
}"""
CLASSIC = '<script src="{0}/embed.js"></script>'
MODULE = '<script type="module" src="{0}/embed.js"></script>'
IMPORTED = '<script type="module">await import("{0}/embed.js");</script>'


@pytest.mark.parametrize(
    ("script", "is_above"), [(CLASSIC, True), (CLASSIC, False), (MODULE, True), (IMPORTED, False)]
)
def test_frame_is_fitted_by_every_kind_of_script_above_and_below_it(
    embedded_page, open_site, page, script, is_above
):
    frame = f'<iframe src="{embedded_page.widget_url()}"></iframe>'
    if is_above:
        open_site("", script + frame)
    else:
        open_site(frame, script)

    expect_fitted(page)
    expect(page.locator("iframe")).to_have_css("border-top-width", "0px")


def test_frame_that_is_added_later_is_fitted(embedded_page, open_site, page):
    open_site("", CLASSIC + MODULE)
    page.wait_for_load_state("load")
    page.evaluate(ADD, embedded_page.widget_url())

    expect_fitted(page)


def test_lazy_frame_is_fitted_when_it_loads(embedded_page, open_site, page):
    url = embedded_page.widget_url()
    open_site(f'<p style="height: 9000px"></p><iframe loading="lazy" src="{url}"></iframe>')
    page.wait_for_load_state("load")
    assert page.frames[1].url != url
    page.locator("iframe").scroll_into_view_if_needed()

    expect_fitted(page)


def test_frame_that_shows_something_else_meanwhile_is_left_alone(embedded_page, open_site, page):
    open_site(f'<iframe src="{embedded_page.widget_url()}"></iframe>')
    expect_fitted(page)
    frame = page.locator("iframe")
    other = embedded_page.host.show(
        "<script>parent.postMessage({kind: 'embed:height', height: 7}, '*')</script>"
    )
    with page.expect_event("framenavigated", lambda navigated: navigated.url == other) as event:
        frame.evaluate("(frame, src) => { frame.src = src; }", other)
    event.value.wait_for_load_state()
    expect(frame).to_have_css("height", "150px")
    frame.evaluate("(frame, src) => { frame.src = src; }", embedded_page.widget_url())

    expect_fitted(page)


def copy_script(embedded_page, page, written: str, *, is_blob: bool) -> str:
    """Return the HTML of a script that a site has copied from a service."""
    answer = page.request.get(f"{embedded_page.service_url}/embed.js")
    source = answer.text().replace('written="";', f'written="{written}";')
    if is_blob:
        blob = f'new Blob([{json.dumps(source)}], {{ type: "text/javascript" }})'
        source = f"import(URL.createObjectURL({blob}));"
    return f'<script type="module">{source}</script>'


@pytest.mark.parametrize("is_blob", [False, True])
def test_copy_of_a_service_that_knows_its_address_works(embedded_page, open_site, page, is_blob):
    script = copy_script(embedded_page, page, embedded_page.service_url, is_blob=is_blob)
    open_site(f'<iframe src="{embedded_page.widget_url()}"></iframe>{script}', tag="")

    expect_fitted(page)


def test_copy_of_another_service_says_what_to_load(embedded_page, open_site, page, watch):
    script = copy_script(embedded_page, page, "", is_blob=False)
    open_site(f'{script}<iframe src="{embedded_page.widget_url()}"></iframe>', tag="")
    page.locator("iframe").content_frame.locator("#widget[data-ready]").wait_for()

    (warning,) = watch.seen
    assert warning.endswith(f": load {embedded_page.service_url}/embed.js.")
    expect(page.locator("iframe")).to_have_css("height", "150px")
    watch.seen.clear()


@pytest.fixture
def outer():
    """A site that keeps the page with the snippet in a frame, as site builders do."""
    site = HostSite()
    yield site
    site.close()


def test_frame_in_a_frame_says_which_sites_its_key_lacks(embedded_page, page, watch, outer):
    def build() -> str:
        inner = embedded_page.host_page()
        return outer.show(f'<link rel="icon" href="data:,"><iframe src="{inner}"></iframe>')

    with page.expect_console_message(lambda one: "until its key names" in one.text) as said:
        page.goto(build())
    assert f" names {outer.origin}: " in said.value.text
    assert RefusedOrigin.get(RefusedOrigin.origin == outer.origin).count == 1
    watch.seen.clear()  # the browser's own refusal, too

    origins = [embedded_page.host.origin, outer.origin]
    embedded_page.key = embedded_page.make_key("public", origins=origins)
    with page.expect_response(lambda one: "/sites?" in one.url) as answer:
        page.goto(build())
    assert answer.value.json() == {"refused": []}
    inner = page.frame_locator("iframe").frame_locator("iframe")
    expect(inner.locator("#widget[data-ready]")).to_be_visible()


RENDER = """
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
%s
createRoot(document.getElementById("root")).render(
  <StrictMode><TrackedWallets /><TrackedWallets /></StrictMode>,
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
    page.get_by_label("Format").select_option("react")
    page.get_by_role("button", name="Create a new key and copy").click()
    page.get_by_text("The snippet has a new key").wait_for()
    return page.locator("#snippet").text_content()


def test_component_shows_the_list_and_grows(dashboard, page, component, tmp_path):
    source = tmp_path / "main.jsx"
    source.write_text(RENDER % component, encoding="utf-8")
    script = bundle(source, "--jsx=automatic")
    page.goto(
        dashboard.host.show(
            '<!doctype html><meta charset="utf-8"><title>React</title>'
            f'<link rel="icon" href="data:,"><div id="root"></div><script>{script}</script>'
        )
    )

    expect(page.locator("iframe")).to_have_count(2)
    for shown in page.locator("iframe").all():
        expect(shown.content_frame.locator(".wallet")).to_have_count(3)
        expect(shown).to_have_attribute("title", """Ann's "wallets" {x} <b> & \\n""")
        grown = "frame => frame.clientHeight !== 600"
        page.wait_for_function(grown, arg=shown.element_handle())
