"""The set-up of a new page, which needs only the mint address."""

import html
import re

import pytest
from forms import list_wrong_fields, read_inputs
from solders.pubkey import Pubkey
from support.rpc_access import connect
from support.world import USDC, Visitor

from embed import pages
from embed.db.models import Page, Wallet
from embed.domain.addresses import WRAPPED_SOL
from embed.keys import access, derived

pytestmark = pytest.mark.slow
NEW = "/dashboard/pages/new"
PROPOSED = "Check that this is the right token"
PREVIEW = re.compile(r'<iframe class="preview" inert src="([^"]*)"')
KEY = re.compile("svc_pub_[0-9A-Za-z]{32}")
POOL = str(Pubkey.find_program_address([b"pool"], Pubkey.default())[0])


@pytest.fixture
def chain(endpoint):
    return connect(endpoint)


@pytest.fixture
def usdc(ledger):
    return ledger.create_mint(6, address=USDC, name="USD <Coin>", symbol="USDC")


def test_token_is_shown_first_and_then_the_page_is_created_with_all_that_it_needs(
    owner, ledger, usdc
):
    holders = [Visitor().address, POOL]
    for units, holder in enumerate(holders, 5):
        ledger.mint_to(holder, usdc, units * 1_000_000)
    before = Page.select().count()

    shown = owner.post(NEW, token_mint=USDC, site="example.com", www="y", holders="y")

    assert shown.status_code == 200
    assert PROPOSED in shown.text
    assert "11 in supply" in shown.text
    assert "aria-invalid" not in shown.text
    assert "1 of them belongs to a program" in shown.text
    assert Page.select().count() == before
    form = read_inputs(shown)
    assert (form["token_name"], form["token_symbol"]) == ("USD <Coin>", "USDC")

    sent = {"token_mint": f"https://solscan.io/token/{USDC}", "token_name": "USD <Coin>"}
    created = owner.post(NEW, **form | sent | {"www": "y", "holders": "y"})

    assert created.status_code == 201
    assert "Your list is ready" in created.text
    (key,) = set(KEY.findall(created.text))
    page = pages.get_page(access.find_access(key).page_id)
    assert (page.token_name, page.token_symbol, page.token_mint) == ("USD <Coin>", "USDC", USDC)
    assert access.find_access(key).origins == ("https://example.com", "https://www.example.com")
    assert {wallet.address for wallet in Wallet.select().where(Wallet.page == page)} == set(holders)


def test_preview_shows_the_holders_and_only_what_was_signed_here(owner, ledger, usdc):
    ledger.mint_to(POOL, usdc, 5_000_000)
    preview = html.unescape(PREVIEW.search(owner.post(NEW, token_mint=USDC).text)[1])

    shown = owner.get(preview)

    assert shown.status_code == 200
    assert POOL in shown.text
    assert "<script" not in shown.text
    assert "frame-ancestors 'self'" in shown.headers["Content-Security-Policy"]
    for wrong in (preview.replace("draft=", "draft=x"), "/embed/draft"):
        assert owner.get(wrong).status_code == 404


def test_without_a_site_the_page_is_public_by_link_and_with_a_wrong_one_there_is_none(owner, usdc):
    form = read_inputs(owner.post(NEW, token_mint=USDC))
    before = Page.select().count()

    assert owner.post(NEW, **form | {"site": "https://*.example.com"}).status_code == 422
    assert Page.select().count() == before
    created = owner.post(NEW, **form)
    page_id = re.search(r"/embed/page/(\w+)", created.text)[1]
    assert derived.is_shared(page_id)
    assert "Your list is ready" not in created.text
    assert created.text.count("Add wallets") == 1
    assert not Wallet.select().where(Wallet.page == page_id).exists()


def test_other_address_than_that_of_the_shown_token_is_looked_up_first(owner, ledger, usdc):
    form = read_inputs(owner.post(NEW, token_mint=USDC))
    other = ledger.create_mint(6, name="Other", symbol="OTHER")

    shown = owner.post(NEW, **form | {"token_mint": other})

    assert shown.status_code == 200
    assert read_inputs(shown)["token_name"] == "Other"


def test_largest_holders_are_looked_up_ten_times_a_minute(owner, usdc):
    for _ in range(10):
        assert owner.post(NEW, token_mint=USDC).status_code == 200
    assert "Please wait a minute." in owner.post(NEW, token_mint=USDC).text


@pytest.mark.parametrize("chain", [None])
def test_without_an_endpoint_names_are_required(owner, chain):
    assert 'id="token_name"' in owner.get(NEW).text

    for path in (NEW, f"/dashboard/pages/{owner.world.page_id}/settings/general"):
        answer = owner.post(path, token_mint=USDC, token_name="", token_symbol="")

        assert answer.status_code == 422
        assert list_wrong_fields(answer) == ["token_name", "token_symbol"]


@pytest.mark.parametrize(("symbol", "wrong"), [("$BONK", []), ("", ["token_symbol"])])
def test_names_are_those_of_the_chain_and_others_are_asked_for(owner, ledger, symbol, wrong):
    ledger.create_mint(6, address=USDC, name="Bonk", symbol=symbol)

    answer = owner.post(NEW, token_mint=USDC)

    form = read_inputs(answer)
    assert (form["token_name"], form.get("token_symbol", "")) == ("Bonk", symbol.strip("$"))
    assert (answer.status_code, list_wrong_fields(answer)) == (200, [])
    assert ("It isn&#39;t on the chain. Enter it here." in answer.text) == bool(wrong)
    if wrong:
        assert list_wrong_fields(owner.post(NEW, **form)) == wrong
    assert owner.post(NEW, **form | {"token_symbol": "MINE"}).status_code == 201


def test_address_that_is_no_mint_is_told_beside_it(owner):
    assert list_wrong_fields(owner.post(NEW, token_mint=USDC)) == ["token_mint"]


@pytest.mark.parametrize("chain", [None])
def test_owner_of_a_page_of_wrapped_sol_reads_that_sol_does_not_count(owner):
    answer = owner.post(NEW, token_mint=min(WRAPPED_SOL), token_name="SOL")  # without a ticker

    assert "SOL that is not wrapped does not count" in answer.text
