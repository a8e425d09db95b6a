"""The list: searching, sorting, copying, refreshing, the keyboard, and hostile texts."""

from datetime import timedelta

import pytest
from embedded_page import HOSTILE, BrowserWallet, find_overflow, frame_of
from playwright.sync_api import expect
from support.world import Visitor

from embed.db.connection import db
from embed.db.models import Wallet

pytestmark = pytest.mark.browser

READ = "**/embed/api/tracking/*"
COUNT_HIDDEN = """(about) => [...about.querySelectorAll(".tag")]
    .filter((one) => getComputedStyle(one).position === "absolute").length"""


@pytest.fixture
def names(embedded_page):
    """The names in the list, from the top."""
    # Not their inner texts: a row that has just moved is not rendered until the next frame.
    return lambda widget: widget.locator("#wallets .name").all_text_contents()


@pytest.fixture
def reads(page):
    """The requests for the list that were answered so far."""
    seen = []
    page.on(
        "requestfinished",
        lambda request: "/embed/api/tracking/" in request.url and seen.append(request.url),
    )
    return seen


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
    widget = embedded_page.open(page, order="listed")
    balance, name = (widget.locator(f".columns .of-{one}") for one in ("balance", "name"))

    assert names(widget) == ["Wallet 10", "Wallet 9", "über"]
    balance.click()
    assert names(widget) == ["Wallet 9", "Wallet 10", "über"]
    expect(balance).to_have_attribute("aria-pressed", "true")
    expect(balance.locator(".icon")).to_be_visible()
    name.click()
    assert names(widget) == ["über", "Wallet 9", "Wallet 10"]
    expect(balance.locator(".icon")).to_be_hidden()
    name.click()  # the owner's order again
    assert names(widget) == ["Wallet 10", "Wallet 9", "über"]
    page.set_viewport_size({"width": 375, "height": 800})
    widget.get_by_label("Order").select_option(label="Balance")
    assert names(widget) == ["Wallet 9", "Wallet 10", "über"]


def test_part_of_the_bar_shows_its_wallets_and_stays_pressed(embedded_page, page, names):
    tags = ["team", "early", "late", "more"]
    with db.atomic():
        made = [embedded_page.add_tag(tag) for tag in tags]
        for number, tag in enumerate(made):  # the page's order
            tag.created_at += timedelta(seconds=number)
            tag.save()
    track = embedded_page.track
    track(BrowserWallet().address, alias="All", tag_names=tags, balance=5)
    track(BrowserWallet().address, alias="Team", tag_names=["team"], balance=4)
    track(BrowserWallet().address, alias="None", balance=1)
    page.clock.install()
    page.set_viewport_size({"width": 375, "height": 800})
    widget = embedded_page.open(page, order="listed")
    team, late, none = (
        widget.locator(f"button[title^='{one}']") for one in ("team", "late", "wit")
    )
    first, line = widget.locator("#wallets .wallet").first, widget.locator(".sum")
    assert first.locator(".about").evaluate(COUNT_HIDDEN) == 3

    late.hover()
    expect(line).to_contain_text("late 0: 1 wallet, 1 under other tags")
    late.click()
    assert names(widget) == ["All"]
    assert first.locator(".found").all_text_contents() == ["late"]
    assert first.locator(".about").evaluate(COUNT_HIDDEN) == 3
    team.click()
    assert names(widget) == ["All", "Team"]
    expect(late).to_have_attribute("aria-pressed", "false")
    track(BrowserWallet().address, alias="New", tag_names=["team"], balance=90)
    embedded_page.forward(page, "00:31")
    expect(widget.locator("#sentence")).to_have_text("4 wallets hold 100 $USDC")
    assert names(widget) == ["All", "Team", "New"]
    expect(team).to_have_attribute("aria-pressed", "true")
    expect(team).to_have_css("flex-grow", "990")
    widget.get_by_role("button", name="Show all").click()
    expect(widget.locator("#wallets .wallet")).to_have_count(4)
    expect(team).to_be_focused()
    none.click()
    assert names(widget) == ["None"]
    none.click()
    expect(widget.locator("#wallets .wallet")).to_have_count(4)


def test_chosen_order_is_remembered_beside_the_owners(embedded_page, page, names):
    for alias, balance in (("B", 5), ("A", 20), ("C", 1)):
        embedded_page.track(BrowserWallet().address, alias=alias, balance=balance)
    embedded_page.open(page).locator(".columns .of-name").click()
    page.reload()
    widget = page.frame_locator("iframe")
    widget.locator("#widget[data-ready]").wait_for()

    expect(widget.locator(".columns .of-name")).to_have_attribute("aria-pressed", "true")
    assert names(widget) == ["A", "B", "C"]
    expect(widget.locator("#wallets .rank")).to_have_text(["1", "2", "3"])


def test_address_shows_both_ends_and_the_whole_of_it_when_opened(embedded_page, page):
    address = BrowserWallet().address
    embedded_page.track(address, balance="1234567.891")
    embedded_page.track(address := BrowserWallet().address, alias="W" * 32, balance="98765432.1")
    page.set_viewport_size({"width": 320, "height": 800})
    widget = embedded_page.open(page, explorer="solscan", order="listed")
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
    embedded_page.fill(10_000)
    widget = embedded_page.open(page, explorer="orb", order="listed")
    rows = widget.locator("#wallets .wallet")
    order, search = widget.locator(".of-balance"), widget.get_by_role("searchbox")
    expect(rows).to_have_count(25)
    expect(widget.locator("#state")).to_have_text("25 of 10,000 wallets")
    embedded_page.track(BrowserWallet().address, alias="Newcomer")
    embedded_page.forward(page, "00:31")
    expect(widget.locator("#state")).to_have_text("25 of 10,001 wallets")
    assert reads == []

    order.click()
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


def test_no_javascript_is_needed_to_read_and_to_turn_pages(embedded_page, plain_page):
    embedded_page.fill(60)
    plain_page.goto(embedded_page.host_page(order="listed"))
    widget = plain_page.frame_locator("iframe")
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
    expect(widget.locator("h1 .symbol")).to_have_attribute("title", HOSTILE[1])
    expect(widget.locator("#wallets .tag")).to_have_text([*HOSTILE[:3], HOSTILE[1]])
    assert widget.locator("main img, main script:not([type='application/json'])").count() == 0
    assert widget.locator("main svg:not(.icon, .avatar, .bar, [hidden])").count() == 0


# The keyboard: one stop for Tab however long the list is, and the arrow keys from there

MOST_PRESSES = 8  # over the skip link, the list, and what stands around it


@pytest.fixture
def proved(embedded_page) -> Visitor:
    """The holder of the second of three wallets, who has proved it."""
    visitor = Visitor()
    embedded_page.track_many(1)
    embedded_page.approve(embedded_page.submit(visitor, "Proved").json["submissionId"])
    embedded_page.track(BrowserWallet().address, alias="Last", balance=3)
    return visitor


def name_of_row(widget) -> str:
    """Return the name in the row that has the focus."""
    return widget.locator(".wallet:focus-within .name").inner_text()


def focus_first(widget):
    widget.locator("#wallets summary").first.focus()
    return widget.locator(":focus")


def test_long_list_is_left_after_a_few_presses_of_tab(embedded_page, page):
    embedded_page.fill(500)
    widget = embedded_page.open(page)
    widget.get_by_role("searchbox").focus()
    end = widget.locator("#rights:focus")

    presses = 0
    while not end.count() and presses <= MOST_PRESSES:
        page.keyboard.press("Tab")
        presses += 1

    expect(end).to_have_count(1)
    back = 0
    while not widget.locator("#search:focus").count() and back <= MOST_PRESSES:
        page.keyboard.press("Shift+Tab")
        back += 1
    expect(widget.locator("#search")).to_be_focused()


@pytest.mark.parametrize("script", [True, False])
def test_skip_link_leads_to_the_rest_of_a_long_list(embedded_page, open_browser, script):
    embedded_page.fill(250)
    page = open_browser(java_script_enabled=script)
    page.goto(embedded_page.widget_url())
    if script:
        page.locator("#widget[data-ready]").wait_for()
    page.get_by_role("link", name="Skip the list").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")

    expect(page.locator("#more:focus" if script else "[rel=next]:focus")).to_be_visible()


def test_arrow_keys_reach_every_wallet(embedded_page, page, proved):
    widget = embedded_page.open(page, order="listed")
    focus_first(widget)
    seen = []
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "Home", "End", "ArrowUp"):
        page.keyboard.press(key)
        seen.append(name_of_row(widget))

    assert seen == ["Proved", "Last", "Last", "Wallet 1", "Last", "Proved"]


def test_enter_opens_a_wallet_and_tab_leads_into_it(embedded_page, page, proved):
    widget = embedded_page.open(page, order="listed")
    focused = focus_first(widget)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    row = widget.locator(".wallet", has_text="Proved")
    expect(row.get_by_text("What was signed")).to_be_visible()

    page.keyboard.press("Tab")
    expect(focused).to_have_text("Copy")
    row.get_by_text("What was signed").click()
    text = row.locator("pre")
    text.focus()
    page.keyboard.press("ArrowDown")  # scrolls, as everywhere
    expect(text).to_be_focused()
    page.keyboard.press("Control+ArrowDown")
    expect(text).to_be_focused()


@pytest.mark.parametrize("language", ["fr", "ru", "ar", "en"])
def test_ticker_has_room_beside_the_button_on_a_phone_in_each_language(
    embedded_page, page, language
):
    embedded_page.configure(token_symbol="HARBOR")
    page.set_viewport_size({"width": 320, "height": 800})
    widget = embedded_page.open(page, lang=language)

    assert widget.locator(".symbol").evaluate("(one) => one.getClientRects().length") == 1
    assert find_overflow(frame_of(page, embedded_page.service_url)) == []
