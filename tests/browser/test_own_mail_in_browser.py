"""Mails to oneself, on the Activity page in a browser and by the link in a mail."""

import pytest
from axe import find_faults
from embedded_page import sign_in
from playwright.sync_api import expect

from embed.db.models import Receiver
from embed.notifications import own_mail

pytestmark = pytest.mark.browser


@pytest.fixture
def own(dashboard) -> Receiver:
    """The owner's own mail, which fails."""
    now = dashboard.clock()
    return Receiver.create(
        page=dashboard.page_id,
        person=dashboard.owner,
        kind="channel",
        target="",
        created_at=now,
        failed_attempts=1,
        first_failed_at=now,
    )


@pytest.mark.parametrize("language", ["en", "ar"])
def test_section_fits_a_small_phone_and_its_button_stops(dashboard, page, own, language):
    dashboard.owner.language = language
    dashboard.owner.save()
    sign_in(page, dashboard)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{dashboard.base}/activity")
    section = page.locator("section[aria-labelledby=mail]")

    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert find_faults("mails to oneself", page) == []
    section.locator("form[action$='/mail/stop'] button").click()

    expect(section).to_have_count(0)  # as this service cannot mail
    assert own_mail.find(dashboard.page_id, dashboard.owner) is None


def test_link_stops_by_a_button_for_somebody_who_is_not_signed_in(dashboard, page, own):
    link = own_mail.build_link(own, dashboard.settings, dashboard.clock)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{dashboard.service_url}/dashboard/mail/{link.rpartition('/')[2]}")
    assert find_faults("the link of a mail", page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert own_mail.find(dashboard.page_id, dashboard.owner) == own

    page.get_by_role("button", name="Stop the mails").click()

    expect(page.get_by_text("You get no more mails about this page.")).to_be_visible()
    assert own_mail.find(dashboard.page_id, dashboard.owner) is None
