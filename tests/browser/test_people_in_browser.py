"""People on a page, in their browsers: invited, at work, and removed."""

import re

import pytest
from axe import find_faults
from embedded_page import make_owner, sign_in, sign_in_by_form
from playwright.sync_api import expect
from support.world import Visitor

from embed import pages
from embed.db.models import Member, Person, Submission
from embed.people import members

pytestmark = pytest.mark.browser

PASSWORD = "four words that nobody says"


@pytest.fixture
def owner_page(dashboard, page):
    sign_in(page, dashboard)
    return page


@pytest.fixture
def open_browser(browser, watch):
    """Another person's browser."""
    contexts = []

    def start(**options):
        contexts.append(watch(browser.new_context(**options)))
        return contexts[-1].new_page()

    yield start
    for context in contexts:
        context.close()


def invite(page, dashboard, email: str, role: str) -> str:
    """Invite somebody by the form, and return the link."""
    page.goto(f"{dashboard.base}/people")
    page.get_by_label("E-mail").fill(email)
    page.get_by_role("radio", name=re.compile(f"^{role}")).check()
    page.get_by_role("button", name="Make an invitation").click()
    return page.locator("#link").inner_text()


def join(page, link: str) -> None:
    """Accept as somebody new."""
    page.goto(link)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the new password").fill(PASSWORD)
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()


def test_reviewer_is_invited_decides_and_is_removed(dashboard, owner_page, open_browser):
    first, second = (dashboard.submit(Visitor(), name).json["submissionId"] for name in "ab")
    link = invite(owner_page, dashboard, "ann@example.com", "Reviewer")
    ann = open_browser()
    join(ann, link)

    sections = ann.get_by_role("navigation", name="Page", exact=True).get_by_role("link")
    assert [one.split()[0] for one in sections.all_inner_texts() if one] == [
        "Queue",
        "Wallets",
        "Activity",
        "Tags",
        "Policy",
        "Deny",  # list
    ]
    # The page says so before the answer.
    with ann.expect_response(lambda answer: "/queue/decide" in answer.url):
        ann.locator(f"#submission-{first}").get_by_role("button", name="Approve").click()
    expect(ann.locator("#undo [role=status]")).to_contain_text("Approved")
    assert Submission.get_by_id(first).status == "approved"

    owner_page.goto(f"{dashboard.base}/people")
    owner_page.get_by_role("button", name="Remove: ann@example.com").click()
    expect(owner_page.locator(".flash")).to_contain_text("can no longer use this page")

    # Her open tab: neither its undo button nor another decision does anything.
    ann.get_by_role("button", name="Undo").click()
    expect(ann.locator("main")).to_contain_text("belongs to somebody else")
    assert Submission.get_by_id(first).status == "approved"
    assert Submission.get_by_id(second).status == "pending"


def test_invitation_survives_signing_in_first(dashboard, owner_page, open_browser):
    person = make_owner(dashboard)
    link = invite(owner_page, dashboard, person.email, "Editor")
    browser = open_browser()

    browser.goto(link)
    browser.get_by_role("link", name="Sign in").click()
    browser.get_by_label("E-mail").fill(person.email)
    browser.get_by_label("Password").fill("a long enough password")
    browser.get_by_role("button", name="Sign in", exact=True).click()
    expect(browser).to_have_url(link)
    browser.get_by_role("button", name="Accept").click()

    expect(browser.get_by_role("heading", name="Queue")).to_be_visible()
    assert Member.get(Member.person == person).role == "editor"


def test_somebody_else_signs_out_and_comes_back(dashboard, owner_page, open_browser):
    other = make_owner(dashboard)
    link = invite(owner_page, dashboard, "new@example.com", "Viewer")
    browser = open_browser()
    sign_in_by_form(browser, dashboard, other)

    browser.goto(link)
    expect(browser.get_by_role("alert")).to_contain_text(f"You are signed in as {other.email}.")
    browser.get_by_role("main").get_by_role("button", name="Sign out").click()
    join(browser, link)

    assert members.find_role(pages.get_page(dashboard.page_id), other) is None


def test_page_is_handed_over(dashboard, owner_page, open_browser):
    link = invite(owner_page, dashboard, "next@example.com", "Owner")
    following = open_browser()
    following.goto(link)
    expect(following.locator("main")).to_contain_text("Takes the page over")
    join(following, link)

    following.goto(f"{dashboard.base}/people")
    expect(following.get_by_role("heading", name="People")).to_be_visible()
    owner_page.goto(f"{dashboard.base}/people")
    expect(owner_page.locator("main")).to_contain_text("Your role on this page, Editor")


def test_people_and_invitation_fit_and_have_no_faults(dashboard, owner_page, open_browser):
    now = dashboard.clock()
    long_address = f"{'somebody' * 6}@{'subdomain.' * 6}example.com"
    for role in ("reviewer", "editor"):
        person = make_owner(dashboard)
        Person.update(email=f"{role}{long_address}").where(Person.id == person.id).execute()
        Member.create(page=dashboard.page_id, person=person, role=role, created_at=now)

    link = invite(owner_page, dashboard, f"new{long_address}", "Viewer")
    found = find_faults("the link", owner_page)
    owner_page.goto(f"{dashboard.base}/people")
    found += find_faults("people", owner_page)
    guest = open_browser()
    guest.goto(link)
    found += find_faults("the invitation", guest)

    assert found == []
