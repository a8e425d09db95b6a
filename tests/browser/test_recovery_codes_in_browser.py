"""Recovery codes and a password that is off, in a browser on a small phone."""

import re
from datetime import timedelta

import pytest
from axe import find_faults
from embedded_page import sign_in
from playwright.sync_api import Page, expect

from embed.db.models import Person, RecoveryCode, Session
from embed.domain.passwords import has_password, make_switched_off

pytestmark = pytest.mark.browser

PHONE = {"width": 320, "height": 640}


@pytest.fixture
def account(dashboard) -> str:
    return f"{dashboard.service_url}/dashboard/account"


def check(page: Page, name: str) -> None:
    assert find_faults(name, page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], name


def make_codes(page: Page, account: str) -> list[str]:
    page.goto(account)
    page.locator("section[aria-labelledby=recovery-codes] button").click()
    codes = page.locator("#codes")
    expect(codes).to_be_visible()
    return codes.inner_text().split()


@pytest.mark.parametrize("language", ["en", "ar"])
def test_codes_are_made_and_one_signs_in(dashboard, page, account, language):
    dashboard.owner.language = language
    dashboard.owner.save()
    page.set_viewport_size(PHONE)
    sign_in(page, dashboard)
    codes = make_codes(page, account)
    check(page, "new recovery codes")

    page.locator("#code").fill(codes[2].lower())
    page.locator("#submit").click()

    expect(page).to_have_url(f"{account}#recovery-codes")
    check(page, "account with recovery codes")
    page.context.clear_cookies()
    page.goto(f"{dashboard.service_url}/dashboard/sign-in")
    page.locator("a[href*='/sign-in/recovery']").click()
    page.locator("#email").fill(dashboard.owner.email)
    page.locator("#code").fill("wrong")
    page.locator("#submit").click()
    expect(page.locator("#code-wrong")).to_be_visible()
    check(page, "a wrong recovery code")
    page.locator("#code").fill(codes[5])
    page.locator("#submit").click()
    expect(page).to_have_url(f"{dashboard.service_url}/dashboard/")
    assert RecoveryCode.select().where(RecoveryCode.person == dashboard.owner).count() == 7


def test_password_that_is_off_is_set_again(dashboard, page, account):
    Person.update(password_hash=make_switched_off()).where(
        Person.id == dashboard.owner.id
    ).execute()
    page.set_viewport_size(PHONE)
    sign_in(page, dashboard, Person.get_by_id(dashboard.owner.id))
    page.goto(account)
    expect(page.get_by_role("heading", name="Set a password")).to_be_visible()
    check(page, "account without a password")

    page.locator("#password").fill("four words that nobody says")
    page.locator("#again").fill("four words that nobody says")
    page.get_by_role("button", name=re.compile("Set password")).click()

    expect(page.get_by_text("Your password is set.")).to_be_visible()
    assert has_password(Person.get_by_id(dashboard.owner.id).password_hash)


def test_question_without_a_password_leads_to_signing_in_again(dashboard, page):
    Person.update(password_hash=make_switched_off()).where(
        Person.id == dashboard.owner.id
    ).execute()
    page.set_viewport_size(PHONE)
    sign_in(page, dashboard, Person.get_by_id(dashboard.owner.id))
    long_ago = dashboard.clock() - timedelta(minutes=31)
    Session.update(confirmed_at=long_ago).where(Session.person == dashboard.owner).execute()
    page.goto(f"{dashboard.base}/keys")
    check(page, "Is it you? without a password")

    page.get_by_role("main").get_by_role("button", name="Sign out").click()

    expect(page).to_have_url(re.compile("/dashboard/sign-in"))
