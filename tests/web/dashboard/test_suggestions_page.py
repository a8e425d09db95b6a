"""The page that suggests wallets: who may ask the chain, what it shows, what its form adds."""

import re

import pytest
from solders.pubkey import Pubkey
from support.fake_chain import FakeChain
from support.world import USDC, Visitor

from embed.balances.rpc_endpoint import RpcRefused
from embed.db.models import Wallet

pytestmark = pytest.mark.slow

POOL = str(Pubkey.find_program_address([b"pool"], Pubkey.default())[0])


@pytest.fixture
def chain() -> FakeChain:
    return FakeChain()


@pytest.fixture
def path(page) -> str:
    return f"{page}/wallets/suggestions"


def list_offered(answer) -> list[str]:
    return re.findall(r'name="address" value="(\w+)"', answer.text)


def test_holders_are_shown_and_none_is_ticked(world, owner, chain, path):
    listed, other = Visitor().address, Visitor().address
    for address, amount in ((POOL, 600), (listed, 300), (other, 100)):
        chain.hold(address, amount)
    world.track(listed)
    assert "Look up the largest holders" in owner.get(path).text
    assert chain.calls.total() == 0

    answer = owner.post(path)

    assert answer.status_code == 200
    assert list_offered(answer) == [POOL, other]
    assert " checked" not in answer.text
    rows = re.findall(r"<tr>.*?</tr>", answer.text.partition("<tbody>")[2], re.DOTALL)
    for row, said in zip(rows, ("a program.*60.0%", "on your list", ">100<.*10.0%"), strict=True):
        assert re.search(said, row, re.DOTALL)
    assert Wallet.select().count() == 1


def test_ticked_wallets_are_added_whatever_else_the_form_says(world, owner, chain, path):
    address = Visitor().address
    added = {"alias": "Someone", "tags": "team", "hidden": "y", "balance": "999"}

    answer = owner.post(f"{path}/add", address=[address, USDC], **added)

    assert answer.status_code == 303
    assert "2 wallets have been added." in owner.get(answer.location).text
    rows = {(row.address, row.public_alias, row.is_hidden) for row in Wallet.select()}
    assert rows == {(address, None, False), (USDC, None, False)}
    assert chain.calls.total() == 0
    assert owner.post(f"{path}/add").status_code == 409


def test_owner_reads_why_nobody_is_suggested(owner, chain, path):
    assert "Nobody holds this token yet." in owner.post(path).text

    def refuse(method: str) -> None:
        raise RpcRefused(-32010)

    chain.before_answer = refuse
    answer = owner.post(path)
    assert answer.status_code == 422
    assert "doesn&#39;t list the largest holders (error -32010)" in answer.text
    assert list_offered(answer) == []
    assert "Look up the largest holders" in answer.text  # to try again

    chain.is_down = True
    chain.before_answer = lambda method: None
    assert "can&#39;t be looked up right now" in owner.post(path).text


@pytest.mark.parametrize("chain", [None])
def test_without_an_endpoint_there_is_no_button(world, owner, chain, path):
    page = owner.get(path)

    assert "isn&#39;t connected to an RPC server" in page.text
    assert "<form" not in page.text.partition("<main")[2]
    assert owner.post(path).status_code == 422
    assert path not in owner.get(f"/dashboard/pages/{world.page_id}/wallets").text


def test_look_ups_of_a_person_are_few_and_wait_for_no_others(owner, chain, path):
    with chain.concurrency_limit, chain.concurrency_limit:
        answer = owner.post(path)

    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert "is busy doing this for others" in answer.text
    assert [owner.post(path).status_code for _ in range(11)] == [200] * 9 + [429] * 2
    assert chain.calls["getTokenLargestAccounts"] == 9
