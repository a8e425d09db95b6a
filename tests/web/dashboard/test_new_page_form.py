"""The form of a new page, which needs only the mint address."""

import re

import pytest
from support import rpc_faults
from support.rpc_access import connect
from support.world import USDC

from embed import pages
from embed.balances import tokens
from embed.db.models import Page
from embed.domain.addresses import WRAPPED_SOL

pytestmark = pytest.mark.slow
NEW = "/dashboard/pages/new"
PROPOSED = "These names come from the chain"


@pytest.fixture
def chain(endpoint):
    return connect(endpoint)


@pytest.fixture
def usdc(ledger):
    return ledger.create_mint(6, address=USDC, name="USD <Coin>", symbol="USDC")


def read_form(answer) -> dict[str, str]:
    """Return the values of the form's text inputs."""
    inputs = re.findall(r"<input [^>]*>", answer.text)
    found = [
        (re.search(r'name="(\w+)"', one), re.search(r'value="([^"]*)"', one)) for one in inputs
    ]
    return {name[1]: value[1] for name, value in found if name and value}


def list_wrong_fields(answer) -> list[str]:
    return re.findall(r'id="(\w+)-wrong"', answer.text)


@pytest.mark.usefixtures("usdc")
def test_empty_names_are_proposed_and_then_confirmed(owner):
    before = Page.select().count()

    answer = owner.post(NEW, token_mint=USDC, public_title="Holders")

    assert answer.status_code == 200
    assert PROPOSED in answer.text
    assert Page.select().count() == before
    proposed = read_form(answer)
    assert proposed["token_name"] == "USD &lt;Coin&gt;"
    assert (proposed["token_symbol"], proposed["token_mint"]) == ("USDC", USDC)
    assert proposed["public_title"] == "Holders"

    confirmed = owner.post(NEW, **{**proposed, "token_name": "USD <Coin>"})

    assert confirmed.status_code == 303
    # Where a new page's owner goes next: to the form for a site, a key and the snippet.
    page = pages.get_page(re.search(r"/pages/(\w+)/embed$", confirmed.headers["Location"])[1])
    assert (page.token_name, page.token_symbol, page.token_mint) == ("USD <Coin>", "USDC", USDC)


@pytest.mark.parametrize("chain", [None])
def test_without_an_endpoint_names_are_required(owner, chain):
    assert "Leave it empty" not in owner.get(NEW).text

    for path in (NEW, f"/dashboard/pages/{owner.world.page_id}/settings/general"):
        answer = owner.post(path, token_mint=USDC)

        assert answer.status_code == 422
        assert list_wrong_fields(answer) == ["token_name", "token_symbol"]


@pytest.mark.parametrize(
    ("symbol", "given", "names", "wrong"),
    [
        ("$BONK", {"token_name": "Mine"}, ("Mine", "BONK"), []),
        ("USDC", {"token_symbol": "MINE", "token_name": " "}, ("Bonk", "MINE"), []),
        ("", {}, ("Bonk", None), ["token_symbol"]),
    ],
)
def test_given_names_are_kept_and_those_that_the_chain_has_not_are_asked_for(
    owner, ledger, symbol, given, names, wrong
):
    ledger.create_mint(6, address=USDC, name="Bonk", symbol=symbol)

    answer = owner.post(NEW, token_mint=USDC, **given)

    form = read_form(answer)
    assert (form["token_name"], form.get("token_symbol") or None) == names
    assert list_wrong_fields(answer) == wrong


@pytest.mark.parametrize("mint", [USDC, "not an address"])
def test_address_that_is_no_mint_is_told_beside_it(owner, mint):
    answer = owner.post(NEW, token_mint=mint)

    assert answer.status_code == 422
    assert list_wrong_fields(answer) == ["token_mint"]


def test_owner_is_told_that_no_endpoint_answers(owner, endpoint, usdc, monkeypatch):
    monkeypatch.setattr(tokens, "PROPOSE_WITHIN_S", 0.3)
    endpoint.fail(rpc_faults.hang)

    answer = owner.post(NEW, token_mint=usdc)

    assert answer.status_code == 422
    assert "cannot be looked up now" in answer.text
    assert "a-secret" not in answer.text
    assert read_form(answer)["token_mint"] == USDC


def test_owner_keeps_the_form_while_the_chain_is_asked_for_others(owner, chain, usdc):
    with chain.turns, chain.turns:
        answer = owner.post(NEW, token_mint=usdc)

    assert answer.status_code == 422
    assert "Try again in a moment" in answer.text
    assert read_form(answer)["token_mint"] == USDC


@pytest.mark.parametrize("chain", [None])
def test_owner_of_a_page_of_wrapped_sol_reads_that_sol_does_not_count(owner):
    told = "SOL that is not wrapped does not count"
    sol = {"token_mint": min(WRAPPED_SOL), "token_name": "SOL"}

    assert told in owner.post(NEW, **sol).text  # without a ticker
    created = owner.post(NEW, **sol, token_symbol="SOL")
    assert told in owner.get(created.location).text
    page = created.location.removesuffix("/embed")
    assert told in owner.get(f"{page}/settings").text
    assert told in owner.get(f"{page}/settings/rules").text
    assert told not in owner.get(f"/dashboard/pages/{owner.world.page_id}/settings/rules").text
