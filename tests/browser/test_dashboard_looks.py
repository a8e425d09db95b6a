"""What owners see at first sight: on phones, at sign-in, and after an import with mistakes."""

import pytest
from axe import find_faults
from embedded_page import sign_in
from playwright.sync_api import expect
from support.world import Visitor

from embed import pages

pytestmark = pytest.mark.browser

PHONES = [320, 375]


MOST_IMPORTANT = ["Queue", "Wallets", "Embed", "Activity"]
OTHERS = ["Tags", "Keys", "Policy", "Deny list", "Notifications", "People", "Settings"]


@pytest.fixture
def open_on_phone(dashboard, browser, watch):
    """Sign in on a phone, 375 pixels wide; it has no JavaScript unless asked for."""

    def start(view, **options):
        options = {"java_script_enabled": False} | options
        context = watch(browser.new_context(viewport={"width": 375, "height": 667}, **options))
        page = context.new_page()
        sign_in(page, dashboard)
        page.goto(f"{dashboard.base}/{view}")
        contexts.append(context)
        return page

    contexts = []
    yield start
    for context in contexts:
        context.close()


def test_phone_has_a_low_bar_and_all_sections_in_a_dock_without_javascript(
    dashboard, open_on_phone
):
    page = open_on_phone("policy")
    dock = page.get_by_role("navigation", name="Page", exact=True)

    assert page.locator(".side").bounding_box()["height"] <= 48
    assert dock.get_by_role("link").all_inner_texts() == MOST_IMPORTANT
    box = dock.bounding_box()
    assert (box["x"], box["width"], box["y"] + box["height"]) == (0, 375, 667)
    dock.get_by_role("button", name="More").click()
    others = page.locator("#more").get_by_role("link")
    assert others.all_inner_texts() == OTHERS
    expect(others.filter(has_text="Policy")).to_have_attribute("aria-current", "page")
    others.filter(has_text="Settings").click()
    expect(page).to_have_url(f"{dashboard.base}/settings")
    expect(others.first).to_be_hidden()


def test_focus_is_not_hidden_by_the_dock(dashboard, open_on_phone):
    dashboard.track_many(20)
    page = open_on_phone("wallets", java_script_enabled=True)
    dock = page.get_by_role("navigation", name="Page", exact=True).bounding_box()["y"]

    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.locator("main :focus")
        if focused.count():
            box = focused.bounding_box()
            assert box["y"] + box["height"] <= dock, focused.evaluate("(one) => one.outerHTML")


def test_every_section_and_its_subpages_are_marked_in_the_side_bar(dashboard, page):
    page.set_viewport_size({"width": 1280, "height": 800})
    sign_in(page, dashboard)
    tag = dashboard.add_tag("team")
    views = {"queue": "Queue", "wallets": "Wallets", "wallets/new": "Wallets",
             f"tags/{tag.id}": "Tags", "keys/new/public": "Keys",
             "notifications/log": "Notifications"}  # fmt: skip
    for view, name in views.items():
        page.goto(f"{dashboard.base}/{view}")
        links = page.get_by_role("navigation", name="Page", exact=True).get_by_role("link")
        assert links.all_inner_texts() == [*MOST_IMPORTANT, *OTHERS]
        assert links.and_(page.locator("[aria-current]")).all_inner_texts() == [name]
        switch, picture = page.locator(".switch").bounding_box(), page.locator(".switch .avatar")
        assert 0 < picture.bounding_box()["y"] - switch["y"] < switch["height"] / 2
    # One column: the bar ends where the page begins, and nothing covers the other.
    side, main = (page.locator(one).bounding_box() for one in (".side", "main"))
    assert side["x"] + side["width"] == main["x"]
    assert page.get_by_role("button", name="More").is_hidden()


def test_forced_colours_mark_the_present_section_and_no_other(dashboard, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 800}, forced_colors="active")
    page = context.new_page()
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/wallets")

    marked = page.evaluate(
        """() => [...document.querySelectorAll(".sections a")].filter((one) => {
          const {outlineStyle, borderBottomStyle, textDecorationLine} = getComputedStyle(one);
          return [outlineStyle, borderBottomStyle, textDecorationLine].some((is) => is !== "none");
        }).map((one) => one.innerText)"""
    )
    assert marked == ["Wallets"]
    context.close()


def test_switcher_leads_to_the_same_section_of_another_page(dashboard, open_on_phone):
    other = dashboard.make_page()
    pages.update_page(other, {"owner": dashboard.owner, "token_symbol": "OTHER"}, dashboard.clock())
    page = open_on_phone("wallets/new")

    page.get_by_role("button", name="Switch to another page").click()
    page.get_by_role("link", name="$OTHER").click()

    expect(page).to_have_url(f"{dashboard.service_url}/dashboard/pages/{other}/wallets")
    page.get_by_role("button", name="Switch to another page").click()
    page.get_by_role("link", name="Overview").click()
    expect(page).to_have_url(f"{dashboard.service_url}/dashboard/")


def test_one_of_many_pages_is_found_by_its_name(dashboard, page):
    for number in range(30):
        fields = {"owner": dashboard.owner, "token_symbol": f"T{number}"}
        pages.update_page(dashboard.make_page(), fields, dashboard.clock())
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue")
    page.get_by_role("button", name="Switch to another page").click()
    menu = page.locator("#pages")
    box = menu.bounding_box()
    assert box["y"] + box["height"] <= page.viewport_size["height"]  # it scrolls

    menu.get_by_role("searchbox").fill("t29 ")

    expect(menu.locator("[data-page]:visible")).to_have_count(1)
    assert find_faults("many pages", page) == []
    page.keyboard.press("Escape")  # empties the field
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()


def test_colours_are_chosen_without_losing_what_was_typed_and_without_a_flash(dashboard, page):
    sign_in(page, dashboard)
    page.emulate_media(color_scheme="light")
    page.goto(f"{dashboard.base}/settings")
    page.get_by_label("Title").fill("Typed")

    page.get_by_role("button", name="Account").click()
    assert find_faults("account menu", page) == []
    page.emulate_media(color_scheme="light")
    with page.expect_response("**/account/theme"):
        page.get_by_role("button", name="Dark").click()

    expect(page.locator("html")).to_have_css("color-scheme", "dark")
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("Title")).to_have_value("Typed")
    page.reload(wait_until="commit")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_colours_are_chosen_without_javascript(dashboard, open_on_phone):
    page = open_on_phone("queue?tab=decided")
    address = page.url

    for name, scheme in (("Dark", "dark"), ("Light", "light"), ("Auto", "light dark")):
        page.get_by_role("button", name="Account").click()
        page.get_by_role("button", name=name).click()
        expect(page.locator("html")).to_have_css("color-scheme", scheme)
        expect(page).to_have_url(address)


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
    button = page.get_by_role("button", name="Sign in", exact=True).bounding_box()
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
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    assert found == []
