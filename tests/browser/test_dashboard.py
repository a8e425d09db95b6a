"""The dashboard: first steps, people, phones, without scripts, and axe-core on every page."""

import itertools
from dataclasses import replace

import pytest
from axe import find_faults
from embedded_page import make_owner, sign_in
from playwright.sync_api import expect
from support.world import Visitor, change_at

from embed.db.models import Delivery, Member, Receiver, Submission
from embed.domain.clients import Client
from embed.events.messages import send_messages
from embed.notifications import decision_links, own_mail, receivers
from embed.people import sessions
from embed.runtime import EXTENSION
from embed.submissions.deny_list import block_on_page

pytestmark = pytest.mark.browser

SETTINGS = ("", "/general", "/rules", "/notifications",
            "/people", "/keys",
            "/keys/new/public", "/danger", "/danger/delete")  # fmt: skip
VIEWS = ("queue", "queue?tab=decided", "queue?tab=turned-away", "wallets", "wallets/new",
         "wallets/import", "wallets/suggestions", "wallets/tags", "embed", "embed/look",
         "embed/share", "activity", *(f"settings{one}" for one in SETTINGS))  # fmt: skip


@pytest.fixture
def full_dashboard(dashboard):
    dashboard.configure(public_title="A title", trust_after=2)
    for color in ("blue", "green", "red", "yellow"):
        dashboard.add_tag(f"tag {color}", color)
    dashboard.track_many(5, tag_names=["tag blue", "tag red"])
    approved, rejected, _ = (
        dashboard.submit(Visitor(), f"Visitor {number}").json["submissionId"] for number in range(3)
    )
    dashboard.approve(approved)
    dashboard.reject(rejected)
    dashboard.configure(min_balance=1)
    add_receivers(dashboard)
    now = dashboard.clock()
    for role in ("reviewer", "editor"):
        person = make_owner(dashboard)
        person.email = f"{person.id}{'someone' * 5}@{'subdomain.' * 6}example.com"
        person.save()
        Member.create(page=dashboard.page_id, person=person, role=role, created_at=now)
    for kind, pattern in (("wallet", Visitor().address), ("name", "*scam*")):
        block_on_page(dashboard.page_id, kind, pattern, change_at(now))
    for user_agent in ("Android SamsungBrowser/28.0", ""):  # signed in elsewhere, too
        client = Client.parse(user_agent, "2001:db8:1234:5::1")
        sessions.begin(dashboard.owner, change_at(now, client=client))
    return dashboard


def add_receivers(dashboard) -> None:
    """Add a channel and a webhook that fails, with messages in every state."""
    change = dashboard.change()
    now = change.now
    receivers.add_channel(dashboard.page_id, "ntfy", {"topic": "my-topic"}, change)
    url = f"https://{'very-long-name.' * 8}example/hook"
    webhook = receivers.add_webhook(dashboard.page_id, url, change)
    receivers.rotate_secret(webhook.id, change)
    for number in range(9):
        message = ("queue.filling", {"pending": number, "queueCapacity": 10})
        send_messages(dashboard.page_id, [message], now)
    states = itertools.cycle(("given_up", "delivered", "waiting"))
    deliveries = Delivery.select().join(Receiver).where(Receiver.page == dashboard.page_id)
    # All are read before the first is written: the service's worker writes as well, and SQLite
    # refuses to write from a read that has not ended and is older.
    for delivery in list(deliveries):
        delivery.state, delivery.answer = next(states), "503 Service Unavailable"
        delivery.attempts, delivery.attempted_at = 2, now
        delivery.save()
    Receiver.update(first_failed_at=now, failed_attempts=2).where(
        Receiver.id == webhook.id
    ).execute()


def test_pages_about_no_page_are_accessible_and_narrow(full_dashboard, page):
    found = []
    for path in ("/", "/nothing", "/docs/", "/docs/owners", "/dashboard/sign-in"):
        page.goto(full_dashboard.service_url + path)
        found += find_faults(path, page)
    sign_in(page, full_dashboard)
    for path in ("", "account", "background", "pages/x", "nothing"):
        page.goto(f"{full_dashboard.service_url}/dashboard/{path}")
        found += find_faults(path, page)
    page.goto(f"{full_dashboard.base}/settings/rules")
    page.get_by_label("Minimum balance").fill("1e9")
    expect(page.locator("#preview .said")).not_to_have_text(
        "None would have been decided differently."
    )
    page.get_by_label("Address, *name* or network").fill("*a*")
    expect(page.locator("#recognized")).to_contain_text("Name")
    found += find_faults("rules that are being changed", page)
    page.goto(f"{full_dashboard.base}/settings/notifications")
    page.locator(".tiles label", has_text="Email").click()
    page.get_by_role("textbox", name="Email address").fill("nonsense")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#address-wrong")).to_be_visible()
    found += find_faults("a mistake", page)
    assert found == []


def test_pages_behind_the_links_of_mails_are_accessible_and_decide_by_a_button(dashboard, page):
    change, runtime = dashboard.change(), dashboard.app.extensions[EXTENSION]
    topic = {"topic": "my-topic"}
    team = receivers.add_channel(dashboard.page_id, "ntfy", topic, change, may_decide=True)
    sent = dashboard.submit(Visitor(), "Night heron").json["submissionId"]
    submission = Submission.get_by_id(sent)
    settings = replace(runtime.settings, public_url=dashboard.service_url)
    public = replace(runtime, settings=settings)
    page.goto(decision_links.build_links(team, submission, public)["approve"])
    found = find_faults("the question", page)
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Approved")
    found += find_faults("the answer", page)
    assert Submission.get_by_id(sent).status == "approved"

    page.goto(own_mail.build_link(team, public))
    found += find_faults("the end of mails", page)
    assert found == []


@pytest.mark.parametrize("half", [0, 1])
def test_every_view_of_a_page_is_accessible_and_narrow(full_dashboard, page, half):
    sign_in(page, full_dashboard)
    found = []
    webhook = Receiver.get(page=full_dashboard.page_id, kind="webhook")
    deliveries = f"settings/notifications/{webhook.id}/deliveries"
    for view in (*VIEWS, deliveries)[half::2]:
        assert page.goto(f"{full_dashboard.base}/{view}").ok, view
        found += find_faults(view, page)
        assert page.locator("[aria-invalid=true]").count() == 0, view  # nothing was typed
    assert found == []


def test_phone_has_a_low_bar_a_dock_and_an_index_of_the_settings_without_javascript(
    dashboard, open_browser
):
    page = open_browser(viewport={"width": 375, "height": 667}, java_script_enabled=False)
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue")
    dock = page.get_by_role("navigation", name="Page", exact=True)

    assert page.locator(".side").bounding_box()["height"] <= 48
    box = dock.bounding_box()
    assert (box["x"], box["width"], box["y"] + box["height"]) == (0, 375, 667)
    dock.get_by_role("link", name="Settings").click()
    expect(page.get_by_label("Title")).to_be_hidden()
    tabs = page.get_by_role("navigation", name="Settings").get_by_role("link")
    tabs.filter(has_text="you review each one").click()
    expect(page).to_have_url(f"{dashboard.base}/settings/rules")
    expect(tabs.first).to_be_hidden()
    page.locator("h1").get_by_role("link", name="Settings").click()
    tabs.filter(has_text="General").click()
    expect(page.get_by_label("Title")).to_be_visible()


def test_form_is_sent_once_however_often_its_button_is_pressed(dashboard, page):
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/settings/general")
    sent = []
    page.on("request", lambda request: sent.append(request) if request.method == "POST" else None)
    page.get_by_role("button", name="Save").dblclick()

    expect(page.get_by_text("Saved.")).to_be_visible()
    assert len(sent) == 1
