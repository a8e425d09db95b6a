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
def path(world) -> str:
    return f"/dashboard/pages/{world.page_id}/wallets/suggestions"


def list_offered(answer) -> list[str]:
    return re.findall(r'name="address" value="(\w+)"', answer.text)


def list_rows(answer) -> list[str]:
    return re.findall(r"<tr>.*?</tr>", answer.text.partition("<tbody>")[2], re.DOTALL)


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
    pool, known, last = list_rows(answer)
    assert "a program" in pool
    assert "60.0%" in pool
    assert "on your list" in known
    assert "pill" not in last
    assert "10.0%" in last
    assert ">100<" in last
    assert Wallet.select().count() == 1


def test_ticked_wallets_are_added_whatever_else_the_form_says(world, owner, chain, path):
    address = Visitor().address
    chain.hold(address, 5)

    answer = owner.post(
        f"{path}/add",
        address=[address, USDC],
        balance="999",
        alias="Someone",
        name="Someone",
        tags="team",
        hidden="y",
    )

    assert answer.status_code == 303
    assert answer.headers["Location"].endswith("/wallets")
    assert "2 wallets have been added." in owner.get(answer.headers["Location"]).text
    rows = list(Wallet.select().dicts())
    assert {row["address"] for row in rows} == {address, USDC}
    assert {(row["public_alias"], row["is_hidden"]) for row in rows} == {(None, False)}
    assert chain.calls.total() == 0


@pytest.mark.parametrize("form", [{}, {"address": [USDC, "<script>"]}, {"wallet": [USDC]}], ids=str)
def test_form_without_proper_addresses_adds_nothing(world, owner, path, form):
    before = world.dump()

    answer = owner.post(f"{path}/add", **form)

    assert answer.status_code == 409
    assert "<script>" not in answer.text
    assert {**world.dump(), "session": None} == {**before, "session": None}


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


def test_many_look_ups_of_a_person_are_refused_for_a_minute(owner, chain, path):
    statuses = [owner.post(path).status_code for _ in range(12)]

    assert statuses == [200] * 10 + [429] * 2
    assert chain.calls["getTokenLargestAccounts"] == 10


def test_look_up_waits_for_no_other_questions_to_the_chain(owner, chain, path):
    with chain.concurrency_limit, chain.concurrency_limit:
        answer = owner.post(path)

    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert "is busy doing this for others" in answer.text
    assert owner.post(path).status_code == 200
