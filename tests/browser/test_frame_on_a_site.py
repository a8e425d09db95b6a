"""The widget on another site: who may embed it, its height and its theme."""

from base64 import b64encode

import pytest
from embedded_page import HostSite, frame_of
from playwright.sync_api import expect
from support.waiting import wait_for

pytestmark = pytest.mark.browser

MACHINES = ("light", "dark")
DRAW_TWICE = """new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => done())))"""


def color_at(page, x: int, y: int) -> tuple[int, int, int]:
    """Return the color that is painted at a position of the page."""
    shot = page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})
    data = page.evaluate(
        """async (base64) => {
          const image = new Image();
          image.src = `data:image/png;base64,${base64}`;
          await image.decode();
          const context = document.createElement("canvas").getContext("2d");
          context.drawImage(image, 0, 0);
          return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
        }""",
        b64encode(shot).decode(),
    )
    return tuple(data)


def corner_of_frame(page) -> tuple[int, int, int]:
    box = page.locator("iframe").bounding_box()
    return color_at(page, int(box["x"]) + 2, int(box["y"]) + 2)


def set_machine(page, embedded_page, scheme: str) -> None:
    """Let the device be light or dark, and wait until the frame and its site are drawn anew."""
    page.emulate_media(color_scheme=scheme)
    for drawn in (frame_of(page, embedded_page.service_url), page):
        drawn.evaluate(DRAW_TWICE)


@pytest.mark.parametrize("what", ["widget", "signing window"])
def test_site_that_is_not_on_the_list_cannot_show_the_widget_and_none_the_window(
    embedded_page, page, watch, what
):
    other = HostSite("127.0.0.1")
    shown = {
        "widget": (other, embedded_page.widget_url()),
        "signing window": (embedded_page.host, f"{embedded_page.service_url}/embed/sign"),
    }
    site, url = shown[what]
    with page.expect_event("console") as message:
        page.goto(site.show(f'<iframe src="{url}"></iframe>'))
    other.close()

    assert "frame-ancestors" in message.value.text
    assert page.frames[1].locator("#widget, main").count() == 0
    assert watch.seen.pop() == message.value.text


def test_frame_grows_and_shrinks_with_its_content(embedded_page, page):
    widget = embedded_page.open(page, has_room=False)
    frame = page.locator("iframe")

    def is_as_tall_as_content() -> None:
        height = frame_of(page, embedded_page.service_url).evaluate(
            "Math.ceil(document.documentElement.getBoundingClientRect().height)"
        )
        expect(frame).to_have_css("height", f"{height}px")
        assert frame.evaluate("frame => frame.clientHeight") == height

    is_as_tall_as_content()
    before = frame.bounding_box()["height"]
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.locator("[data-step=choose]")).to_be_visible()
    is_as_tall_as_content()
    assert frame.bounding_box()["height"] > before
    widget.get_by_role("button", name="Close").click()
    is_as_tall_as_content()
    assert frame.bounding_box()["height"] == before


def test_skipping_the_list_adds_nothing_to_the_history(embedded_page, page):
    embedded_page.track_many(3)
    widget = embedded_page.open(page)
    before = page.evaluate("history.length")
    widget.get_by_role("link", name="Skip the list").press("Enter")

    expect(widget.locator("#after-list")).to_be_focused()
    assert page.evaluate("history.length") == before


def test_height_is_believed_from_the_frame_only(embedded_page, page):
    embedded_page.open(page, has_room=False)
    frame = page.locator("iframe")
    expect(frame).not_to_have_css("height", "600px")
    before = frame.bounding_box()["height"]
    page.evaluate(
        """() => new Promise((resolve) => {
          addEventListener("message", resolve, {once: true});
          postMessage({kind: "embed:height", height: 5000}, "*");
        })"""
    )

    assert frame.bounding_box()["height"] == before


DARK = "html { color-scheme: dark; background: #14202a }"


@pytest.mark.parametrize(
    ("style", "arguments", "is_dark"),
    [
        (DARK, {}, True),
        ("html { background: #fff } body { padding: 9px; margin: 0; background: #222 }", {}, True),
        (DARK, {"theme": "light"}, False),
    ],
    ids=["dark", "dark-body", "against-the-host"],
)
def test_frame_is_seen_through_in_every_theme(embedded_page, page, style, arguments, is_dark):
    widget = embedded_page.open(page, style=style, **arguments)

    expected = LIGHT_INK if is_dark else INK
    for machine in MACHINES:
        set_machine(page, embedded_page, machine)
        expect(widget.locator("body")).to_have_css("color", expected)
        # What the frame draws is shown a little later than what it computes.
        wait_for(lambda: corner_of_frame(page) == color_at(page, 2, 2))


WHITE, BLACK = (255, 255, 255), (18, 18, 18)
INK, LIGHT_INK = "rgb(28, 32, 36)", "rgb(237, 238, 240)"


@pytest.mark.parametrize("style", ["", DARK], ids=["undeclared", "dark"])
def test_plain_snippet_can_be_read_on_every_site(embedded_page, page, style):
    """It is light whatever the device says, on a white surface of its own."""
    widget = embedded_page.open(page, style=style, script=False)

    for machine in MACHINES:
        set_machine(page, embedded_page, machine)
        expect(widget.locator("body")).to_have_css("color", INK)
        box = widget.locator(".symbol").bounding_box()
        left, top = int(box["x"]) - 3, int(box["y"]) - 3
        wait_for(lambda x=left, y=top: color_at(page, x, y) == WHITE)
        assert corner_of_frame(page) != BLACK
        if not style:
            assert color_at(page, 2, 2) == WHITE


def test_frame_stands_on_a_surface_while_the_ground_is_neither_light_nor_dark(embedded_page, page):
    widget = embedded_page.open(page)
    seen_through = widget.locator("html:not([data-surface])")
    expect(seen_through).to_be_attached()

    for color, is_seen_through in (("#808080", False), ("#e8e8e8", True), ("#ffd400", False)):
        page.evaluate("color => { document.documentElement.style.background = color }", color)
        expect(seen_through).to_be_attached(attached=is_seen_through)


@pytest.mark.parametrize("script", [True, False])
def test_theme_auto_follows_the_device_on_a_site_that_does(embedded_page, page, script):
    """The words that the documentation adds to the snippet."""
    style = "html, iframe { color-scheme: light dark }"
    widget = embedded_page.open(page, style=style, theme="auto", script=script)

    for machine, ink in zip(MACHINES, (INK, LIGHT_INK), strict=True):
        set_machine(page, embedded_page, machine)
        expect(widget.locator("body")).to_have_css("color", ink)
        wait_for(lambda: corner_of_frame(page) == color_at(page, 2, 2))


def test_signing_window_has_the_frames_language_accent_and_theme_of_the_site(embedded_page, page):
    page.emulate_media(color_scheme="light")
    widget = embedded_page.open(page, style=DARK, accent="ff6600", lang="de")
    expect(widget.locator("body")).to_have_css("color", LIGHT_INK)
    widget.locator("#add").click()
    with page.expect_popup() as popup:
        widget.locator("[data-do=open-window]").first.click()
    window = popup.value

    expect(window.locator("body")).to_have_css("color", LIGHT_INK)
    expect(window.locator("html")).to_have_attribute("lang", "de")
    expect(window.locator("html")).to_have_css("--accent", "#ff6600")
    assert "theme=dark" in window.url
    assert "accent=ff6600" in window.url


# The strip of 72 px: it opens the list in a tab, or in its place where the site has embed.js


@pytest.fixture
def strip_of(embedded_page, page):
    embedded_page.track_many(14)

    def strip_of(*, script):
        source = f"{embedded_page.widget_url()}&size=strip"
        tag = f'<script src="{embedded_page.service_url}/embed.js"></script>' if script else ""
        frame = f'<iframe src="{source}" width="100%" height="72" style="border: 0"></iframe>'
        site = f'<!doctype html><title>A site</title><link rel="icon" href="data:,">{frame}{tag}'
        page.goto(embedded_page.host.show(site))
        return page.frame_locator("iframe")

    return strip_of


def test_strip_opens_the_list_in_a_tab_of_its_own(strip_of, page):
    strip = strip_of(script=False)
    assert strip.locator("html").evaluate("root => root.scrollHeight") == 72

    with page.context.expect_page() as opened:
        strip.get_by_role("link", name="14 wallets").click()
    expect(opened.value.locator("#wallets > li").first).to_be_visible()

    with page.context.expect_page() as opened:
        strip.get_by_role("link", name="Join").click()
    expect(opened.value.locator("#flow")).to_be_visible()


def test_strip_becomes_the_list_where_the_site_has_the_script(strip_of, page):
    strip = strip_of(script=True)
    expect(page.locator("iframe")).to_have_css("height", "72px")
    expect(strip.get_by_role("link", name="Join")).not_to_have_attribute("target", "_blank")

    strip.get_by_role("link", name="Join").click()

    expect(strip.locator("#flow")).to_be_visible()
    expect(strip.locator("#wallets > li").first).to_be_visible()
    page.wait_for_function("document.querySelector('iframe').offsetHeight > 400")
    assert len(page.context.pages) == 1
