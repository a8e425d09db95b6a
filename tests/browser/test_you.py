"""You: the visitor's own rows above the list, their menus, and what the search offers."""

from datetime import timedelta

import pytest
from embedded_page import frame_of, read_text, submit
from playwright.sync_api import expect
from support.world import Visitor

from embed.db.models import Submission
from embed.domain.reasons import parse_reason
from embed.keys import derived

pytestmark = pytest.mark.browser


@pytest.fixture
def send(embedded_page, context, page, browser_wallet):
    """Return how to send a wallet in the session of the visitor, who has one in the browser."""
    context.clock.install()
    embedded_page.open(page)
    context.add_init_script(browser_wallet.script())
    (cookie,) = context.cookies(f"{embedded_page.service_url}/embed/")

    def send_one(name: str, key=None) -> str:
        visitor = Visitor(key) if key else Visitor()
        visitor.cookie = cookie["value"]
        return embedded_page.submit(visitor, name).json["submissionId"]

    return send_one


def reload(page):
    page.reload()
    widget = page.frame_locator("iframe")
    widget.locator("#widget[data-ready]").wait_for()
    return widget


def press_in_menu(row, name: str) -> None:
    row.locator("summary").click()
    row.get_by_text(name, exact=True).click()


def test_place_and_balance_follow_the_list_and_lead_to_the_row(
    embedded_page, page, browser_wallet, send
):
    embedded_page.track_many(40)
    embedded_page.approve(send("Lucky Larry", browser_wallet.key))
    widget = reload(page)
    row = widget.locator("#own-list > li")
    expect(row.locator(".line-1")).to_have_text("Lucky Larry proved You")
    expect(row.locator(".balance")).to_be_empty()  # what it holds is unknown

    embedded_page.observe(browser_wallet.address, "30.5")
    embedded_page.forward(page, "05:00")
    expect(row.locator(".line-2")).to_have_text("#11 of 41")
    expect(row.locator(".balance")).to_have_text("30.5")
    expect(widget.locator("#wallets .wallet")).to_have_count(25)  # it is not among these
    row.get_by_role("link", name="Lucky Larry").click()
    expect(widget.locator("#wallets .wallet.mine")).to_be_focused()
    expect(widget.locator("#wallets .wallet.mine")).to_contain_text("You")


NEWS = """() => new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const row of addedNodes) if (row.ariaLive !== "off") news.push(row.dataset.status);
  }
}).observe(document.querySelector("#own-list"), { childList: true })"""


def test_news_is_read_out_once(embedded_page, context, page, browser_wallet):
    """What is sent, and its approval: not again as receipt and place come to be known."""
    embedded_page.track_many(40)
    context.clock.install()
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    frame = frame_of(page, embedded_page.service_url)
    frame.evaluate(f"window.news = []; ({NEWS})()")

    submit(widget, "Lucky Larry")
    row = widget.locator("#own-list > li")
    row.locator("[data-act=receipt]").wait_for(state="attached")
    expect(row.locator("li:not([hidden]) > [data-act=receipt]")).to_have_count(1)
    assert frame.evaluate("news") == ["pending"]
    expect(widget.get_by_text("You'll see the answer here")).to_have_count(1)
    embedded_page.approve(embedded_page.find_submission(browser_wallet.address).id)
    embedded_page.forward(page, "00:11")
    expect(row.locator(".line-1")).to_contain_text("You")
    assert frame.evaluate("news") == ["pending", "approved"]


def test_what_waits_comes_first_and_the_rest_on_demand(embedded_page, page, send):
    _, *others = [send(name) for name in ("Oldest", "Second", "Third", "Fourth", "Newest")]
    for one in others:
        embedded_page.approve(one)
    widget = reload(page)
    names = widget.locator("#own-list > li:visible :is(a[data-act=show], strong[title])")
    expect(names).to_have_text(["Oldest", "Newest", "Fourth"])
    more = widget.get_by_role("button", name="Show all")
    more.click()

    expect(names).to_have_text(["Oldest", "Newest", "Fourth", "Third", "Second"])
    expect(widget.locator("#own-list > li").nth(3)).to_be_focused()
    expect(more).to_be_hidden()


def test_refusal_replaces_list_and_own_rows(embedded_page, page, browser_wallet, send):
    send("Lucky Larry", browser_wallet.key)
    widget = reload(page)
    expect(widget.locator("#own-list > li")).to_be_visible()

    embedded_page.revoke(embedded_page.key)
    embedded_page.forward(page, "00:11")

    expect(widget.locator("h1")).to_have_text("The owner no longer shows this list here.")
    expect(widget.locator("#own, #wallets")).to_have_count(0)


def test_card_is_shared_from_the_row(embedded_page, context, page, browser_wallet, send):
    embedded_page.approve(send("Lucky Larry", browser_wallet.key))
    derived.share_page(embedded_page.page_id, embedded_page.change())
    row = reload(page).locator("#own-list > li")
    row.get_by_role("button", name="Share my card").click()
    expect(row.get_by_role("button", name="Copied")).to_be_visible()
    context.grant_permissions(["clipboard-read"], origin=embedded_page.host.origin)
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{embedded_page.service_url}/embed/page/{embedded_page.page_id}/")


def test_hidden_row_stays_away_and_the_row_in_the_list_stays_marked(
    embedded_page, page, browser_wallet, send
):
    embedded_page.approve(send("Lucky Larry", browser_wallet.key))
    widget = reload(page)
    own = widget.locator("#own-list > li")
    own.locator("summary").click()
    own.locator("summary").press("Escape")
    expect(own.get_by_text("Hide this row")).to_be_hidden()
    expect(own.locator("summary")).to_be_focused()
    press_in_menu(own, "Withdraw")
    expect(widget.locator("[data-show=wanted]")).to_have_text(browser_wallet.address)
    widget.get_by_role("button", name="Test wallet").click()
    assert "to withdraw it from a page" in read_text(widget)
    press_in_menu(own, "Hide this row")

    expect(own).to_have_count(0)
    expect(widget.locator("#wallets .wallet")).to_be_focused()
    for _ in range(2):
        expect(widget.locator("#own")).to_be_hidden()
        expect(widget.locator("#wallets .wallet.mine")).to_be_visible()
        reload(page)


def test_rejected_wallet_is_sent_again_with_its_name(embedded_page, page, browser_wallet, send):
    embedded_page.configure(cooldown_s=60)
    sent = send("Old Salt", browser_wallet.key)
    embedded_page.reject(sent, reason=parse_reason("Please add a number."))
    widget = reload(page)
    row = widget.locator("#own-list > li")
    expect(row.locator("q")).to_have_text("Please add a number.")
    expect(row).to_contain_text("You can send it again in")
    expect(row.get_by_role("button", name="Try again")).to_be_hidden()
    widget.get_by_role("button", name="Add your wallet").click()
    widget.get_by_role("button", name="Test wallet").click()  # which is told before it signs
    expect(widget.get_by_role("alert")).to_contain_text("This wallet was rejected a while ago.")
    expect(widget.locator("[data-problem] button:visible")).to_have_text(["Use another wallet"])
    decided_at = embedded_page.clock() - timedelta(seconds=56)
    Submission.update(decided_at=decided_at).where(Submission.id == sent).execute()
    reload(page)

    expect(row).not_to_contain_text("You can send it again in", use_inner_text=True)  # in seconds
    row.get_by_role("button", name="Try again").click()
    widget.get_by_role("button", name="Test wallet").click()
    expect(widget.get_by_label("Name to show")).to_have_value("Old Salt")
    widget.get_by_label("Name to show").fill("Old Salt 2")
    widget.get_by_role("button", name="Continue", exact=True).click()
    widget.get_by_role("button", name="Sign with").click()

    expect(row).to_contain_text("Old Salt 2 waiting for review")
    expect(row).to_have_count(1)


HITS = """() => [...document.querySelectorAll("button, .button, summary, input, select")]
  .filter((one) => one.checkVisibility({visibilityProperty: true}))
  .flatMap((one) => {
    one.scrollIntoView({block: "center"});
    const { x, y, width, height } = one.getBoundingClientRect();
    const missed = [[0, -21], [0, 21]].filter(([right, down]) => {
      const hit = document.elementFromPoint(x + width / 2 + right, y + height / 2 + down);
      return !one.contains(hit) && !(one.closest("label")?.contains(hit));
    });
    return missed.length ? [`${one.outerHTML.slice(0, 80)} ${height}`] : [];
  })"""


def test_everything_under_a_finger_is_44_pixels_high(embedded_page, open_browser):
    embedded_page.add_tag("team", "blue")
    embedded_page.track_many(30, tag_names=["team"])
    page = open_browser(has_touch=True, is_mobile=True, viewport={"width": 360, "height": 740})
    page.goto(embedded_page.widget_url())
    (cookie,) = page.context.cookies(f"{embedded_page.service_url}/embed/")
    visitor = Visitor()
    visitor.cookie = cookie["value"]
    embedded_page.approve(embedded_page.submit(visitor, "Night heron").json["submissionId"])
    page.reload()
    page.locator("#widget[data-ready]").wait_for()
    expect(page.locator("#own-list > li")).to_have_count(1)
    page.locator("#wallets summary").first.tap()
    page.locator(".loaded dl").wait_for()
    small = page.evaluate(HITS)
    page.locator("#add").tap()
    page.locator("[data-do=enter-address]").wait_for(state="attached")

    assert small + page.evaluate(HITS) == []
