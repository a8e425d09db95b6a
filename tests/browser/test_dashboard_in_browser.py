"""The owner's dashboard in a real browser: signing in, reviewing, keys, policy, preview."""

import itertools
import re

import pytest
from axe import find_faults
from embedded_page import sign_in, sign_in_by_form
from playwright.sync_api import expect
from support.many_submissions import add_submissions
from support.owner_browser import PASSWORD
from support.world import Visitor

from embed.db.models import Delivery, Receiver
from embed.domain.clients import Client
from embed.events.messages import send_messages
from embed.notifications import receivers
from embed.people import sessions
from embed.runtime import EXTENSION

pytestmark = pytest.mark.browser

VIEWS = ("queue", "queue?tab=decided", "queue?tab=turned-away", "wallets", "wallets/new",
         "wallets/import", "wallets/suggestions", "tags", "keys", "keys/new/public", "policy",
         "embed", "activity", "settings", "notifications", "notifications/log",
         "notifications/channels/new", "notifications/webhooks/new")  # fmt: skip


def send(embedded_page, nickname: str) -> Visitor:
    visitor = Visitor()
    assert embedded_page.submit(visitor, nickname).status_code == 201
    return visitor


def isolate(name: str) -> str:
    return f"\u2068{name}\u2069"


def status_of(embedded_page, visitor: Visitor) -> str:
    return embedded_page.find_submission(visitor.address).status


def test_owner_goes_from_link_to_snippet(page, embedded_page):
    email = "new-owner@example.com"
    answer = embedded_page.app.test_cli_runner().invoke(args=["owners", "create", email])
    link = re.search(r"/dashboard/password/\S+", answer.output)[0]

    page.goto(embedded_page.service_url + link)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the new password").fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    page.get_by_role("link", name="Create the first page").click()
    page.get_by_label("Token name").fill("USD Coin")
    page.get_by_label("Ticker").fill("USDC")
    page.get_by_label("Mint address").fill("EPjFWdD5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
    page.get_by_role("button", name="Save").click()
    page.get_by_label("Address of your site").fill("https://www.example.com/")
    page.get_by_role("button", name="Create a key and its snippet").click()

    expect(page.locator("#new-key")).to_have_text(re.compile("^svc_pub_[0-9A-Za-z]{32}$"))
    key = page.locator("#new-key").inner_text()
    expect(page.locator("#snippet")).to_contain_text(key)
    page.get_by_role("link", name="I have copied it").click()
    assert key not in page.content()
    expect(page.get_by_text("https://www.example.com", exact=True)).to_be_visible()


def test_owner_is_told_how_each_site_will_be_kept(dashboard, page):
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/keys/new/public")
    page.get_by_label("Sites").fill(
        "https://fine.example\nHTTPS://Shop.Example:443/cart\nhttp://1.2.3\nhttps://a@b.example\nc.example"
    )

    expect(page.locator("#origins-advice li")).to_have_text(
        [
            "HTTPS://Shop.Example:443/cart: kept as https://shop.example"
            ": a path does not count, so the whole site may use the key",
            "http://1.2.3: browsers write this IP address as http://1.2.0.3 Write http://1.2.0.3",
            "https://a@b.example: this is no address of a site;"
            " write scheme, host and, where needed, port",
            "c.example: the scheme is missing; write the site as the address bar shows it"
            " Write https://c.example",
        ]
    )
    page.get_by_role("button", name="Write https://c.example").click()
    expect(page.locator("#origins-advice li")).to_have_count(3)
    assert page.get_by_label("Sites").input_value().endswith("b.example\nhttps://c.example")


def test_queue_is_reviewed_by_keyboard_alone(dashboard, page):
    visitors = [send(dashboard, name) for name in ("First", "Second", "Third")]
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue?order=oldest")
    toast, rows = page.locator(".toast"), page.locator(".item")

    for key in ("j", "o"):
        page.keyboard.press(key)
    expect(rows.first.get_by_text("This wallet before")).to_be_visible()
    for key, said in (
        ("a", f"Approved {isolate('First')}."),
        ("r", f"Rejected {isolate('Second')}."),
    ):
        with page.expect_response("**/queue/decide*"):
            page.keyboard.press(key)
        expect(toast).to_contain_text(said)
    expect(page.get_by_role("link", name="Waiting")).to_have_text("Waiting 1")
    page.keyboard.press("R")
    expect(page.get_by_label("Tell the visitor why")).to_be_focused()
    page.get_by_label("Tell the visitor why").select_option("In my own words")
    page.get_by_label("Your own words").fill("Ask me first.")
    with page.expect_response("**/queue/decide*"):
        page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()
    assert [status_of(dashboard, one) for one in visitors] == ["approved", "rejected", "rejected"]
    assert dashboard.find_submission(visitors[2].address).reason_text == "Ask me first."

    for left in (1, 2, 3):
        with page.expect_response("**/queue/undo*"):
            page.keyboard.press("u")
        expect(rows).to_have_count(left)
    expect(rows.locator(".nickname")).to_have_text(["First", "Second", "Third"])
    expect(toast.get_by_role("status")).to_have_text(f"{isolate('First')} waits again.")
    assert {status_of(dashboard, one) for one in visitors} == {"pending"}
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


def test_undo_outlasts_its_notice_and_the_page(dashboard, page):
    visitors = [send(dashboard, name) for name in ("Hasty", "Quick")]
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue")
    page.clock.install()
    for name in ("Hasty", "Quick"):
        with page.expect_response("**/queue/decide*"):
            page.get_by_role("button", name=f"Approve {name}").click()
    expect(page.locator(".toast")).to_contain_text(f"Approved {isolate('Quick')}.")
    page.clock.run_for(11_000)
    expect(page.locator(".toast")).to_be_hidden()

    page.reload()
    for count in (1, 2):
        page.keyboard.press("u")
        expect(page.locator(".item")).to_have_count(count)
    assert {status_of(dashboard, visitor) for visitor in visitors} == {"pending"}


def test_many_are_approved_at_once(dashboard, page):
    sent = [send(dashboard, f"Visitor {number}") for number in range(3)]
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue")

    expect(page.get_by_role("button", name="Approve selected")).to_be_hidden()
    page.get_by_label("All on this screen").check()
    with page.expect_response("**/queue/decide*"):
        page.get_by_role("button", name="Approve selected").click()

    expect(page.get_by_text("Nothing is waiting for you.")).to_be_visible()
    assert {status_of(dashboard, visitor) for visitor in sent} == {"approved"}
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".item")).to_have_count(3)
    assert {status_of(dashboard, visitor) for visitor in sent} == {"pending"}


def test_keyboard_that_approved_a_few_goes_on_with_the_next(dashboard, page):
    for name in ("First", "Second", "Third"):
        send(dashboard, name)
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue?order=oldest")
    page.get_by_role("checkbox", name="First").check()
    page.get_by_role("button", name="Approve selected").press("Enter")
    expect(page.locator(".item:focus")).to_contain_text("Second")


def test_enter_on_a_box_changes_nothing(dashboard, page):
    visitor = send(dashboard, "First")
    dashboard.track_many(1)
    sign_in(page, dashboard)
    for view in ("queue", "wallets"):
        page.goto(f"{dashboard.base}/{view}")
        box = page.locator("[name=ids][type=checkbox], [name=wallet]")
        box.check()
        box.press("Enter")
        box.press("Space")  # is heard after it
        expect(box).not_to_be_checked()
    assert status_of(dashboard, visitor) == "pending"
    page.reload()
    expect(page.get_by_text("hidden", exact=True)).to_have_count(0)


def test_double_click_decides_one_and_undoes_one(dashboard, page):
    visitors = [send(dashboard, name) for name in ("First", "Second", "Third")]
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue?order=oldest")
    for name in ("First", "Second"):
        with page.expect_response("**/queue/decide*"):
            page.get_by_role("button", name=f"Approve {name}").dblclick()
    expect(page.locator(".item .nickname")).to_have_text(["Third"])
    with page.expect_response("**/queue/undo*"):
        page.get_by_role("button", name="Undo").dblclick()
    expect(page.locator(".item .nickname")).to_have_text(["Second", "Third"])
    states = [status_of(dashboard, visitor) for visitor in visitors]
    assert states == ["approved", "pending", "pending"]


def test_second_tab_is_told_what_happened(dashboard, page):
    visitor = send(dashboard, "Twice")
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue")
    dashboard.reject(dashboard.find_submission(visitor.address).id)

    page.get_by_role("button", name="Approve Twice").click()

    row = page.locator(".item")
    expect(row.locator(".problem")).to_contain_text("It is already rejected")
    expect(page.locator(".toast")).to_contain_text(f"{isolate('Twice')}: It is already rejected")
    expect(row.get_by_role("button", name="Approve Twice")).to_have_count(0)
    assert status_of(dashboard, visitor) == "rejected"


def test_what_was_decided_beside_others_can_be_undone_by_mouse_and_tried_again(dashboard, page):
    visitors = [send(dashboard, name) for name in ("First", "Second")]
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue?order=oldest")
    dashboard.reject(dashboard.find_submission(visitors[0].address).id)
    page.get_by_label("All on this screen").check()
    page.get_by_role("button", name="Approve selected").click()
    toast, undo = page.locator(".toast"), page.get_by_role("button", name="Undo")
    expect(toast).to_contain_text("It is already rejected")

    page.route("**/queue/undo*", lambda route: route.abort())
    undo.click()
    expect(toast).to_contain_text("The service did not answer.")
    page.unroute("**/queue/undo*")
    undo.click()
    expect(toast).to_contain_text(f"{isolate('Second')} waits again.")
    assert status_of(dashboard, visitors[1]) == "pending"


def test_undo_of_a_decision_that_does_not_arrive_leaves_the_one_before(dashboard, page):
    for name in ("First", "Second", "Third"):
        send(dashboard, name)
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue?order=oldest")
    for name in ("First", "Second"):
        with page.expect_response("**/queue/decide*"):
            page.get_by_role("button", name=f"Approve {name}").click()
    held = []
    page.route("**/queue/decide*", lambda route: held.append(route))
    page.get_by_role("button", name="Approve Third").click()
    page.keyboard.press("u")
    held[0].abort()
    expect(page.locator(".item .problem")).to_contain_text("The service did not answer.")
    with page.expect_response("**/queue/undo*"):
        page.keyboard.press("u")
    page.reload()
    expect(page.locator(".item .nickname")).to_have_text(["Second", "Third"])


def test_answer_that_was_cut_off_is_told_in_a_sentence(dashboard, page):
    send(dashboard, "First")
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue")
    cut_off = {"content_type": "application/json", "body": '{"unchanged"'}
    page.route("**/queue/decide*", lambda route: route.fulfill(**cut_off))
    page.get_by_role("button", name="Approve First").click()
    expect(page.locator(".problem")).to_have_text("The service could not do this. Try again later.")


def test_decision_that_does_not_arrive_brings_the_row_back(dashboard, page):
    visitors = [send(dashboard, name) for name in ("First", "Second", "Third")]
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue?order=oldest")
    rows = page.locator(".item")

    page.route("**/queue/decide*", lambda route: route.abort())
    page.get_by_role("button", name="Approve Second").click()
    expect(rows.nth(1).locator(".problem")).to_contain_text("The service did not answer.")
    page.unroute("**/queue/decide*")
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.get_by_role("button", name="Approve First").click()
    expect(rows.nth(0).locator(".problem")).to_contain_text("You are signed out.")
    expect(rows.locator(".nickname")).to_have_text(["First", "Second", "Third"])
    assert {status_of(dashboard, one) for one in visitors} == {"pending"}

    page.context.add_cookies(cookies)
    for name in ("Second", "First"):
        with page.expect_response("**/queue/decide*"):
            page.get_by_role("button", name=f"Approve {name}").click()
    expect(rows).to_have_count(1)
    assert [status_of(dashboard, one) for one in visitors] == ["approved", "approved", "pending"]


def test_decision_arrives_after_signing_in_again_in_another_tab(dashboard, page):
    visitors = [send(dashboard, name) for name in ("First", "Second")]
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue?order=oldest")
    page.context.clear_cookies()
    page.get_by_role("button", name="Approve First").click()
    expect(page.locator(".item .problem")).to_contain_text("Sign in in another tab")
    sign_in_by_form(page.context.new_page(), dashboard)

    for name in ("First", "Second"):
        page.get_by_role("button", name=f"Approve {name}").click()
        expect(page.locator(".toast")).to_contain_text(f"Approved {isolate(name)}.")

    expect(page.get_by_role("link", name="Waiting")).to_have_text("Waiting 0")
    assert {status_of(dashboard, visitor) for visitor in visitors} == {"approved"}


def test_undo_whose_answer_is_lost_shows_the_row_when_it_is_tried_again(dashboard, page):
    visitor = send(dashboard, "Lost")
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue")
    with page.expect_response("**/queue/decide*"):
        page.get_by_role("button", name="Approve Lost").click()

    def lose_answer(route) -> None:
        route.fetch()
        route.abort()

    page.route("**/queue/undo*", lose_answer)
    page.keyboard.press("u")
    expect(page.locator(".toast")).to_contain_text("The service did not answer.")
    assert status_of(dashboard, visitor) == "pending"
    page.unroute("**/queue/undo*")
    page.keyboard.press("u")

    expect(page.locator(".toast")).to_contain_text(f"{isolate('Lost')} waits again.")
    expect(page.locator(".item .nickname")).to_have_text("Lost")


def test_long_queue_refills_and_a_range_is_selected_by_keys(dashboard, page):
    ids = add_submissions(dashboard, 60)
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue?order=oldest")
    rows = page.locator(".item")
    for key in ("j", "x", *"j" * 44, "X"):
        page.keyboard.press(key)
    expect(page.locator("[data-selected]")).to_have_text("Selected: 45")
    with page.expect_response("**/queue/decide*"):
        page.get_by_role("button", name="Reject selected").click()

    expect(rows).to_have_count(15)
    assert rows.evaluate_all("(all) => all.map(({id}) => id.slice(-20))") == ids[45:]
    expect(page.locator("a[rel=next]")).to_have_count(0)
    expect(page.get_by_role("link", name="Waiting")).to_have_text("Waiting 15")


def test_queue_is_not_called_empty_while_its_next_part_cannot_be_read(dashboard, page):
    add_submissions(dashboard, 60)
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue")
    page.route("**/queue?*after=*", lambda route: route.abort())
    page.get_by_label("All on this screen").check()
    with page.expect_event("requestfailed"):
        page.get_by_role("button", name="Approve selected").click()

    expect(page.locator(".item")).to_have_count(0)
    expect(page.get_by_text("Nothing is waiting for you.")).to_be_hidden()
    expect(page.locator("a[rel=next]")).to_be_visible()


def test_doctor_shows_a_refused_site_and_lets_it_in(dashboard, page):
    key = dashboard.make_key("public", origins=["https://www.example.com"])
    site = {"Origin": "https://shop.example.com"}
    assert dashboard.read(key=key, headers=site).status_code == 403
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/keys")

    page.get_by_role("button", name="Allow https://shop.example.com").click()

    expect(page.locator(".flash.done")).to_be_visible()
    assert dashboard.read(key=key, headers=site).status_code == 200


def test_wallets_go_out_and_in_as_csv(dashboard, page, tmp_path):
    dashboard.track_many(3, alias="=cmd()", balance=7)
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/wallets")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    path = tmp_path / "wallets.csv"
    download.value.save_as(path)
    text = path.read_text(encoding="utf-8-sig")
    assert text.count("'=cmd()") == 3

    path.write_text(text.replace("'=cmd()", "Renamed"), encoding="utf-8")
    page.get_by_role("link", name="Import").click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name=re.compile("check", re.IGNORECASE)).click()
    page.get_by_role("button", name=re.compile("^(apply|import)", re.IGNORECASE)).click()

    expect(page.get_by_role("link", name="Renamed")).to_have_count(3)


def test_policy_is_previewed_before_it_is_saved(dashboard, page):
    send(dashboard, "Curious")
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/policy")
    page.get_by_label(re.compile("approve", re.IGNORECASE)).first.check()
    page.get_by_role("button", name="Preview").click()

    expect(page.get_by_text("1 of the last 1")).to_be_visible()
    assert dashboard.page.auto_approve is False
    page.get_by_role("button", name="Save this policy").click()
    expect(page.locator(".flash.done")).to_be_visible()
    assert dashboard.page.auto_approve is True


def test_preview_shows_the_real_widget(dashboard, page):
    dashboard.track_many(2)
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/embed")
    widget = page.frame_locator("iframe")

    expect(widget.get_by_text("Wallet 1", exact=True)).to_be_visible()
    expect(widget.locator("#widget[data-ready]")).to_be_visible()


@pytest.fixture
def full_dashboard(dashboard):
    dashboard.configure(public_title="A title", min_balance=1, trust_after=2)
    for color in ("blue", "green", "red", "yellow"):
        dashboard.add_tag(f"tag {color}", color)
    dashboard.track_many(5, tag_names=["tag blue", "tag red"])
    dashboard.configure(min_balance=0)
    decided = [send(dashboard, f"Visitor {number}") for number in range(3)]
    dashboard.approve(dashboard.find_submission(decided[0].address).id)
    dashboard.reject(dashboard.find_submission(decided[1].address).id)
    dashboard.configure(min_balance=1)
    add_receivers(dashboard)
    return dashboard


def add_receivers(dashboard) -> None:
    """Add a channel and a webhook that fails, with messages in every state."""
    settings = dashboard.app.extensions[EXTENSION].settings
    now = dashboard.clock()
    how = {"settings": settings, "now": now}
    receivers.add_channel(dashboard.page_id, "ntfy", {"topic": "my-topic"}, **how)
    url = f"https://{'very-long-name.' * 8}example/hook"
    webhook = receivers.add_webhook(dashboard.page_id, url, **how)
    receivers.rotate_secret(webhook.id, now)
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


def test_every_page_is_accessible_and_narrow(full_dashboard, page):
    page.goto(f"{full_dashboard.service_url}/dashboard/sign-in")
    found = find_faults("sign-in", page)
    sign_in(page, full_dashboard)
    page.goto(f"{full_dashboard.service_url}/dashboard/")
    found += find_faults("pages", page)
    for view in VIEWS:
        assert page.goto(f"{full_dashboard.base}/{view}").ok, view
        found += find_faults(view, page)
    page.goto(f"{full_dashboard.base}/policy")
    page.get_by_role("button", name="Preview").click()
    found += find_faults("policy preview", page)
    for user_agent in ("Android SamsungBrowser/28.0", ""):  # signed in elsewhere, too
        client = Client.parse(user_agent, "2001:db8:1234:5::1")
        sessions.begin(full_dashboard.owner, full_dashboard.clock(), client)
    page.goto(f"{full_dashboard.service_url}/dashboard/account")
    expect(page.get_by_role("button", name="Sign out Samsung Internet on Android")).to_be_visible()
    found += find_faults("account", page)
    assert found == []


def test_forms_of_a_receiver_are_accessible_and_narrow(full_dashboard, page):
    webhook = receivers.list_receivers(full_dashboard.page_id, "webhook")[0]
    sign_in(page, full_dashboard)
    base = f"{full_dashboard.base}/notifications"
    found = []
    for path in (f"{webhook.id}/remove", f"{webhook.id}/secret", f"log?receiver={webhook.id}"):
        page.goto(f"{base}/{path}")
        found += find_faults(path, page)
    page.locator("details summary").first.click()
    found += find_faults("data of a message", page)
    page.goto(f"{base}/channels/new")
    page.get_by_role("textbox", name="E-mail address").fill("nonsense")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#address-wrong")).to_be_visible()
    found += find_faults("a mistake", page)
    page.goto(f"{base}/webhooks/new")
    page.get_by_role("textbox", name="Address").fill("https://hooks.example/")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#secret")).to_contain_text("whsec_")
    found += find_faults("a secret", page)
    assert found == []


def test_receivers_work_without_javascript(dashboard, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in_by_form(page, dashboard)
    page.goto(f"{dashboard.base}/queue")
    page.get_by_role("link", name="Notifications").click()
    page.get_by_role("link", name="Add a channel").click()
    expect(page.get_by_role("textbox", name="Topic")).to_be_hidden()
    page.get_by_label("Service").select_option("ntfy")
    expect(page.get_by_role("textbox", name="E-mail address")).to_be_hidden()
    page.get_by_role("textbox", name="Topic").fill("my-topic")
    page.get_by_label("Decision on a submission").check()
    page.get_by_role("button", name="Add").click()
    expect(page.locator(".flash.done")).to_contain_text("has been added")
    page.get_by_role("button", name="Send a test").click()
    expect(page.locator(".deliveries li")).to_have_count(1)
    page.goto(f"{dashboard.base}/notifications")
    page.get_by_role("link", name="Remove").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.locator(".card")).to_have_count(0)
    context.close()


def test_review_works_without_javascript(dashboard, browser):
    visitor = send(dashboard, "Plain")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, dashboard)
    page.goto(f"{dashboard.base}/queue")
    page.get_by_role("button", name="Approve Plain").click()

    assert status_of(dashboard, visitor) == "approved"
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".item")).to_have_count(1)
    context.close()
