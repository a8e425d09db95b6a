"""The Embed tab: snippets and preview follow the choices, and a pasted key stays in the browser."""

import re

import pytest
from embedded_page import frame_of, sign_in
from playwright.sync_api import expect

from embed.db.models import ApiKey

pytestmark = pytest.mark.browser

CHOICES = {"theme": "dark", "lang": "de", "accent": "#FF6600", "height": "450"}


@pytest.fixture
def tab(dashboard, page):
    """The Embed tab of a signed-in owner, with its script running."""
    dashboard.track_many(3)
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed")
    return page


def read_codes(page) -> list[str]:
    return page.locator(".code").all_text_contents()


def choose(page) -> None:
    page.get_by_label("Theme").select_option("dark")
    page.get_by_label("Language").select_option("de")
    page.get_by_label("Accent color", exact=True).fill("#FF6600")
    page.get_by_label("Height in pixels").fill("450")
    page.get_by_label("Search, sorting").check()
    page.get_by_label("“Add your wallet”").check()


def test_snippets_follow_as_the_server_would_write_them(dashboard, tab):
    choose(tab)

    followed = read_codes(tab)
    assert "&amp;theme=dark&amp;accent=ff6600&amp;lang=de&amp;hide=tools,add" in followed[0]
    assert 'height="450"' in followed[0]
    query = "&".join(f"{name}={value.strip('#')}" for name, value in CHOICES.items())
    tab.goto(f"{dashboard.base}/embed?{query}&hide=tools&hide=add")
    assert followed == read_codes(tab)


def test_choices_taken_back_leave_the_first_snippets(tab):
    before = read_codes(tab)
    choose(tab)
    assert read_codes(tab) != before

    tab.get_by_label("Theme").select_option("")
    tab.get_by_label("Language").select_option("")
    tab.get_by_label("Accent color", exact=True).fill("")
    tab.get_by_label("Height in pixels").fill("600")
    tab.get_by_label("Search, sorting").uncheck()
    tab.get_by_label("“Add your wallet”").uncheck()

    assert read_codes(tab) == before


def test_preview_follows_without_a_page_load_and_without_history(dashboard, tab):
    tab.evaluate("window.isSamePage = true")
    length = tab.evaluate("history.length")
    preview = tab.frame_locator("iframe.preview")
    expect(preview.get_by_role("button", name="Add your wallet")).to_be_visible()

    choose(tab)

    expect(preview.locator("html[data-theme=dark][lang=de]")).to_be_attached()
    expect(preview.locator("html")).to_have_attribute("data-accent", "ff6600")
    expect(preview.locator("#add")).to_be_hidden()
    expect(preview.locator("#search")).to_be_hidden()
    expect(preview.locator(".wallet")).to_have_count(3)
    expect(tab.locator("iframe.preview")).to_have_attribute("height", "450")
    assert tab.evaluate("[window.isSamePage, history.length]") == [True, length]
    assert frame_of(tab, f"{dashboard.service_url}/embed/").url.endswith("&hide=tools,add")


def test_color_picker_and_text_follow_each_other(tab):
    picker = tab.get_by_label("Pick the accent color")
    text = tab.get_by_label("Accent color", exact=True)

    picker.fill("#12ab34")
    expect(text).to_have_value("12ab34")
    assert "accent=12ab34" in read_codes(tab)[0]
    text.fill("#00FF00")
    expect(picker).to_have_value("#00ff00")


def test_value_that_makes_no_sense_is_marked_and_left_out(tab):
    before = read_codes(tab)

    for label, value in (("Accent color", "12345"), ("Height in pixels", "199")):
        tab.get_by_label(label, exact=True).fill(value)

        expect(tab.get_by_label(label, exact=True)).to_have_attribute("aria-invalid", "true")
        assert read_codes(tab) == before


# A pasted key


def test_pasted_key_goes_into_the_snippets_and_nowhere_else(dashboard, tab):
    sent = []
    tab.on("request", lambda request: sent.append(f"{request.url} {request.post_data or ''}"))

    tab.get_by_label("paste a public key").fill(f"  {dashboard.key}\n")
    tab.get_by_label("Theme").select_option("dark")

    expect(tab.locator("#kept-key-state")).to_have_text(f"Filled in: {dashboard.key[:12]}…")
    expect(tab.frame_locator("iframe.preview").locator("[data-theme=dark]")).to_be_attached()
    snippet, script, react, *_ = read_codes(tab)
    assert f"?key={dashboard.key}&amp;theme=dark" in snippet
    assert f"?key={dashboard.key}&amp;theme=dark" in react
    assert dashboard.key not in script
    assert sent
    assert dashboard.key not in "\n".join([*sent, tab.url])


def test_pasted_key_is_not_sent_with_the_form_for_a_new_one(dashboard, tab):
    sent = []
    tab.on("request", lambda request: sent.append(f"{request.url} {request.post_data or ''}"))

    tab.get_by_label("paste a public key").fill(dashboard.key)
    tab.get_by_label("Theme").select_option("dark")
    tab.get_by_label("Address of your site").fill("https://new.example")
    tab.get_by_role("button", name="Create a key and its snippet").click()

    expect(tab.get_by_role("heading", name="Your new public key")).to_be_visible()
    assert dashboard.key not in "\n".join(sent)
    key = tab.locator("#new-key").inner_text()
    assert f"?key={key}&amp;theme=dark" in read_codes(tab)[0]
    tab.get_by_label("Theme").select_option("light")
    assert f"?key={key}&amp;theme=light" in read_codes(tab)[0]


def test_double_press_creates_one_key(dashboard, tab):
    before = ApiKey.select().count()
    tab.get_by_label("Address of your site").fill("https://new.example")

    tab.get_by_role("button", name="Create a key and its snippet").dblclick()

    expect(tab.get_by_role("heading", name="Your new public key")).to_be_visible()
    assert ApiKey.select().count() == before + 1
    tab.get_by_role("link", name="I have copied it").click()
    expect(tab.get_by_text("https://new.example", exact=True)).to_have_count(1)


def test_text_that_is_no_key_of_the_page_is_explained_and_not_filled_in(tab):
    before = read_codes(tab)
    field = tab.get_by_label("paste a public key")

    for pasted, said in (
        (f"svc_sec_{'0' * 32}", "This is a secret key. It does not belong in a page"),
        ("svc_pub_short", "This is no public key"),
        (f"svc_pub_{'0' * 32}", "No public key of this page begins with svc_pub_0000"),
    ):
        field.fill(pasted)

        expect(tab.locator("#kept-key-state")).to_contain_text(said)
        expect(field).to_have_attribute("aria-invalid", "true")
        assert read_codes(tab) == before
        field.fill("")
        expect(tab.locator("#kept-key-state")).to_be_empty()


# What fits where


def test_preview_is_beside_on_wide_screens_and_below_on_phones(tab):
    for width in (1280, 375, 320):
        tab.set_viewport_size({"width": width, "height": 800})

        preview = tab.locator("iframe.preview").bounding_box()
        look = tab.get_by_label("Theme").bounding_box()
        assert (preview["x"] > look["x"] + look["width"]) == (width == 1280)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_without_a_script_the_form_loads_the_choices(dashboard, browser, watch):
    context = watch(browser.new_context(java_script_enabled=False))
    page = context.new_page()
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed")

    expect(page.get_by_label("paste a public key")).to_be_hidden()
    page.get_by_label("Theme").select_option("dark")
    page.get_by_label("Search, sorting").check()
    page.get_by_role("button", name="Show").click()

    assert re.search("theme=dark.*hide=tools", read_codes(page)[0])
    expect(page.frame_locator("iframe.preview").locator("html[data-theme=dark]")).to_be_attached()
    page.get_by_label("Address of your site").fill("https://new.example")
    page.get_by_role("button", name="Create a key and its snippet").click()
    key = page.locator("#new-key").inner_text()
    assert f"?key={key}&amp;theme=dark&amp;hide=tools" in read_codes(page)[0]
    context.close()
