"""What can be pressed shows that it is under the pointer, pressed, or has the focus."""

import pytest
from embedded_page import sign_in
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

IN_WIDGET = ("#add", "#sort", ".tag button, button.tag", "#wallets summary", "#flow .pick summary")
IN_DASHBOARD = (
    ".side .sections a:not([aria-current])",
    "main .button.primary",
    "main .button:not(.primary)",
    "thead th a",
    "tbody tr",
)
_LOOK = """one => {
  const look = getComputedStyle(one);
  return ["backgroundColor", "borderColor", "boxShadow", "color", "textDecorationLine"]
    .map((name) => look[name]).join();
}"""


def read_look(part: Locator) -> str:
    return part.evaluate(_LOOK)


def check_states(page: Page, selector: str) -> None:
    part = page.locator(selector).locator("visible=true").last
    page.mouse.move(0, 0)
    at_rest = read_look(part)
    part.hover()
    hovered = read_look(part)
    assert hovered != at_rest, selector
    if part.evaluate("one => one.matches('button, .button')"):
        page.mouse.down()
        assert read_look(part) not in (at_rest, hovered), selector
        page.mouse.move(0, 0)  # so that it is not pressed after all
        page.mouse.up()


@pytest.fixture
def calm(page):
    """A browser in which no look is on its way to another one."""
    page.emulate_media(reduced_motion="reduce")
    return page


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_widget_answers_the_pointer(embedded_page, calm, theme):
    embedded_page.add_tag("team", "blue")
    embedded_page.track_many(3, tag_names=["team"])
    calm.goto(embedded_page.widget_url(theme=theme))
    calm.locator("#widget[data-ready]").wait_for()
    calm.locator("#add").click()
    calm.locator("#flow [data-step=choose]").wait_for()
    for selector in IN_WIDGET:
        check_states(calm, selector)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_dashboard_answers_the_pointer(dashboard, calm, theme):
    dashboard.track_many(3)
    sign_in(calm, dashboard)
    calm.emulate_media(color_scheme=theme)
    calm.goto(f"{dashboard.base}/wallets")
    for selector in IN_DASHBOARD:
        check_states(calm, selector)


def test_transitions_are_only_for_those_who_want_motion(embedded_page, page):
    page.goto(embedded_page.widget_url())
    add = page.locator("#add")
    add.hover()
    expect(add).to_have_css("transition-duration", "0.12s, 0.12s, 0.12s")
    page.emulate_media(reduced_motion="reduce")
    expect(add).to_have_css("transition-duration", "0s, 0s, 0s")
