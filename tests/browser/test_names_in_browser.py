"""Domain names in the widget's rows: the same from the server and from the script."""

import pytest
from axe import find_violations
from embedded_page import BrowserWallet, frame_of
from playwright.sync_api import expect

from embed import pages
from embed.balances import stored_names
from embed.balances.stored_names import NameObservation

pytestmark = pytest.mark.browser

LONG = "toly.sol-airdrop-of-somebody-else.sns"  # whose start looks like another name


@pytest.fixture(scope="module")
def service_environ(environ_with_chain) -> dict[str, str]:
    return environ_with_chain


@pytest.fixture
def name(embedded_page):
    """Give wallets names that the page shows."""

    def act(slot: int = 5, **names: str) -> None:
        now = embedded_page.clock()
        rows = [NameObservation(address, text, slot, now) for address, text in names.items()]
        stored_names.store_names(rows)

    return act


@pytest.fixture
def show(embedded_page):
    def act(names: str) -> None:
        pages.change_look(embedded_page.page_id, {"names": names}, embedded_page.clock())

    return act


@pytest.mark.parametrize("where", ["beside", "instead"])
def test_rows_of_the_script_are_those_of_the_server(embedded_page, page, show, name, where):
    show(where)
    page.clock.install()
    addresses = [BrowserWallet().address for _ in range(3)]
    for address, alias in zip(addresses, (None, "Ann", "Bob"), strict=True):
        embedded_page.track(address, alias=alias, balance=5)
    name(**dict.fromkeys(addresses[:2], "toly.sns"))
    widget = embedded_page.open(page)
    rows = widget.locator("#wallets .wallet summary")
    texts = rows.all_inner_texts()
    assert sum("toly.sns" in text for text in texts) == 2

    # A wallet that is new makes the script read the payload; the changed names make its rows.
    name(slot=6, **dict.fromkeys(addresses[:2], "other.sns"))
    embedded_page.forward(page, "00:31")
    expect(widget.locator("#wallets .wallet", has_text="other.sns")).to_have_count(2)

    assert rows.all_inner_texts() == [text.replace("toly", "other") for text in texts]
    page.clock.resume()
    frame = frame_of(page, embedded_page.service_url)
    assert find_violations(f"names {where}", page, frame) == []


def test_name_that_is_no_longer_there_leaves_the_row(embedded_page, page, show, name):
    show("instead")
    page.clock.install()
    address = BrowserWallet().address
    embedded_page.track(address)
    name(**{address: "toly.sns"})
    widget = embedded_page.open(page)
    row = widget.locator("#wallets .wallet")
    expect(row.locator(".names")).to_contain_text("toly.sns")

    name(slot=6, **{address: None})
    embedded_page.forward(page, "00:31")

    expect(row.locator(".domain")).to_be_hidden()
    expect(row.locator(".name")).to_have_text(f"{address[:4]}…{address[-4:]}")


def test_search_finds_domain_names(embedded_page, page, show, name):
    show("beside")
    address = BrowserWallet().address
    embedded_page.track(address, alias="Ann")
    embedded_page.track(BrowserWallet().address, alias="Bob")
    name(**{address: "toly.sns"})
    widget = embedded_page.open(page)

    widget.get_by_label("Search name or address").fill("TOLY")

    expect(widget.locator("#wallets .wallet")).to_have_count(1)
    expect(widget.locator("#wallets .name")).to_have_text("Ann")


@pytest.mark.parametrize("where", ["beside", "instead"])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_long_name_is_cut_at_its_start_and_whole_when_opened(
    embedded_page, page, show, name, where, language
):
    show(where)
    address = BrowserWallet().address
    embedded_page.track(address, balance="98765432.1")
    name(**{address: LONG})
    page.set_viewport_size({"width": 320, "height": 800})
    widget = embedded_page.open(page, lang=language)
    end = widget.locator("#wallets .domain .end")
    edges = """one => {
      const box = one.getBoundingClientRect(), text = one.firstElementChild.getBoundingClientRect();
      return [text.left < box.left - 1, text.right > box.right + 1];
    }"""

    assert end.evaluate(edges) == [True, False]
    widget.locator("#wallets summary").click()
    assert end.evaluate(edges) == [False, False]
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
