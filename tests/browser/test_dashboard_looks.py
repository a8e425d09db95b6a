"""What owners see at first sight: on phones, at sign-in, and after an import with mistakes."""

import re

import pytest
from axe import find_faults
from embedded_page import sign_in
from playwright.sync_api import Page, expect
from world import Visitor

pytestmark = pytest.mark.browser

PHONES = [320, 375]


def is_in_sight(page: Page, selector: str) -> bool:
    """Tell whether the whole width of an element lies within the window."""
    box = page.locator(selector).bounding_box()
    return box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]


@pytest.mark.parametrize("width", PHONES)
def test_chosen_tab_is_in_sight_without_javascript(dashboard, browser, width):
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": width, "height": 700}
    )
    page = context.new_page()
    sign_in(page, dashboard)

    for view in ("queue", "policy", "embed", "activity", "settings"):
        page.goto(f"{dashboard.base}/{view}")
        assert is_in_sight(page, ".tabs [aria-current]"), view
        # The page itself is not scrolled.
        assert page.locator(".top").bounding_box()["y"] == 0, view
    context.close()


def test_chosen_tab_is_in_sight_where_only_a_script_can_scroll(dashboard, page):
    def leave_out(route):
        answer = route.fetch()
        text, count = re.subn(r"scroll-initial-target: nearest;", "", answer.text())
        assert count == 1
        route.fulfill(response=answer, body=text)

    page.set_viewport_size({"width": 320, "height": 700})
    sign_in(page, dashboard)
    page.route("**/dashboard.css", leave_out)

    page.goto(f"{dashboard.base}/settings")

    expect(page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("has_touch", [True, False])
def test_keyboard_hints_are_for_those_with_a_keyboard(dashboard, browser, has_touch):
    assert dashboard.submit(Visitor(), "Visitor").status_code == 201
    context = browser.new_context(has_touch=has_touch, is_mobile=has_touch)
    page = context.new_page()
    sign_in(page, dashboard)

    page.goto(f"{dashboard.base}/queue")

    hints = page.locator(".keys")
    expect(hints).not_to_have_attribute("hidden", "")  # the script has run
    expect(hints).to_be_visible(visible=not has_touch)
    context.close()


def test_outcomes_need_no_scrolling_to_the_side(dashboard, page):
    assert dashboard.submit(Visitor(), "W" * 32).status_code == 201
    page.set_viewport_size({"width": min(PHONES), "height": 700})
    sign_in(page, dashboard)

    page.goto(f"{dashboard.base}/policy")
    page.get_by_label("Approve everything at once").check()
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview .lines li")).to_have_count(1)
    for view in ("", "activity"):
        if view:
            page.goto(f"{dashboard.base}/{view}")
        cut_off = page.evaluate(
            """() => [...document.querySelectorAll("main *")]
              .filter((one) => one.getBoundingClientRect().right > innerWidth)
              .map((one) => one.outerHTML.slice(0, 80))"""
        )
        assert cut_off == []


def test_sign_in_has_room_between_fields_button_and_focus_ring(dashboard, page):
    page.goto(f"{dashboard.service_url}/dashboard/sign-in")

    label = page.get_by_text("E-mail", exact=True).bounding_box()
    field = page.get_by_label("E-mail").bounding_box()
    password = page.get_by_label("Password").bounding_box()
    button = page.get_by_role("button", name="Sign in").bounding_box()
    expect(page.get_by_label("E-mail")).to_be_focused()
    ring = page.get_by_label("E-mail").evaluate(
        "one => parseFloat(getComputedStyle(one).outlineWidth)"
        " + parseFloat(getComputedStyle(one).outlineOffset)"
    )
    assert ring == 4
    assert label["y"] + label["height"] <= field["y"] - ring
    assert button["y"] - password["y"] - password["height"] >= 12


def test_length_of_a_password_is_told_before_it_is_refused(dashboard, page):
    sign_in(page, dashboard)
    page.goto(f"{dashboard.service_url}/dashboard/account")

    expect(page.get_by_label("New password", exact=True)).to_have_accessible_description(
        "10 to 200 characters."
    )


def test_action_is_in_reach_after_an_import_with_thousands_of_mistakes(dashboard, page, tmp_path):
    path = tmp_path / "wallets.csv"
    rows = [f"{Visitor().address},Name,tag {number % 90}" for number in range(4_000)]
    path.write_text("\n".join(rows))
    page.set_viewport_size({"width": 375, "height": 800})
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/wallets/import")
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name="Check the file").click()

    action = page.get_by_role("button", name="Create the tags and import")
    expect(action).to_be_in_viewport()
    page.get_by_text("All 4,000 mistakes, line by line").click()
    assert page.evaluate("document.documentElement.scrollHeight") < 2_500
    assert find_faults("import with mistakes", page) == []
    action.click()
    expect(page.locator(".flash.done")).to_contain_text("4,000 added")


def test_front_page_and_error_pages_are_accessible_and_narrow(dashboard, page):
    found = []
    for path in ("/", "/nothing", "/dashboard/nothing"):
        page.goto(dashboard.service_url + path)
        found += find_faults(path, page)
    sign_in(page, dashboard)
    for path in ("/dashboard/pages/x", "/dashboard/background"):
        page.goto(dashboard.service_url + path)
        found += find_faults(path, page)
    page.get_by_role("link", name="Tracking pages").click()
    expect(page.get_by_role("heading", name="Tracking pages")).to_be_visible()
    assert found == []
