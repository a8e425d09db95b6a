"""An owner's look: there with the first paint, readable, and kept from what a visitor signs."""

import pytest
from embedded_page import BrowserWallet, ask_text, frame_of
from playwright.sync_api import expect
from support.world import Visitor

from embed import pages
from embed.domain.colors import compute_contrast

pytestmark = pytest.mark.browser

EXTREMES = {
    "accent": "ffee55", "neutral": "sand", "radius": "0", "density": "roomy", "font": "mono",
    "size": "18", "order": "name", "explorer": "orb", "names": "instead",
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
    pages.change_look(embedded_page.page_id, texts, embedded_page.clock())


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


def test_signing_window_takes_the_accent_and_nothing_else(embedded_page, page):
    def read(**arguments: str) -> list:
        query = "&".join(f"{name}={value}" for name, value in arguments.items())
        page.goto(f"{embedded_page.service_url}/embed/sign?{query}")
        return page.evaluate(READ_STYLES, "main")

    assert read() == read(**EXTREMES)
    expect(page.locator("html")).to_have_css("--accent", "#ffee55")


def test_look_needs_no_script_and_a_light_accents_focus_ring_is_seen(embedded_page, browser, watch):
    store(embedded_page, **EXTREMES | {"theme": "light", "hide": ""})
    embedded_page.track(Visitor().address, alias="Ann")
    context = watch(browser.new_context(java_script_enabled=False, color_scheme="light"))
    page = context.new_page()
    page.goto(embedded_page.widget_url())

    expect(page.locator("body")).to_have_css("font-size", "18px")
    page.keyboard.press("Tab")
    outline = page.locator(":focus").evaluate("one => getComputedStyle(one).outlineColor")
    ring = bytes(int(part) for part in outline[4:-1].split(", ")).hex()
    assert compute_contrast(ring, "fcfcfd") >= 4.5
    context.close()
