"""The queue in a browser: by keyboard and mouse, undo, blocks, and what comes in meanwhile."""

import re

import pytest
from axe import find_faults
from embedded_page import sign_in
from playwright.sync_api import expect
from support.many_submissions import add_submissions
from support.world import with_session

from embed.db.models import Submission

pytestmark = pytest.mark.browser

READ_PLACES = "(all) => all.map((one) => [one.id, one.getBoundingClientRect().top])"
NEWS = re.compile(r"/queue/news\?since=")
DECIDE, UNDO = "**/queue/decide*", "**/queue/undo*"
FIND_CUT = r"""() => {
  const faults = [], range = document.createRange();
  for (const one of document.querySelectorAll(".sections span:not(.pill), .item-head span")) {
    const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    while (one.checkVisibility() && texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/\S+/g)) {
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map(({top}) => Math.round(top)));
        if (lines.size > 1) faults.push(`broken: ${word[0]}`);
      }
    }
  }
  const [search, tabs] = ["[name=q]", ".tabs"].map((one) => document.querySelector(one));
  if (tabs.scrollWidth > tabs.clientWidth) faults.push("cut: tabs");
  search.value = search.placeholder;
  if (search.scrollWidth > search.clientWidth) faults.push(`cut: ${search.value}`);
  const column = document.querySelector(".item-head .held");
  range.selectNodeContents(column);
  const [text, box] = [range.getBoundingClientRect(), column.getBoundingClientRect()];
  const end = document.dir === "rtl" ? "left" : "right";
  if (Math.abs(text[end] - box[end]) > 1) faults.push("head is not above its figures");
  return faults;
}"""


class Queue:
    """The queue in the owner's browser, and what the database says of it."""

    def __init__(self, dashboard, page) -> None:
        self.dashboard, self.page = dashboard, page
        self.toast, self.rows = page.locator(".toast"), page.locator(".item:not([inert])")
        self.news, self.names = page.locator("#news"), self.rows.locator(".nickname")
        self._ids: list[str] = []

    def send(self, *nicknames: str) -> None:
        for nickname in nicknames:
            sent = self.dashboard.submit(with_session(self.dashboard), nickname)
            self._ids.append(sent.json["submissionId"])

    def open(self, query: str = "?order=oldest") -> None:
        sign_in(self.page, self.dashboard)
        self.page.goto(f"{self.dashboard.base}/queue{query}")

    def press(self, key: str) -> None:
        """Press a key that decides, or undoes, and wait for the answer."""
        with self.page.expect_response(UNDO if key == "u" else DECIDE):
            self.page.keyboard.press(key)

    def click(self, name: str, times: int = 1) -> None:
        with self.page.expect_response(UNDO if name == "Undo" else DECIDE):
            self.page.get_by_role("button", name=name).click(click_count=times)

    def find(self, nickname: str) -> Submission:
        return Submission.get(
            Submission.page == self.dashboard.page_id, Submission.nickname == nickname
        )

    def statuses(self) -> list[str]:
        """Return how what was sent stands, in the order in which it was sent."""
        return [Submission.get_by_id(one).status for one in self._ids]


@pytest.fixture
def queue(dashboard, page) -> Queue:
    return Queue(dashboard, page)


def isolate(name: str) -> str:
    return f"\u2068{name}\u2069"


def test_queue_is_reviewed_by_keyboard_alone(queue, page):
    queue.send("First", "Second", "Third")
    queue.open()

    for key in ("j", "o"):
        page.keyboard.press(key)
    expect(queue.rows.first.get_by_text("This wallet before")).to_be_visible()
    queue.press("a")
    expect(queue.toast).to_contain_text(f"Approved {isolate('First')}.")
    queue.press("r")
    expect(queue.toast).to_contain_text(f"Rejected {isolate('Second')}.")
    expect(page.get_by_role("link", name="Waiting")).to_have_text("Waiting 1")
    page.keyboard.press("R")
    expect(page.get_by_label("Reason the visitor sees")).to_be_focused()
    page.get_by_label("Reason the visitor sees").select_option("In my own words")
    page.get_by_label("Your own words").fill("Ask me first.")
    queue.press("Enter")
    expect(page.get_by_text("Nothing to review.")).to_be_visible()
    assert queue.statuses() == ["approved", "rejected", "rejected"]
    assert queue.find("Third").reason_text == "Ask me first."

    for left in (1, 2, 3):
        queue.press("u")
        expect(queue.rows).to_have_count(left)
    expect(queue.names).to_have_text(["First", "Second", "Third"])
    expect(queue.toast.get_by_role("status")).to_have_text(f"{isolate('First')} is waiting again.")
    assert set(queue.statuses()) == {"pending"}
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_keys_act_on_all_that_are_selected_until_escape_clears_them(queue, page):
    queue.send("First", "Second", "Third", "Fourth")
    queue.open()
    bar = page.locator("#many")
    for key in ("j", "x", "j", "x"):
        page.keyboard.press(key)
    expect(bar).to_contain_text("2 selected")
    page.keyboard.press("Escape")
    expect(bar).to_be_hidden()
    for key in ("X", "j", "X", "j"):  # the current one, the fourth, is not selected
        page.keyboard.press(key)
    expect(bar).to_contain_text("2 selected")
    queue.press("r")
    expect(queue.names).to_have_text(["First", "Fourth"])
    assert queue.statuses() == ["pending", "rejected", "rejected", "pending"]


def test_next_button_does_not_slide_under_the_finger(queue, page):
    queue.send("First", "Second", "Third")
    queue.open()
    places = page.locator(".item").evaluate_all(READ_PLACES)
    queue.click("Reject First")

    assert page.locator(".item").evaluate_all(READ_PLACES) == places
    expect(queue.names).to_have_text(["Second", "Third"])
    assert find_faults("decided", page) == []
    page.mouse.move(5, 5)
    expect(page.locator(".item")).to_have_count(2)
    queue.click("Approve Second")
    queue.click("Undo")
    expect(queue.names).to_have_text(["Second", "Third"])
    assert queue.statuses() == ["rejected", "pending", "pending"]


def test_queue_has_room_for_a_finger(queue, open_browser):
    phone = open_browser(has_touch=True, is_mobile=True, viewport={"width": 375, "height": 800})
    queue.send("First", "Second")
    queue.page = phone
    queue.open()
    phone.locator(".pick").first.tap()
    phone.get_by_role("button", name="More about First").tap()
    for target in phone.locator("main :is(button, select, .pick, .tabs a)").all():
        box = target.bounding_box()
        assert box is None or round(box["height"]) >= 44
    phone.locator(".decide > .approve").first.tap()
    phone.locator(".item[inert]").wait_for()
    assert find_faults("decided", phone) == []


def test_keyboard_goes_on_with_the_next_after_several_or_a_block(queue, page):
    queue.send("First", "Second", "Third")
    queue.open()
    several = page.get_by_role("button", name="Approve selected")
    expect(several).to_be_hidden()
    page.get_by_role("checkbox", name="First").check()
    several.press("Enter")
    expect(page.locator(".item:focus")).to_contain_text("Second")
    queue.press("b")
    expect(queue.toast).to_contain_text("Rejected and blocked")
    expect(page.locator(".item:focus")).to_contain_text("Third")


def test_enter_on_a_box_changes_nothing(dashboard, queue, page):
    queue.send("First")
    dashboard.track_many(1)
    queue.open()
    for view in ("queue", "wallets"):
        page.goto(f"{dashboard.base}/{view}")
        box = page.locator("[name=ids][type=checkbox], [name=wallet]")
        box.check()
        box.press("Enter")
        box.press("Space")  # is heard after it
        expect(box).not_to_be_checked()
    assert queue.statuses() == ["pending"]
    page.reload()
    expect(page.get_by_text("hidden", exact=True)).to_have_count(0)


def test_what_nothing_speaks_against_is_approved_at_once(queue, page):
    queue.send("First", "Second", "Same", "S.a.m.e")
    queue.open()
    panel = page.locator("#clear")
    page.get_by_role("button", name="Approve 2").click()
    expect(queue.toast).to_contain_text("Approved: 2.")
    assert queue.statuses() == ["approved", "approved", "pending", "pending"]
    expect(queue.names).to_have_text(["Same", "S.a.m.e"])
    queue.click("Undo")
    expect(panel).to_contain_text("2 have nothing against them")

    page.get_by_role("link", name="Look through").click()
    expect(queue.names).to_have_text(["First", "Second"])
    queue.click("Approve First")
    expect(panel).to_contain_text("1 has nothing against it")
    queue.click("Reject Second")
    expect(panel).to_be_hidden()
    queue.click("Undo")
    expect(panel.locator("[name=ids]")).to_have_count(1)


@pytest.mark.parametrize("language", ["de", "ru", "ar"])
def test_nothing_is_cut_or_leaves_the_card_and_the_count_is_beside_its_icon(
    queue, open_browser, language
):
    phone = open_browser(locale=language)
    queue.send("First", "Second", "Same", "S.a.m.e")
    queue.page = phone
    queue.open()
    for width in (1280, 1024, 768, 375, 320):
        phone.set_viewport_size({"width": width, "height": 800})
        card = phone.locator(".panel").bounding_box()
        for button in phone.locator(".item .decide > button").all():
            box = button.bounding_box()
            assert card["x"] < box["x"]
            assert box["x"] + box["width"] < card["x"] + card["width"]
        icon = phone.locator(".sections svg").first.bounding_box()
        count = phone.locator("#waiting-here").bounding_box()
        apart = max(count["x"] - icon["x"] - icon["width"], icon["x"] - count["x"] - count["width"])
        assert apart >= 0
        assert phone.evaluate("document.documentElement.scrollWidth") <= width
        assert phone.evaluate(FIND_CUT) == []


def test_double_click_decides_one_and_undoes_one(queue):
    queue.send("First", "Second", "Third")
    queue.open()
    queue.click("Approve First", times=2)
    queue.click("Approve Second", times=2)
    expect(queue.names).to_have_text(["Third"])
    queue.click("Undo", times=2)
    expect(queue.names).to_have_text(["Second", "Third"])
    assert queue.statuses() == ["approved", "pending", "pending"]


def test_second_tab_is_told_what_happened_and_what_it_decided_can_be_undone(queue, page):
    queue.send("Twice", "Other")
    queue.open()
    queue.dashboard.reject(queue.find("Twice").id)
    page.get_by_label("All on this screen").check()
    queue.click("Approve selected")

    row = queue.rows.filter(has_text="Twice")
    expect(row.locator(".problem")).to_contain_text("It is already rejected")
    expect(queue.toast).to_contain_text("It is already rejected")
    expect(row.get_by_role("button", name="Approve Twice")).to_have_count(0)
    page.route(UNDO, lambda route: route.abort())
    page.get_by_role("button", name="Undo").click()
    expect(queue.toast).to_contain_text("The service didn't answer.")
    page.unroute(UNDO)
    queue.click("Undo")
    assert queue.statuses() == ["rejected", "pending"]


def test_decision_that_does_not_arrive_brings_the_row_back(queue, page):
    queue.send("First", "Second", "Third")
    queue.open()

    page.route(DECIDE, lambda route: route.abort())
    page.get_by_role("button", name="Approve Second").click()
    expect(queue.rows.nth(1).locator(".problem")).to_contain_text("The service didn't answer.")
    page.unroute(DECIDE)
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.get_by_role("button", name="Approve First").click()
    expect(queue.rows.nth(0).locator(".problem")).to_contain_text("You're signed out")
    expect(queue.names).to_have_text(["First", "Second", "Third"])
    assert set(queue.statuses()) == {"pending"}

    page.context.add_cookies(cookies)
    queue.click("Approve Second")
    queue.click("Approve First")
    expect(queue.rows).to_have_count(1)
    assert queue.statuses() == ["approved", "approved", "pending"]


def test_long_queue_refills_and_a_range_is_selected_by_keys(dashboard, queue, page):
    ids = add_submissions(dashboard, 60)
    queue.open()
    for key in ("j", "x", *"j" * 34, "X"):
        page.keyboard.press(key)
    expect(page.locator("[data-selected]")).to_have_text("35")
    queue.click("Reject selected")

    expect(queue.rows).to_have_count(25)
    assert queue.rows.evaluate_all("(all) => all.map(({id}) => id.slice(-20))") == ids[35:]
    expect(page.locator("a[rel=next]")).to_have_count(0)
    expect(page.get_by_role("link", name="Waiting")).to_have_text("Waiting 25")


# It refreshes itself, and moves nothing by itself


@pytest.fixture
def wait(page):
    """Let twenty seconds pass, after which the queue asks what is new."""

    def forward() -> None:
        with page.expect_response(NEWS):
            page.clock.run_for(20_000)

    return forward


def test_new_submissions_are_counted_and_offered_and_nothing_else_changes(queue, page, wait):
    queue.send("First", "Second")
    page.clock.install()
    queue.open("")
    page.get_by_role("checkbox", name="First").check()
    page.get_by_role("button", name="Approve Second").focus()
    places = queue.rows.evaluate_all(READ_PLACES)
    queue.send("Third")
    wait()
    expect(page.get_by_role("status").filter(has_text="New")).to_have_text(
        "New submissions: 1. Show"
    )
    expect(page).to_have_title("(3) Queue · Dashboard")
    expect(page.locator("link[rel=icon]")).to_have_attribute("href", re.compile(r"/mark-waiting"))
    expect(page.locator("#waiting-here")).to_have_text("3")
    expect(page.get_by_role("link", name="Waiting")).to_have_text("Waiting 3")
    expect(page.get_by_role("checkbox", name="First")).to_be_checked()
    expect(page.get_by_role("button", name="Approve Second")).to_be_focused()
    assert queue.rows.evaluate_all(READ_PLACES) == places
    assert find_faults("queue", page) == []


def test_new_submissions_join_the_list_and_what_is_selected_stays(queue, page, wait):
    queue.send("First", "Second")
    page.clock.install()
    queue.open("")
    page.get_by_role("checkbox", name="First").check()
    queue.send("Third", "Fourth")
    wait()
    queue.news.get_by_role("link", name="Show").click()

    expect(queue.names).to_have_text(["Fourth", "Third", "Second", "First"])
    expect(page.get_by_role("checkbox", name="First")).to_be_checked()
    expect(page.locator("[data-selected]")).to_have_text("1")
    expect(queue.news).to_be_empty()
    expect(page.locator(".item:focus")).to_contain_text("Fourth")
    page.get_by_role("checkbox", name="Fourth").check()
    queue.click("Approve selected")
    expect(queue.rows).to_have_count(2)
    assert queue.statuses() == ["approved", "pending", "pending", "approved"]


def test_other_tabs_tell_what_is_new_and_ask_nothing_once_signed_out(queue, page, wait):
    page.clock.install()
    queue.open("?tab=decided&order=oldest")
    queue.send("First")
    wait()
    expect(page).to_have_title("(1) Queue: Decided · Dashboard")

    asked = []
    page.on("request", lambda request: NEWS.search(request.url) and asked.append(request.url))
    page.context.clear_cookies()
    wait()
    page.clock.run_for(120_000)
    assert len(asked) == 1


def test_keys_stay_switched_off_in_a_browser(queue, page):
    queue.send("Ann")
    queue.open()
    for is_on in (False, True):
        page.get_by_role("button", name="Keyboard shortcuts").click()
        page.get_by_label("On in this browser").set_checked(is_on)
        page.keyboard.press("Escape")
        page.reload()
        page.keyboard.press("j")
        expect(page.locator(".item:focus")).to_have_count(int(is_on))
