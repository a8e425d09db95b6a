"""What surrounds every page of the dashboard: what waits, places, help, and the colours."""

import re

import pytest
from routes import list_routes
from support.world import Visitor

from embed.web.dashboard.routes import ROUTES


def find_icon(owner, path):
    return re.search(r'<link rel="icon" href="([^"]+)"', owner.get(path).text)[1]


def count_beside_queue(owner, path):
    found = re.search(r'id="waiting-here"[^>]*?( hidden)?>([\d,]+)<', owner.get(path).text)
    return 0 if found[1] else int(found[2])


def test_what_waits_is_counted_beside_queue_on_every_page(world, owner):
    other = f"/dashboard/pages/{owner.make_page()}/wallets"
    here = f"/dashboard/pages/{world.page_id}/wallets"
    assert count_beside_queue(owner, here) == 0
    assert find_icon(owner, here).endswith("/mark.svg")
    sent = [world.submit(Visitor()).json["submissionId"] for _ in range(3)]

    assert count_beside_queue(owner, here) == 3
    assert count_beside_queue(owner, other) == 0
    for path in (here, other, "/dashboard/", "/dashboard/account"):
        assert find_icon(owner, path).endswith("/mark-waiting.svg")
    assert "<title>(3) Queue" in owner.get(f"/dashboard/pages/{world.page_id}/queue").text
    for submission_id in sent:
        world.approve(submission_id)
    assert count_beside_queue(owner, here) == 0
    assert find_icon(owner, here).endswith("/mark.svg")


def list_links(text: str, name: str) -> list[str]:
    """Return what a navigation offers, without the present state."""
    menu = re.search(rf'<nav class="\w+" aria-label="{name}">(.*?)</nav>', text, re.DOTALL)
    return re.findall(r"<span>([\w ]+)</span>", menu[1]) if menu else []


PLACES = ["Queue", "Wallets", "Embed", "Activity", "Settings"]
SETTINGS = ["General", "Rules", "Notifications", "People", "API keys", "Danger zone"]
READ_PLACES = [one for one in PLACES if one != "Embed"]


@pytest.mark.parametrize(
    ("role", "places", "tabs"),
    [
        ("owner", PLACES, SETTINGS),
        ("editor", PLACES, SETTINGS[:2]),
        ("reviewer", READ_PLACES, []),  # the rules alone, so no tabs
        ("viewer", READ_PLACES, []),
    ],
)
def test_people_see_the_places_and_tabs_of_their_role(
    world, owner, make_member, role, places, tabs
):
    browser = owner if role == "owner" else make_member(role)
    settings = f"/dashboard/pages/{world.page_id}/settings"
    text = browser.get(settings, follow_redirects=True).text

    assert list_links(text, "Page") == places
    assert list_links(text, "Settings") == tabs
    assert ("Deny list" in browser.see(f"{settings}/rules")) == (role != "viewer")


def test_every_page_has_a_section_in_the_documents(app):
    others = {"show_page", "read_news", "show_preview", "export_wallets", "refuse_unknown"}
    without = {
        endpoint.removeprefix("dashboard.")
        for endpoint, method, _ in list_routes(app)
        if method == "GET" and "#" not in ROUTES[endpoint].help
    }

    assert without == others


@pytest.mark.parametrize(
    ("chosen", "theme"), [("dark", ["dark"]), ("light", ["light"]), ("auto", []), ("<b>", [])]
)
def test_colours_are_a_choice_of_the_browser(owner, chosen, theme):
    def read_theme(path: str) -> list[str]:
        return re.findall('<html[^>]* data-theme="(.*?)"', owner.get(path).text)

    owner.post("/dashboard/account/theme", theme="dark")
    answer = owner.post("/dashboard/account/theme", theme=chosen)

    assert (answer.status_code, answer.location) == (303, "/dashboard/account#colors-title")
    assert read_theme("/dashboard/") == read_theme("/docs/owners") == theme
    assert "Cookie" in owner.get("/docs/owners").vary
    owner.post("/dashboard/sign-out")
    assert read_theme("/dashboard/sign-in") == theme
