"""The dashboard's queue refreshes itself, and moves nothing by itself."""

import re

import pytest
from axe import find_faults
from embedded_page import sign_in
from playwright.sync_api import expect
from test_dashboard_in_browser import send

pytestmark = pytest.mark.browser

READ_PLACES = "(all) => all.map((one) => [one.id, one.getBoundingClientRect().top])"
NEWS = re.compile(r"/queue/news\?since=")


@pytest.fixture
def open_queue(dashboard, page):
    """Open the queue with a clock that the test moves: ``open_queue("?order=oldest")``."""

    def start(query: str = "") -> None:
        sign_in(page, dashboard)
        page.clock.install()
        page.goto(f"{dashboard.base}/queue{query}")

    return start


@pytest.fixture
def wait(page):
    """Let twenty seconds pass, after which the queue asks what is new."""

    def forward() -> None:
        with page.expect_response(NEWS):
            page.clock.run_for(20_000)

    return forward


def list_names(page) -> list[str]:
    return page.locator(".item .nickname").all_text_contents()


def test_new_submissions_are_counted_and_offered(dashboard, page, open_queue, wait):
    send(dashboard, "First")
    open_queue()
    expect(page).to_have_title("(1) Queue · Dashboard")
    send(dashboard, "Second")
    wait()
    expect(page.get_by_role("status").filter(has_text="New")).to_have_text(
        "New submissions: 1. Show"
    )
    expect(page).to_have_title("(2) Queue · Dashboard")
    expect(page.locator("#waiting-here")).to_have_text("2")
    expect(page.get_by_role("link", name="Waiting")).to_have_text("Waiting 2")
    send(dashboard, "Third")
    wait()

    expect(page.locator("#news")).to_have_text("New submissions: 2. Show")
    assert list_names(page) == ["First"]


def test_dot_and_count_appear_with_the_first_submission(dashboard, page, open_queue, wait):
    open_queue()
    icon, count = page.locator("link[rel=icon]"), page.locator("#waiting-here")
    expect(icon).to_have_attribute("href", re.compile(r"/mark\.svg$"))
    expect(count).to_be_hidden()
    visitor = send(dashboard, "First")
    wait()

    expect(icon).to_have_attribute("href", re.compile(r"/mark-waiting\.svg$"))
    expect(count).to_be_visible()
    dashboard.approve(dashboard.find_submission(visitor.address).id)
    wait()
    expect(icon).to_have_attribute("href", re.compile(r"/mark\.svg$"))
    expect(count).to_be_hidden()


def test_nothing_that_the_owner_does_is_lost(dashboard, page, open_queue, wait):
    send(dashboard, "First")
    send(dashboard, "Second")
    open_queue()
    page.get_by_role("checkbox", name="First").check()
    page.get_by_role("button", name="Approve Second").focus()
    places = page.locator(".item").evaluate_all(READ_PLACES)
    send(dashboard, "Third")
    wait()

    expect(page.locator("#news")).to_have_text("New submissions: 1. Show")
    expect(page.get_by_role("checkbox", name="First")).to_be_checked()
    expect(page.get_by_role("button", name="Approve Second")).to_be_focused()
    expect(page.locator("#news p")).to_be_in_viewport()
    assert page.locator(".item").evaluate_all(READ_PLACES) == places


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Fourth", "Third", "Second", "First"]),
        ("?order=oldest", ["First", "Second", "Third", "Fourth"]),
    ],
)
def test_new_submissions_join_the_list_and_what_is_selected_stays(
    dashboard, page, open_queue, wait, query, names
):
    first = send(dashboard, "First")
    send(dashboard, "Second")
    open_queue(query)
    page.get_by_role("checkbox", name="First").check()
    send(dashboard, "Third")
    fourth = send(dashboard, "Fourth")
    wait()
    page.locator("#news").get_by_role("link", name="Show").click()

    expect(page.locator(".item")).to_have_count(4)
    assert list_names(page) == names
    expect(page.get_by_role("checkbox", name="First")).to_be_checked()
    expect(page.locator("[data-selected]")).to_have_text("Selected: 1")
    expect(page.locator("#news")).to_be_empty()
    expect(page.locator(".item:focus")).to_contain_text(["Third", "Fourth"][query == ""])
    times = page.locator(".item time").all_text_contents()
    assert not [one for one in times if "UTC" in one]

    page.get_by_role("checkbox", name="Fourth").check()
    expect(page.locator("[data-selected]")).to_have_text("Selected: 2")
    with page.expect_response("**/queue/decide*"):
        page.get_by_role("button", name="Approve selected").click()
    expect(page.locator(".item")).to_have_count(2)
    states = {dashboard.find_submission(one.address).status for one in (first, fourth)}
    assert states == {"approved"}


def test_what_is_being_decided_neither_comes_back_nor_is_new(dashboard, page, open_queue, wait):
    send(dashboard, "First")
    open_queue("?order=oldest")
    show = page.locator("#news").get_by_role("link", name="Show")
    send(dashboard, "Second")
    wait()
    show.click()
    expect(page.locator(".item")).to_have_count(2)
    page.route("**/queue/decide*", lambda route: None)  # never answered
    for name in ("First", "Second"):
        page.get_by_role("button", name=f"Approve {name}").click()
    wait()
    expect(page.get_by_role("link", name="Waiting")).to_have_text("Waiting 2")
    expect(page.locator("#news")).to_be_empty()

    send(dashboard, "Third")
    wait()
    show.click()
    expect(page.locator(".item:focus")).to_contain_text("Third")
    assert list_names(page) == ["Third"]


def test_new_submission_is_reached_by_keyboard(dashboard, page, open_queue, wait):
    send(dashboard, "First")
    open_queue()
    second = send(dashboard, "Second")
    wait()
    page.locator("#news").get_by_role("link", name="Show").press("Enter")
    expect(page.locator(".item:focus")).to_contain_text("Second")
    page.keyboard.press("j")
    expect(page.locator(".item:focus")).to_contain_text("First")
    page.keyboard.press("k")
    with page.expect_response("**/queue/decide*"):
        page.keyboard.press("a")

    expect(page.locator(".toast")).to_contain_text("Approved \u2068Second\u2069.")
    assert dashboard.find_submission(second.address).status == "approved"


def test_empty_queue_leads_to_what_is_new(dashboard, page, open_queue, wait):
    open_queue()
    expect(page).to_have_title("Queue · Dashboard")
    send(dashboard, "First")
    wait()
    page.locator("#news").get_by_role("link", name="Show").click()

    expect(page.locator(".item")).to_have_count(1)
    expect(page.locator("#news")).to_be_empty()


def test_other_tabs_lead_to_what_is_new(dashboard, page, open_queue, wait):
    open_queue("?tab=decided&order=oldest")
    send(dashboard, "First")
    wait()
    expect(page).to_have_title("(1) Queue: Decided · Dashboard")
    page.locator("#news").get_by_role("link", name="Show").click()

    expect(page).to_have_url(f"{dashboard.base}/queue")
    expect(page.locator(".item")).to_have_count(1)


def test_what_was_decided_elsewhere_is_not_new(dashboard, page, open_queue, wait):
    open_queue()
    visitor = send(dashboard, "First")
    wait()
    expect(page.locator("#news")).to_have_text("New submissions: 1. Show")
    dashboard.reject(dashboard.find_submission(visitor.address).id)
    wait()

    expect(page.locator("#news")).to_be_empty()
    expect(page).to_have_title("Queue · Dashboard")


def test_signed_out_meanwhile_it_stops_quietly(dashboard, page, open_queue, wait):
    send(dashboard, "First")
    open_queue()
    asked = []
    page.on("request", lambda request: NEWS.search(request.url) and asked.append(request.url))
    page.context.clear_cookies()
    wait()
    page.clock.run_for(120_000)

    assert len(asked) == 1
    assert list_names(page) == ["First"]
    expect(page).to_have_url(f"{dashboard.base}/queue")


def test_failing_server_is_asked_less_often_and_again(dashboard, page, open_queue, wait):
    open_queue()
    page.route(NEWS, lambda route: route.fulfill(status=503, body="away"))
    wait()
    asked = []
    page.on("request", lambda request: NEWS.search(request.url) and asked.append(request.url))
    page.clock.run_for(30_000)
    assert asked == []
    page.unroute(NEWS)
    send(dashboard, "First")
    with page.expect_response(NEWS):
        page.clock.run_for(11_000)

    expect(page.locator("#news")).to_have_text("New submissions: 1. Show")


def test_axe_finds_nothing_and_nothing_is_cut_off(dashboard, page, open_queue, wait):
    send(dashboard, "First")
    open_queue()
    send(dashboard, "Second")
    wait()
    expect(page.locator("#news")).to_have_text("New submissions: 1. Show")

    assert find_faults("queue", page) == []
