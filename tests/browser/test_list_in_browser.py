"""The list: searching, sorting, copying, polling, and escaping of visitors' text."""

from datetime import timedelta

import pytest
from embedded_page import BrowserWallet, frame_of, submit
from playwright.sync_api import expect

from embed.db.connection import db
from embed.db.models import Balance, Submission, Wallet
from embed.domain.identifiers import make_id

pytestmark = pytest.mark.browser

READ = "**/embed/api/tracking/*"
DETAILS = "**/embed/tracking/*/wallets/*"


@pytest.fixture
def names(embedded_page):
    """The names in the list, from the top."""
    # Not their inner texts: a row that has just moved is not rendered until the next frame.
    return lambda widget: widget.locator("#wallets .name").all_text_contents()


def test_search_finds_names_and_addresses(embedded_page, page):
    addresses = embedded_page.track_many(12)
    widget = embedded_page.open(page)
    rows, search = widget.locator("#wallets .wallet"), widget.get_by_role("searchbox")

    search.fill("wALLet 1")
    expect(rows).to_have_count(4)  # 1, 10, 11 and 12
    expect(widget.locator("#state")).to_have_text("4 of 12 wallets")
    search.fill(addresses[6][5:20])
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("Wallet 7")
    search.fill("nobody")
    expect(widget.locator("#no-match")).to_have_text("No wallet matches the search.")
    search.fill("")
    expect(rows).to_have_count(12)
    expect(widget.locator("#state")).to_be_empty()


def test_order_is_by_balance_or_by_name_as_people_count(embedded_page, page, names):
    for alias, balance in (("Wallet 10", 5), ("Wallet 9", 20), ("über", "0.5")):
        embedded_page.track(BrowserWallet().address, alias=alias, balance=balance)
    widget = embedded_page.open(page)
    order = widget.get_by_label("Order")

    assert names(widget) == ["Wallet 10", "Wallet 9", "über"]
    order.select_option(label="Balance")
    assert names(widget) == ["Wallet 9", "Wallet 10", "über"]
    order.select_option(label="Name")
    assert names(widget) == ["über", "Wallet 9", "Wallet 10"]
    order.select_option(label="As listed")
    assert names(widget) == ["Wallet 10", "Wallet 9", "über"]


def test_narrow_row_leaves_out_only_small_parts_of_a_balance(embedded_page, page):
    def track_each() -> None:
        for balance in ("100.5", "99.5", "1.5", "0.99", "0.00000001", "0"):
            embedded_page.track(BrowserWallet().address, balance=balance)

    track_each()  # rendered by the server
    embedded_page.track_many(20, balance=7)
    track_each()  # by the script
    page.set_viewport_size({"width": 375, "height": 667})
    widget = embedded_page.open(page)
    widget.get_by_role("button", name="Show more").click()
    expect(widget.locator("#wallets .wallet")).to_have_count(32)

    shown = widget.locator("#wallets .balance bdi:not(.share)").all_inner_texts()
    assert shown[:6] == shown[-6:] == ["100", "99.50", "1.50", "0.99", "<0.01", "0"]


def test_amounts_are_shown_and_ordered_exactly(embedded_page, page, names):
    """A JavaScript number can hold neither large amount: at this size, they are 2048 apart."""
    page.clock.install()
    widget = embedded_page.open(page)
    wallets = [
        f"""{{"id": "{name}", "address": "{BrowserWallet().address}", "publicAlias": "{name}",
        "tokenBalance": {balance}, "tags": []}}"""
        for name, balance in (
            ("less", "18446744073709551614"),
            ("more", "18446744073709551615"),
            ("dust", "1E-6"),
            ("some", "1.5E+3"),
            ("new", '0, "balanceKnown": false'),
        )
    ]
    body = f'{{"wallets": [{", ".join(wallets)}]}}'
    page.route(READ, lambda route: route.fulfill(body=body, content_type="application/json"))
    embedded_page.forward(page, "00:31")

    expect(widget.locator("#wallets .balance")).to_have_text(
        ["18446744.07T", "18446744.07T", "<0.01", "1,500.00", "unknown"]
    )
    widget.get_by_label("Order").select_option(label="Balance")
    assert names(widget) == ["more", "less", "some", "dust", "new"]


def test_refresh_of_an_unchanged_list_changes_nothing(embedded_page, page, reads):
    page.clock.install()
    embedded_page.track(BrowserWallet().address, alias="Rich", balance=1500)
    widget = embedded_page.open(page)

    def rewrite(route):
        whole = {**route.request.headers, "if-none-match": ""}
        body = (
            route.fetch(headers=whole)
            .text()
            .replace('"tokenBalance":1500', '"tokenBalance":1.5E+3')
        )
        assert '"tokenBalance":1.5E+3' in body
        route.fulfill(body=body, content_type="application/json")

    page.route(READ, rewrite)
    frame_of(page, embedded_page.service_url).evaluate(
        """() => {
          window.changes = 0;
          const list = document.getElementById("wallets");
          const note = (records) => { window.changes += records.length; };
          new MutationObserver(note).observe(list, {
            childList: true, subtree: true, attributes: true, characterData: true,
          });
        }"""
    )
    reads.clear()
    with page.expect_request_finished(lambda request: "/embed/api/tracking/" in request.url):
        embedded_page.forward(page, "00:31")
    embedded_page.settle(page)

    assert len(reads) == 1
    assert frame_of(page, embedded_page.service_url).evaluate("window.changes") == 0
    expect(widget.locator("#wallets .balance")).to_have_text("1,500.00")


def test_tags_filter_together(embedded_page, page, names):
    embedded_page.add_tag("team", "blue")
    embedded_page.add_tag("early", "green")
    embedded_page.track(BrowserWallet().address, alias="Both", tag_names=["team", "early"])
    embedded_page.track(BrowserWallet().address, alias="Team", tag_names=["team"])
    embedded_page.track(BrowserWallet().address, alias="None")
    widget = embedded_page.open(page)
    team = widget.get_by_role("button", name="team")

    team.click()
    assert names(widget) == ["Both", "Team"]
    expect(team).to_have_attribute("aria-pressed", "true")
    widget.get_by_role("button", name="early").click()
    assert names(widget) == ["Both"]
    team.click()
    assert names(widget) == ["Both"]


def test_chosen_order_is_remembered_beside_the_owners(embedded_page, page, names):
    for alias, balance in (("B", 5), ("A", 20), ("C", 1)):
        embedded_page.track(BrowserWallet().address, alias=alias, balance=balance)
    embedded_page.open(page).get_by_label("Order").select_option(label="Name")
    page.reload()
    widget = page.frame_locator("iframe")
    widget.locator("#widget[data-ready]").wait_for()

    expect(widget.get_by_label("Order")).to_have_value("name")
    assert names(widget) == ["A", "B", "C"]
    expect(widget.locator("#wallets .rank")).to_have_text(["1", "2", "3"])


def test_order_works_where_the_browser_remembers_nothing(embedded_page, context, page, names):
    context.add_init_script(
        """Object.defineProperty(window, "localStorage", {get() { throw new Error("blocked"); }})"""
    )
    embedded_page.track_many(2)
    widget = embedded_page.open(page)
    widget.get_by_label("Order").select_option(label="Balance")

    assert names(widget) == ["Wallet 2", "Wallet 1"]


def test_address_shows_both_ends_and_the_whole_of_it_when_opened(embedded_page, page):
    address = BrowserWallet().address
    embedded_page.track(address, balance="1234567.891")
    embedded_page.track(address := BrowserWallet().address, alias="W" * 32, balance="98765432.1")
    page.set_viewport_size({"width": 320, "height": 800})
    widget = embedded_page.open(page, explorer="solscan")
    row = widget.locator("#wallets .wallet").last
    short = f"{address[:4]}…{address[-4:]}"

    expect(row.locator("summary code")).to_have_text(short)
    expect(row.locator(".balance")).to_have_text("98.77M")
    assert row.bounding_box()["height"] < 60
    row.locator("summary").click()
    expect(row.locator(".detail code")).to_have_text(address)
    link = row.get_by_role("link", name="Solscan")
    expect(link).to_have_attribute("href", f"https://solscan.io/account/{address}")
    expect(row.locator(".stats")).to_contain_text("98,765,432.1")
    name = row.locator(".name")
    assert name.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_wallet_without_a_name_is_called_by_both_ends_of_its_address(embedded_page, page):
    address = BrowserWallet().address
    embedded_page.track(address, balance="1234567.891")
    widget = embedded_page.open(page)

    expect(widget.locator("#wallets .name")).to_have_text(f"{address[:4]}…{address[-4:]}")
    expect(widget.locator("#wallets summary code")).to_be_hidden()
    expect(widget.locator("#wallets .balance")).to_have_text("1,234,567.89")


def test_address_is_copied_also_where_the_site_gives_no_leave(embedded_page, context, page):
    address = BrowserWallet().address
    embedded_page.track(address)
    widget = embedded_page.open(page)
    widget.locator("#wallets summary").click()

    widget.get_by_role("button", name="Copy").click()

    expect(widget.get_by_role("button", name="Copied")).to_be_visible()
    expect(widget.get_by_role("button", name="Copied").locator("svg")).to_be_visible()
    context.grant_permissions(["clipboard-read"], origin=embedded_page.host.origin)
    assert page.evaluate("navigator.clipboard.readText()") == address


def test_details_that_cannot_be_read_say_so_and_are_read_again(embedded_page, page):
    address = BrowserWallet().address
    embedded_page.track(address, alias="Ann", balance=5)
    widget = embedded_page.open(page)
    row = widget.locator("#wallets .wallet")
    page.route(DETAILS, lambda route: route.abort())
    row.locator("summary").click()
    expect(row.locator(".detail")).to_contain_text("The server cannot be reached.")
    expect(row.locator(".detail code")).to_have_text(address)
    row.locator("summary").click()

    page.unroute(DETAILS)
    row.locator("summary").click()
    expect(row.locator(".stats")).to_contain_text("Entered by the owner")
    row.locator("summary").click()
    Wallet.update(is_hidden=True).where(Wallet.address == address).execute()
    row.locator("summary").click()
    expect(row.locator(".detail")).to_contain_text("This wallet is no longer on the list.")


def test_empty_page_has_the_next_act_and_no_tools(embedded_page, page):
    page.clock.install()
    embedded_page.add_tag("team", "blue")
    widget = embedded_page.open(page)

    expect(widget.locator(".empty")).to_contain_text("No wallets yet.")
    for part in (".tools", ".list"):
        expect(widget.locator(part)).to_be_hidden()
    widget.get_by_role("button", name="Add the first wallet").click()
    expect(widget.locator("#flow")).to_be_visible()

    embedded_page.track(BrowserWallet().address, alias="First")
    embedded_page.forward(page, "00:31")
    expect(widget.locator("#wallets .name")).to_have_text("First")
    expect(widget.locator(".empty")).to_be_hidden()
    expect(widget.locator(".tools")).to_be_visible()
    widget.locator("#flow").get_by_role("button", name="Close").click()  # the steps have stayed
    expect(widget.locator("#wallets summary")).to_be_focused()


def test_ten_thousand_wallets_are_read_when_somebody_searches(embedded_page, page, reads):
    page.clock.install()
    fill_page(embedded_page, 10_000)
    widget = embedded_page.open(page, explorer="orb")
    rows = widget.locator("#wallets .wallet")
    order, search = widget.get_by_label("Order"), widget.get_by_role("searchbox")
    expect(rows).to_have_count(25)
    expect(widget.locator("#state")).to_have_text("25 of 10,000 wallets")
    embedded_page.track(BrowserWallet().address, alias="Newcomer")
    embedded_page.forward(page, "00:31")
    expect(widget.locator("#state")).to_have_text("25 of 10,001 wallets")
    assert reads == []

    order.select_option(label="Balance")
    expect(rows.first).to_contain_text("Wallet 10000")
    expect(rows).to_have_count(25)
    assert len(reads) == 1
    address = rows.first.locator(".detail code").text_content()
    expect(rows.first.locator(".explorer")).to_have_attribute(
        "href", f"https://orbmarkets.io/address/{address}"
    )
    widget.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(100)
    search.fill("wallet 9999")
    expect(rows).to_have_count(1)
    expect(rows.locator(".rank")).to_have_text("2")
    search.fill("")
    expect(rows).to_have_count(25)
    assert len(reads) == 1


@pytest.mark.parametrize(("width", "count"), [(720, 7), (360, 6)])
def test_frame_of_600_pixels_shows_many_whole_rows(embedded_page, page, width, count):
    embedded_page.add_tag("team", "blue")
    embedded_page.configure(public_comments="Those who hold the token and have shown it.")
    embedded_page.track_many(12, tag_names=["team"])
    page.set_viewport_size({"width": width, "height": 800})
    widget = embedded_page.open(page, script=False, style="body { margin: 0 }", theme="light")

    bottoms = widget.locator("#wallets .wallet").evaluate_all(
        "(rows) => rows.map((row) => row.getBoundingClientRect().bottom)"
    )
    assert sum(bottom <= 600 for bottom in bottoms) >= count


def test_no_javascript_is_needed_to_read_and_to_turn_pages(embedded_page, browser, watch):
    fill_page(embedded_page, 60)
    context = watch(browser.new_context(java_script_enabled=False))
    page = context.new_page()
    page.goto(embedded_page.host_page())
    widget = page.frame_locator("iframe")
    rows = widget.locator("#wallets .wallet")

    expect(rows).to_have_count(25)
    expect(rows.first).to_contain_text("Wallet 1")
    rows.first.locator("summary").click()
    expect(rows.first.locator(".detail code")).to_have_text(
        Wallet.get(Wallet.page == embedded_page.page_id, Wallet.public_alias == "Wallet 1").address
    )
    expect(widget.get_by_role("button", name="Add your wallet")).to_be_hidden()
    expect(widget.get_by_role("searchbox")).to_be_hidden()
    widget.get_by_role("link", name="Next").click()
    expect(rows.first).to_contain_text("Wallet 26")
    widget.get_by_role("link", name="Next").click()
    expect(widget.get_by_text("Page 3 of 3")).to_be_visible()
    expect(rows).to_have_count(10)
    expect(widget.get_by_role("link", name="Next")).to_have_count(0)
    widget.get_by_role("link", name="Previous").click()
    expect(rows.first).to_contain_text("Wallet 26")
    context.close()


def fill_page(embedded_page, count: int) -> None:
    """Track many wallets with one statement for wallets and one for balances."""
    now = embedded_page.clock()
    with db.atomic():
        page = embedded_page.page
        addresses = [BrowserWallet().address for _ in range(count)]
        wallets = [
            {
                "id": make_id(),
                "page": page,
                "address": address,
                "public_alias": f"Wallet {number}",
                "created_at": now + timedelta(milliseconds=number),
            }
            for number, address in enumerate(addresses, 1)
        ]
        balances = [
            {
                "owner": page.owner_id,
                "mint": page.token_mint,
                "address": address,
                "amount": number,
                "observed_at": now,
            }
            for number, address in enumerate(addresses, 1)
        ]
        for model, rows in ((Wallet, wallets), (Balance, balances)):
            for start in range(0, count, 500):
                model.insert_many(rows[start : start + 500]).execute()


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "\"'><svg onload=alert(3)>",
    "{{ 7*7 }}",
    "javascript:alert(4)",
    "\u2067gnorw\u2069",
    "${alert(5)}",
]


def test_what_owners_write_does_nothing(embedded_page, page):
    embedded_page.configure(
        public_title=HOSTILE[0], public_comments=" ".join(HOSTILE), token_name=HOSTILE[1]
    )
    for number, text in enumerate(HOSTILE):
        tags = [text] if number < 3 else []
        for name in tags:
            embedded_page.add_tag(name)
        embedded_page.track(BrowserWallet().address, alias=text, tag_names=tags)
    page.clock.install()
    widget = embedded_page.open(page)
    expect(widget.locator("#wallets .name")).to_have_text(HOSTILE)
    # Again in rows that the script creates, not the server.
    embedded_page.track(BrowserWallet().address, alias=HOSTILE[0], tag_names=[HOSTILE[1]])
    embedded_page.forward(page, "00:31")

    expect(widget.locator("#wallets .name")).to_have_text([*HOSTILE, HOSTILE[0]])
    expect(widget.locator(".title")).to_have_text(HOSTILE[0])
    expect(widget.locator("h1 .token")).to_have_text(HOSTILE[1])
    expect(widget.locator("#wallets .tag")).to_have_text([*HOSTILE[:3], HOSTILE[1]])
    assert widget.locator("main img, main script").count() == 0
    assert widget.locator("main svg:not(.icon, .avatar, .bar, [hidden])").count() == 0


def test_what_visitors_write_does_nothing(embedded_page, context, page, browser_wallet):
    """The rules allow no such nickname; if one were stored, it would be shown as text."""
    context.add_init_script(browser_wallet.script())
    widget = embedded_page.open(page)
    submit(widget)
    expect(widget.locator("#own-list li")).to_be_visible()
    Submission.update(nickname=HOSTILE[0]).where(
        Submission.wallet_address == browser_wallet.address
    ).execute()
    page.reload()

    expect(widget.locator("#own-list strong")).to_have_text(HOSTILE[0])
    assert widget.locator("#own-list :not(li, svg, path, strong, span, code, a)").count() == 0


@pytest.fixture
def reads(page):
    """The requests for the list that were answered so far."""
    seen = []
    page.on(
        "requestfinished",
        lambda request: "/embed/api/tracking/" in request.url and seen.append(request.url),
    )
    return seen


def open_paused(embedded_page, page):
    """Open the widget with its clock stopped, 40 to 45 seconds before the list's next poll.

    The first has just found nothing new.
    """
    page.clock.install()
    widget = embedded_page.open(page)
    embedded_page.settle(page)
    with page.expect_response(READ):
        page.clock.pause_at("2100-01-01")
    embedded_page.settle(page)
    return widget


def hide(page, service_url, is_hidden=True) -> None:
    """Make the page hidden, as a browser does for a background tab."""
    frame_of(page, service_url).evaluate(
        """isHidden => {
          Object.defineProperty(document, "hidden", {configurable: true, get: () => isHidden});
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        is_hidden,
    )


def test_list_is_asked_for_while_somebody_looks_and_more_often_when_it_changes(
    embedded_page, page, reads
):
    widget = open_paused(embedded_page, page)
    reads.clear()

    page.clock.run_for(40_000)
    assert reads == []
    embedded_page.track(BrowserWallet().address, alias="Newcomer")
    with page.expect_request_finished(lambda request: "/embed/api/tracking/" in request.url):
        page.clock.run_for(6_000)
    expect(widget.locator("#wallets .name")).to_have_text("Newcomer")
    embedded_page.settle(page)  # only then is the next one due
    with page.expect_request_finished(lambda request: "/embed/api/tracking/" in request.url):
        page.clock.run_for(31_000)
    embedded_page.settle(page)

    hide(page, embedded_page.service_url)
    count = len(reads)
    page.clock.run_for(600_000)
    assert len(reads) == count
    with page.expect_request_finished(lambda request: "/embed/api/tracking/" in request.url):
        hide(page, embedded_page.service_url, is_hidden=False)
        page.clock.run_for(100)


def test_list_backs_off_on_errors_and_waits_as_long_as_it_is_told(embedded_page, page):
    widget = open_paused(embedded_page, page)
    answers, asked = [], []

    def answer(route):
        asked.append(route.request.url)
        if not answers:
            return route.fallback()
        status, headers, body = answers.pop(0)
        return route.fulfill(status=status, headers=headers, body=body)

    def ask_after(ms: int) -> int:
        """Advance the clock; return the number of requests made meanwhile."""
        before = len(asked)
        page.clock.run_for(ms)
        embedded_page.settle(page)
        return len(asked) - before

    page.route(READ, answer)
    answers += [
        (500, {}, '{"error": "internal_error"}'),
        (429, {"Retry-After": "300"}, '{"error": "rate_limit_key"}'),
    ]
    assert ask_after(46_000) == 1
    expect(widget.locator("#state")).to_have_text(
        "The list could not be refreshed; it may be out of date."
    )
    assert ask_after(79_000) == 0
    assert ask_after(12_000) == 1  # one and a half minutes after the failure
    assert ask_after(290_000) == 0
    assert ask_after(14_000) == 1  # as long as Retry-After said
    expect(widget.locator("#state")).to_be_empty()
    assert ask_after(31_000) == 1  # back to the usual pace


def test_own_list_is_asked_for_only_while_something_is_pending(
    embedded_page, context, page, browser_wallet
):
    context.clock.install()
    context.add_init_script(browser_wallet.script())
    asked = []
    page.on(
        "request", lambda request: "/session/submissions" in request.url and asked.append(request)
    )
    widget = embedded_page.open(page)
    embedded_page.settle(page)
    asked.clear()
    embedded_page.forward(page, "01:00")
    embedded_page.settle(page)
    assert asked == []

    submit(widget)
    expect(widget.locator("#own-list li")).to_be_visible()
    embedded_page.settle(page)
    asked.clear()
    with page.expect_request("**/session/submissions*"):
        embedded_page.forward(page, "00:11")
    embedded_page.reject(embedded_page.find_submission(browser_wallet.address).id)
    embedded_page.forward(page, "00:16")  # pauses grow while nothing changes
    expect(widget.locator("#own-list li")).to_contain_text("turned down")
    embedded_page.settle(page)
    asked.clear()
    embedded_page.forward(page, "05:00")
    embedded_page.settle(page)
    assert asked == []
