"""From the one-time link to a copied snippet: three typed fields, three presses."""

import re

import pytest
from axe import find_faults
from chain.ledger import Ledger
from chain.rpc_server import run_rpc
from playwright.sync_api import expect
from support.owner_browser import PASSWORD
from support.remote import make_environ
from support.world import Visitor

from embed.db.models import Page

pytestmark = pytest.mark.browser

KEY = re.compile("svc_pub_[0-9A-Za-z]{32}")


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture(scope="module")
def service_environ(make_service_database, ledger):
    with run_rpc(ledger) as endpoint:
        yield make_environ(make_service_database(), SOLANA_RPC_URL=endpoint.url)


@pytest.fixture
def mint(ledger) -> str:
    """A token that two hold."""
    made = ledger.create_mint(6, name="Demo Dollar", symbol="DEMO")
    for units in (5, 7):
        ledger.mint_to(Visitor().address, made, units * 1_000_000)
    return made


@pytest.fixture
def link(embedded_page) -> str:
    """The one-time link of a new owner."""
    command = ["owners", "create", f"{Visitor().address}@example.com"]
    answer = embedded_page.app.test_cli_runner().invoke(args=command)
    return embedded_page.service_url + re.search(r"/dashboard/password/\S+", answer.output)[0]


def choose_password(page, link: str) -> None:
    page.goto(link)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    page.wait_for_url("**/pages/new")  # with its scripts


def test_owner_goes_from_link_to_snippet(page, link, mint):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    choose_password(page, link)
    page.get_by_label("Token", exact=True).fill(mint)
    expect(page.locator(".token")).to_contain_text("Demo Dollar")
    expect(page.frame_locator(".preview").locator(".wallet")).to_have_count(2)
    page.get_by_label("Site", exact=True).fill("example.com")
    expect(page.get_by_label("also https://www.example.com")).to_be_checked()
    expect(page.get_by_label("Start with the 2 largest holders")).to_be_checked()
    assert find_faults("the set-up", page) == []
    page.get_by_role("button", name="Create").click()
    page.get_by_role("button", name="Copy the snippet").click()

    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    snippet = page.evaluate("navigator.clipboard.readText()")
    assert "embed.js" in snippet
    expect(page.frame_locator(".preview").locator(".wallet")).to_have_count(2)
    assert find_faults("the new page", page) == []
    page.reload()
    expect(page.get_by_role("button", name="Create a new key and copy")).to_be_visible()
    assert KEY.search(snippet)[0] not in page.content()
    assert Page.select().where(Page.token_mint == mint).count() == 1
