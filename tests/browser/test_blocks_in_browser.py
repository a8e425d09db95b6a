"""Blocking in the queue and on the deny list, and what the visitor is told, in Chromium."""

import pytest
from axe import find_faults
from embedded_page import sign_in, submit
from playwright.sync_api import expect
from support.world import Visitor, with_session

from embed.db.models import Block, Submission
from embed.submissions.deny_list import block_on_page, list_of_page, list_of_person

pytestmark = pytest.mark.browser


@pytest.fixture
def queue(dashboard, page):
    for name in ("Ann", "Scam 1", "Scam 2"):
        dashboard.submit(with_session(dashboard), name)
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue")
    return page


def statuses_of(dashboard) -> dict[str, str]:
    submissions = Submission.select().where(Submission.page == dashboard.page_id)
    return {one.nickname: one.status for one in submissions}


def blocks_of(dashboard) -> list[Block]:
    return list_of_page(dashboard.page)


def test_one_key_rejects_and_blocks_and_another_takes_it_back(dashboard, queue):
    toast = queue.locator(".toast")
    queue.locator(".item", has_text="Scam 2").focus()

    with queue.expect_response("**/queue/decide"):
        queue.keyboard.press("b")

    expect(toast).to_contain_text("Rejected and blocked")
    expect(queue.locator(".item")).to_have_count(2)
    (made,) = blocks_of(dashboard)
    assert (made.kind, made.submission.nickname) == ("wallet", "Scam 2")
    with queue.expect_response("**/queue/undo"):
        queue.keyboard.press("u")
    expect(queue.locator(".item")).to_have_count(3)
    assert blocks_of(dashboard) == []
    assert set(statuses_of(dashboard).values()) == {"pending"}


def test_selection_is_blocked_and_offered_for_undo_after_a_reload(dashboard, queue):
    for name in ("Scam 1", "Scam 2"):
        queue.locator(".item", has_text=name).get_by_role("checkbox").check()

    with queue.expect_response("**/queue/decide"):
        queue.get_by_role("button", name="Block selected").click()

    assert len(blocks_of(dashboard)) == 2
    assert statuses_of(dashboard) == {"Ann": "pending", "Scam 1": "rejected", "Scam 2": "rejected"}
    queue.reload()
    expect(queue.locator(".toast")).to_contain_text("Rejected and blocked: 2.")
    with queue.expect_response("**/queue/undo"):
        queue.get_by_role("button", name="Undo").click()
    expect(queue.locator(".item")).to_have_count(3)
    assert blocks_of(dashboard) == []


def test_reason_goes_with_the_block(dashboard, queue):
    row = queue.locator(".item", has_text="Scam 1")
    row.locator("summary").click()
    row.get_by_label("Tell the visitor why").select_option("not_for_list")

    with queue.expect_response("**/queue/decide"):
        row.get_by_role("button", name="Reject and block").click()

    (made,) = blocks_of(dashboard)
    assert made.submission.reason_code == "not_for_list"


def test_deny_list_is_read_and_changed_on_a_wide_and_a_narrow_screen(dashboard, page):
    sign_in(page, dashboard)
    block_on_page(dashboard.page_id, "wallet", Visitor().address, dashboard.clock())
    page.goto(f"{dashboard.base}/deny-list")
    page.get_by_label("Kind").select_option("Name")
    page.get_by_label("What to block").fill("*")
    page.get_by_role("button", name="Block", exact=True).click()
    expect(page.locator(".wrong")).to_contain_text("would block everybody")

    page.get_by_label("What to block").fill("*scam*")
    page.get_by_label("Where").select_option("On all my pages")
    page.get_by_role("button", name="Block", exact=True).click()

    expect(page.get_by_role("heading", name="On all your pages")).to_be_visible()
    assert find_faults("deny list", page) == []
    page.get_by_role("button", name="Remove: *scam*").click()
    expect(page.locator(".flash")).to_contain_text("*scam* is no longer blocked.")
    assert (len(blocks_of(dashboard)), list_of_person(dashboard.owner)) == (1, [])


def test_blocked_visitor_is_told_that_it_was_not_accepted(
    embedded_page, context, page, browser_wallet
):
    block_on_page(embedded_page.page_id, "name", "nick*", embedded_page.clock())
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)

    submit(widget)

    expect(widget.get_by_role("alert")).to_have_text("This submission was not accepted.")
    expect(widget.locator("#own-list")).to_contain_text("not accepted")
