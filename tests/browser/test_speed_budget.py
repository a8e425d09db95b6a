"""How much the frame loads, and that its layout does not shift; no times are measured."""

import pytest
from embedded_page import frame_of
from loaded_bytes import count_loaded
from playwright.sync_api import expect
from support.world import Visitor

pytestmark = pytest.mark.browser

BUDGET_BYTES = 37_000


@pytest.fixture
def hundred(embedded_page):
    """A page of 100 wallets with names, balances and tags."""
    embedded_page.add_tag("team", "blue")
    embedded_page.add_tag("early bird", "green")
    embedded_page.track_many(100, tag_names=["team", "early bird"])
    return embedded_page


@pytest.mark.parametrize("lang", ["en", "ru", "ja"])
def test_everything_that_the_frame_loads_fits_the_budget(hundred, page, lang):
    loaded = count_loaded(page)
    page.goto(hundred.widget_url(lang=lang), wait_until="networkidle")
    page.locator("#widget[data-ready]").wait_for()

    assert len([url for url in loaded if url.endswith(".js")]) == 8
    assert sum(loaded.values()) <= BUDGET_BYTES, sorted(loaded.items(), key=lambda one: -one[1])
    assert [url for url in loaded if not url.startswith(f"{hundred.service_url}/")] == []


def test_flow_opens_at_once_and_is_loaded_in_one_wave(hundred, page):
    """Everything is asked for before anything is answered: nothing is found only by loading."""
    widget = hundred.open(page)
    is_answered, held, later = [], [], []

    def hold(route) -> None:
        if not is_answered:
            held.append(route)
        else:
            later.append(route.request.url)
            route.continue_()

    page.route("**/*", hold)
    add, panel = widget.get_by_role("button", name="Add your wallet"), widget.locator("#flow")
    with page.expect_request("**/flow-setup.js"):
        add.hover()
    add.click()
    expect(panel).to_be_visible()
    expect(panel).to_contain_text("Loading…")
    expect(widget.get_by_role("heading", name="Add your wallet")).to_be_focused()
    add.click()  # again, as nothing seems to happen
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(add).to_be_focused()
    add.click()
    expect(panel).to_be_visible()

    is_answered.append(True)
    for route in held:
        route.continue_()
    expect(widget.locator("[data-step=choose]")).to_be_visible()

    assert len([route for route in held if route.request.url.endswith(".js")]) > 10
    assert later == []


def test_frame_asks_nobody_else(hundred, page):
    urls = []
    page.on("request", lambda request: request.frame.parent_frame and urls.append(request.url))
    hundred.approve(hundred.submit(Visitor(), "Proved").json["submissionId"])
    widget = hundred.open(page)
    widget.get_by_role("button", name="Show more").click()
    widget.get_by_role("searchbox").fill("Proved")
    expect(widget.locator("#wallets .wallet")).to_have_count(1)
    widget.locator("#wallets summary").click()
    expect(widget.locator(".proof")).to_be_visible()
    widget.get_by_role("button", name="Add your wallet").click()
    expect(widget.locator("[data-step=choose]")).to_be_visible()

    assert len(urls) > 10
    assert [url for url in urls if not url.startswith(f"{hundred.service_url}/")] == []


def test_nothing_shifts_after_the_first_paint(hundred, page):
    """The site's script is left out: it tells a theme, and the margin of the surface goes."""
    hundred.open(page, script=False)
    frame = frame_of(page, hundred.service_url)
    shifts = frame.evaluate(
        """async () => {
          const seen = [];
          const note = (list) => seen.push(...list.getEntries());
          new PerformanceObserver(note).observe({type: "layout-shift", buffered: true});
          const {startTime: paintedAt} = await new Promise((resolve) => {
            const look = (list) => list.getEntriesByName("first-paint").forEach(resolve);
            new PerformanceObserver(look).observe({type: "paint", buffered: true});
          });
          await new Promise((resolve) => {
            requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 100)));
          });
          return seen.filter((one) => one.startTime > paintedAt).map((one) => one.value);
        }"""
    )

    assert shifts == []


def test_list_is_in_the_document_itself(hundred, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(hundred.host_page())

    expect(page.frame_locator("iframe").locator("#wallets .wallet")).to_have_count(25)
    context.close()


def test_static_files_are_kept_for_a_year_and_the_document_is_not(hundred, page):
    answers = {}
    page.on("response", lambda answer: answers.update({answer.url: answer.headers}))
    hundred.open(page)

    document = answers[hundred.widget_url()]
    assert document["cache-control"] == "private, no-store"
    static = {url: headers for url, headers in answers.items() if "/static/" in url}
    assert len(static) > 10
    for url, headers in static.items():
        digest = url.removeprefix(f"{hundred.service_url}/static/").partition("/")[0]
        assert len(digest) == 16, url
        assert set(headers["cache-control"].split(", ")) == {
            "public",
            "max-age=31536000",
            "immutable",
        }
        assert headers["content-encoding"] in ("br", "zstd", "gzip"), url
