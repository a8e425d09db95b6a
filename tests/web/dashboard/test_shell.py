"""What surrounds every page of the dashboard: what waits, the other pages, and the colours."""

import re

import pytest
from receiving import add_webhook
from support.owner_browser import read_text
from support.world import Visitor

from embed.submissions.deny_list import block_on_page


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
    for submission_id in sent:
        world.approve(submission_id)
    assert count_beside_queue(owner, here) == 0
    assert find_icon(owner, here).endswith("/mark.svg")


def test_switcher_keeps_the_section_also_from_its_subpages(world, owner):
    other = owner.make_page()
    tag, webhook = world.add_tag("team"), add_webhook(world)
    sections = {
        "wallets/new": "wallets",
        f"wallets/tags/{tag.id}": "wallets",
        "queue?tab=decided": "queue",
        "embed/share": "embed",
        f"settings/notifications/{webhook.id}/deliveries": "settings",
        "settings/danger/delete": "settings",
    }
    for path, section in sections.items():
        page = owner.get(f"/dashboard/pages/{world.page_id}/{path}").text
        menu = re.search(r'id="pages".*?</nav>', page, re.DOTALL)[0]
        assert f'href="/dashboard/pages/{other}/{section}"' in menu


def list_links(text: str, name: str) -> list[str]:
    """Return what a navigation offers, without the present state."""
    menu = re.search(rf'<nav class="\w+" aria-label="{name}">(.*?)</nav>', text, re.DOTALL)
    return re.findall(r"<span>([\w ]+)</span>", menu[1]) if menu else []


PLACES = ["Queue", "Wallets", "Embed", "Activity", "Settings"]
SETTINGS = ["General", "Rules", "Notifications", "People", "API keys", "Danger zone"]


@pytest.mark.parametrize(
    ("role", "places", "tabs"),
    [
        ("owner", PLACES, SETTINGS),
        ("editor", PLACES, SETTINGS[:2]),
        ("reviewer", [one for one in PLACES if one != "Embed"], []),  # the rules alone, so no tabs
        ("viewer", [one for one in PLACES if one != "Embed"], []),
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


def test_index_of_the_settings_says_how_they_are(world, owner):
    world.configure(public_title="Our whales", min_balance="1200", is_public=False)
    add_webhook(world)
    block_on_page(world.page_id, "name", "bot*", world.change())

    index = owner.see(f"/dashboard/pages/{world.page_id}/settings")

    for state in ("Our whales , private", "1,200 USDC, you review each one, 1 blocked",
                  "0 channels, 1 webhook", "Only you", "1 public key, 1 secret key"):  # fmt: skip
        assert state in index
    assert "you review each one" not in owner.see(
        f"/dashboard/pages/{world.page_id}/settings/general"
    )


@pytest.mark.parametrize(
    ("chosen", "theme"), [("dark", "dark"), ("light", "light"), ("auto", None), ("<b>", None)]
)
def test_colours_are_a_choice_of_the_browser(owner, chosen, theme):
    owner.post("/dashboard/account/theme", theme="dark")
    answer = owner.post("/dashboard/account/theme", theme=chosen)

    assert (answer.status_code, answer.location) == (303, "/dashboard/account#colors-title")
    html = re.search(r"<html[^>]*>", owner.get("/dashboard/").text)[0]
    assert re.findall('data-theme="(.*?)"', html) == ([theme] if theme else [])
    owner.post("/dashboard/sign-out")
    assert ('data-theme="' in owner.get("/dashboard/sign-in").text) == (theme is not None)


@pytest.mark.parametrize("path", ["/docs/", "/docs/owners"])
def test_documents_have_the_same_colours(owner, path):
    for chosen, found in (("dark", ["dark"]), ("auto", [])):
        owner.post("/dashboard/account/theme", theme=chosen)
        answer = owner.get(path)

        assert re.findall('<html[^>]* data-theme="(.*?)"', answer.text) == found
        assert "Cookie" in answer.vary


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("nothing", 404, "Page not found"),
        ("pages/nothing/queue/", 404, "Page not found"),
        ("sign-out", 405, "This page can't be opened directly"),
    ],
)
def test_unknown_address_keeps_what_surrounds_every_page(owner, path, status, said):
    answer = owner.get(f"/dashboard/{path}")

    assert answer.status_code == status
    assert said in read_text(answer)
    for link in ("/dashboard/account", f"/dashboard/pages/{owner.world.page_id}/queue"):
        assert f'href="{link}"' in answer.text
    assert (answer.headers.get("Allow") == "POST") == (status == 405)
