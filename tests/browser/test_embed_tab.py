"""Embed: the snippet and the preview follow what is chosen; what a look reaches."""

import re

import pytest
from axe import find_faults
from embedded_page import BrowserWallet, ask_text, frame_of, sign_in
from playwright.sync_api import expect
from support.waiting import wait_for
from support.world import Visitor

from embed import pages

pytestmark = pytest.mark.browser


@pytest.fixture
def tab(dashboard, page):
    """The tab Install of a signed-in owner, with its script running."""
    dashboard.track_many(3)
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed")
    return page


@pytest.fixture
def look(tab):
    """The tab Look."""
    tab.get_by_role("link", name="Look").click()
    tab.locator("#look").wait_for()
    return tab


def read_snippet(page) -> str:
    return page.locator("#snippet").text_content()


def preview_of(tab):
    return tab.frame_locator("iframe.preview")


def choose(tab, field: str, value: str) -> None:
    """Press one of a field's values."""
    group = tab.get_by_role("group", name=field, exact=True)
    group.get_by_role("radio", name=value, exact=True).check()


def test_snippet_follows_as_the_server_would_write_it(dashboard, tab):
    before = read_snippet(tab)
    tab.get_by_text("Language and height").click()
    tab.get_by_label("Language").select_option("de")
    tab.get_by_label("Height in pixels").fill("450")
    tab.get_by_label("Format").select_option("react")
    tab.get_by_label("Include the script").uncheck()

    followed = read_snippet(tab)
    assert f"{dashboard.key[:12]}…&amp;lang=de" in followed
    assert 'height="450"' in followed
    assert "embed.js" not in followed
    expect(tab.get_by_text("A component for React 19")).to_be_visible()
    tab.get_by_label("Height in pixels").fill("199")
    expect(tab.get_by_label("Height in pixels")).to_have_attribute("aria-invalid", "true")
    tab.get_by_label("Language").select_option("")
    tab.get_by_label("Height in pixels").fill("600")
    tab.get_by_label("Format").select_option("HTML")
    tab.get_by_label("Include the script").check()
    assert read_snippet(tab) == before
    tab.goto(f"{dashboard.base}/embed?lang=de&height=450&kind=react")
    assert followed == read_snippet(tab)
    choose(tab, "Size", "Strip")
    expect(tab.get_by_label("Height in pixels")).to_be_hidden()
    assert 'height="72"' in read_snippet(tab)


def test_new_key_for_a_site_is_copied_with_its_snippet_by_one_press(dashboard, tab):
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.get_by_label("Include the script").uncheck()
    tab.get_by_role("button", name="Create a new key and copy").click()

    expect(tab.get_by_role("button", name="Copied")).to_be_focused()
    snippet = read_snippet(tab)
    key = re.search("svc_pub_[0-9A-Za-z]{32}", snippet)[0]
    assert tab.evaluate("navigator.clipboard.readText()") == snippet
    assert "embed.js" not in snippet
    assert find_faults("a new key", tab) == []
    tab.get_by_label("Include the script").check()
    tab.get_by_role("button", name="Copy the snippet").click()
    expect(tab.get_by_role("button", name="Copied")).to_be_visible()
    assert tab.evaluate("navigator.clipboard.readText()") == read_snippet(tab)
    assert key in read_snippet(tab)
    assert "embed.js" in read_snippet(tab)


def test_site_is_seen_without_a_reload(dashboard, tab):
    expect(tab.locator(".seen")).to_have_text("Not seen yet")
    dashboard.open(tab.context.new_page(), script=False)

    expect(tab.locator(".seen")).to_contain_text(" ago", timeout=15_000)


# The look


def test_preview_follows_the_look_and_every_site_has_it_once_it_is_saved(dashboard, tab):
    snippet = read_snippet(tab)
    tab.get_by_role("link", name="Look").click()
    tab.locator("#look").wait_for()
    tab.evaluate("window.isSamePage = true")
    length = tab.evaluate("history.length")
    html = preview_of(tab).locator("html")

    choose(tab, "Style", "Terminal")
    choose(tab, "Light or dark", "Dark")
    tab.get_by_text("More", exact=True).click()
    tab.get_by_label("“Add your wallet”").check()
    tab.get_by_label("Accent color").fill("#ff6600")

    expect(html).to_have_attribute("data-accent", "ff6600")
    expect(html).to_have_attribute("data-font", "mono")
    expect(html).to_have_attribute("data-theme", "dark")
    expect(preview_of(tab).locator("#add")).to_be_hidden()
    assert tab.evaluate("[window.isSamePage, history.length]") == [True, length]
    tab.get_by_role("button", name="Save").click()

    expect(tab.get_by_text("Saved. Every site shows it")).to_be_visible()
    expect(tab.get_by_label("Accent color")).to_have_value("#ff6600")
    expect(tab.get_by_role("radio", name="Terminal")).to_be_checked()
    tab.get_by_role("link", name="Install").click()
    expect(tab.locator("#snippet")).to_have_text(snippet.replace("scheme: light", "scheme: dark"))
    tab.goto(dashboard.widget_url())
    expect(tab.locator("html")).to_have_attribute("data-accent", "ff6600")


def test_unsaved_look_is_not_left_without_a_question(look, watch):
    choose(look, "Style", "Paper")

    look.get_by_role("link", name="Wallets").first.click()  # `watch` stays on the page
    expect(look.get_by_label("Accent color")).to_have_value("#99543a")
    wait_for(lambda: watch.seen == [""])
    watch.seen.clear()

    look.get_by_role("button", name="Undo changes").click()
    look.get_by_role("link", name="Wallets").first.click()
    expect(look.get_by_role("heading", name="Wallets")).to_be_visible()


# What fits where


EXTREMES = {
    "accent": "ffee55", "neutral": "sand", "radius": "0", "density": "roomy", "font": "mono",
    "size": "18", "order": "name", "explorer": "orb",
    "hide": "heading,tools,changes",
}  # fmt: skip


# Every computed property of all elements, but for what of a filled button takes the accent.
READ_STYLES = """(selector) => {
  const all = document.querySelectorAll(`:is(${selector}), :is(${selector}) *`);
  return [...all].map((one) => {
    const style = getComputedStyle(one), isFilled = one.closest(".primary");
    const kept = [...style].filter((name) => !(isFilled && /color|fill|stroke/.test(name)));
    return [one.tagName, ...kept.map((name) => `${name}: ${style[name]}`)];
  });
}"""


def store(embedded_page, **texts: str) -> None:
    pages.change_look(embedded_page.page_id, texts, embedded_page.change())


def test_no_look_reaches_what_a_visitor_signs_or_its_proof_but_for_the_accent_of_the_button(
    embedded_page, page
):
    sent = embedded_page.submit(Visitor(), "Night heron")
    embedded_page.approve(sent.json["submissionId"])
    page.add_init_script(BrowserWallet().script())
    page.emulate_media(reduced_motion="reduce")  # no color is on its way to that of a hovered part

    def read() -> tuple[list, list, str]:
        widget = embedded_page.open(page, script=False)
        ask_text(widget)
        frame = frame_of(page, embedded_page.service_url)
        flow, button = frame.evaluate(READ_STYLES, ".flow"), widget.locator("[data-do=sign]")
        fill = button.evaluate("one => getComputedStyle(one).backgroundColor")
        widget.get_by_role("button", name="Close").click()
        widget.locator(".wallet summary").click()
        widget.locator(".proof summary").click()
        widget.locator(".proof pre").wait_for()
        return flow, frame.evaluate(READ_STYLES, ".proof"), fill

    flow, proof, fill = read()
    store(embedded_page, **EXTREMES)
    flow_dressed_up, proof_dressed_up, fill_dressed_up = read()

    assert len(flow) > 50
    assert flow_dressed_up == flow
    assert proof_dressed_up == proof
    assert (fill, fill_dressed_up) == ("rgb(62, 99, 221)", "rgb(255, 238, 85)")
