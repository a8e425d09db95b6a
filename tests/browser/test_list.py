"""The list: searching, sorting, copying, refreshing, the keyboard, and hostile texts."""

import pytest
from embedded_page import HOSTILE, BrowserWallet
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

# The chips that are seen whole, beside the button that counts the others.
COUNT_WHOLE = """(chips) => {
    const button = chips.querySelector("button");
    const { right } = chips.getBoundingClientRect();
    const end = button.hidden ? right : button.getBoundingClientRect().left;
    const isOpen = chips.matches(".all");
    const isWhole = (chip) => isOpen || chip.getBoundingClientRect().right <= end + 1;
    return [...chips.querySelectorAll("li")].filter(isWhole).length;
}"""
COUNT_HIDDEN = """(about) => [...about.querySelectorAll(".tag")]
    .filter((one) => getComputedStyle(one).position === "absolute").length"""


@pytest.fixture
def parts(page):
    """The requests for parts of the list that were answered so far."""
    seen = []
    page.on("requestfinished", lambda request: "part=rows" in request.url and seen.append(request))
    return seen


def expect_names(widget, *names: str) -> None:
    """Expect these names in the list, from the top."""
    expect(widget.locator("#wallets .name")).to_have_text(names)


def test_search_finds_names_and_addresses(embedded_page, page):
    addresses = embedded_page.track_many(12)
    widget = embedded_page.open(page)
    rows, search = widget.locator("#wallets .wallet"), widget.get_by_role("searchbox")

    search.fill("wALLet 1")
    expect(rows).to_have_count(4)  # 1, 10, 11 and 12
    expect(widget.locator("#count")).to_have_text("4 of 4 wallets")
    search.fill("nobody")
    expect(widget.locator("#found")).to_have_text("No wallet matches the search.")
    search.fill(f"{addresses[6][:4]}...{addresses[6][-4:]}")
    expect_names(widget, "Wallet 7")
    search.fill("")
    expect(rows).to_have_count(12)
    search.focus()
    page.keyboard.insert_text(" " * 100_000 + "x")  # cut off, as it would take minutes
    expect(rows).to_have_count(12)


def test_order_is_by_balance_or_by_name_as_people_count(embedded_page, page):
    for alias, balance in (("Wallet 10", 5), ("Wallet 9", 20), ("über", "0.5")):
        embedded_page.track(BrowserWallet().address, alias=alias, balance=balance)
    widget = embedded_page.open(page, order="listed")
    balance, name = (widget.locator(f".columns .of-{one}") for one in ("balance", "name"))

    expect_names(widget, "Wallet 10", "Wallet 9", "über")
    balance.click()
    expect_names(widget, "Wallet 9", "Wallet 10", "über")
    expect(balance).to_have_attribute("aria-current", "true")
    expect(balance.locator(".icon")).to_be_visible()
    name.click()
    expect_names(widget, "über", "Wallet 9", "Wallet 10")
    expect(balance.locator(".icon")).to_be_hidden()
    name.click()
    expect(name).not_to_have_attribute("aria-current", "true")  # the owner's order again
    page.set_viewport_size({"width": 375, "height": 800})
    widget.locator("#orders").get_by_role("link", name="Newest").click()
    expect_names(widget, "über", "Wallet 9", "Wallet 10")


def test_chip_shows_its_wallets_and_stays_chosen(embedded_page, page):
    tags = ["team", "early", "late", "more"]
    for tag in tags:
        embedded_page.add_tag(tag)
    track = embedded_page.track
    track(BrowserWallet().address, alias="All", tag_names=tags, balance=5)
    track(BrowserWallet().address, alias="Team", tag_names=["team"], balance=4)
    track(BrowserWallet().address, alias="None", balance=1)
    page.clock.install()
    page.set_viewport_size({"width": 375, "height": 800})
    widget = embedded_page.open(page, order="listed")
    team, late = (widget.get_by_role("link", name=one) for one in ("team", "late"))
    first = widget.locator("#wallets .wallet").first
    assert first.locator(".about").evaluate(COUNT_HIDDEN) == 3

    late.click()
    expect_names(widget, "All")
    assert first.locator(".found").all_text_contents() == ["late"]
    team.click()
    expect_names(widget, "All", "Team")
    expect(late).not_to_have_attribute("aria-current", "true")
    track(BrowserWallet().address, alias="New", tag_names=["team"], balance=90)
    embedded_page.forward(page, "00:31")
    expect_names(widget, "All", "Team", "New")
    expect(team).to_have_attribute("aria-current", "true")


def test_chips_without_room_are_counted_and_open(embedded_page, page):
    for number in range(12):
        name = f"a tag with number {number}"
        embedded_page.add_tag(name)
        embedded_page.track(BrowserWallet().address, tag_names=[name], balance=number + 1)
    page.set_viewport_size({"width": 360, "height": 800})
    widget = embedded_page.open(page)
    chips, more = widget.locator(".chips"), widget.locator("#more-chips")

    shown = chips.evaluate(COUNT_WHOLE)
    assert 0 < shown < 13
    expect(more).to_have_text(f"+{13 - shown}")
    expect(more).to_have_accessible_name("Show all")
    more.click()
    expect(more).to_have_attribute("aria-expanded", "true")
    expect(more).to_have_text("−")
    assert chips.evaluate(COUNT_WHOLE) == 13
    widget.get_by_role("link", name="number 11").click()
    expect(widget.locator("#wallets .wallet")).to_have_count(1)
    assert chips.evaluate(COUNT_WHOLE) == 13  # they stay open
    widget.locator("#more-chips").click()
    expect(widget.locator("#more-chips")).to_have_text(f"+{13 - shown}")


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
    expect(widget.locator("#wallets .name")).to_have_text(["First"])
    expect(widget.locator(".empty")).to_be_hidden()
    expect(widget.locator(".tools")).to_be_visible()
    widget.locator("#flow").get_by_role("button", name="Close").click()  # the steps have stayed
    expect(widget.locator("#wallets summary")).to_be_focused()


def test_ten_thousand_wallets_are_sorted_and_searched_by_the_server(embedded_page, page, parts):
    page.clock.install()
    embedded_page.fill(10_000)
    widget = embedded_page.open(page, order="listed")
    rows = widget.locator("#wallets .wallet")
    expect(rows).to_have_count(25)
    expect(widget.locator("#count")).to_have_text("25 of 10,000 wallets")
    assert parts == []
    embedded_page.track(BrowserWallet().address, alias="Newcomer")
    embedded_page.forward(page, "00:31")
    expect(widget.locator("#count")).to_have_text("25 of 10,001 wallets")

    widget.locator(".of-balance").click()
    expect(rows.first).to_contain_text("Wallet 10000")
    embedded_page.settle(page)
    parts.clear()
    widget.get_by_role("searchbox").fill("wallet 9999")
    embedded_page.forward(page, "00:01")
    expect(rows).to_have_count(1)
    expect(rows.locator(".rank")).to_have_text("2")
    embedded_page.settle(page)
    assert len(parts) == 1


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
    # Again in rows that the script swaps in.
    embedded_page.track(BrowserWallet().address, alias=HOSTILE[0], tag_names=[HOSTILE[1]])
    embedded_page.forward(page, "00:31")

    expect(widget.locator("#wallets .name")).to_have_text([*HOSTILE, HOSTILE[0]])
    expect(widget.locator(".title")).to_have_text(HOSTILE[0])
    expect(widget.locator("h1 .symbol")).to_have_attribute("title", HOSTILE[1])
    expect(widget.locator("#wallets .tag")).to_have_text([*HOSTILE[:3], HOSTILE[1]])
    assert widget.locator("main img, main script:not([type='application/json'])").count() == 0
    assert widget.locator("main svg:not(.icon, .avatar, .bar, [hidden])").count() == 0


# The keyboard


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

    expect(page.locator("#show-more:focus")).to_be_visible()


def test_enter_opens_a_wallet_and_tab_leads_into_it(embedded_page, page):
    embedded_page.track_many(2)
    widget = embedded_page.open(page, order="listed")
    widget.locator("#wallets summary").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(widget.locator(".wallet[data-id] [open] .loaded")).to_be_attached()

    page.keyboard.press("Tab")
    expect(widget.locator(":focus")).to_have_text("Copy")
