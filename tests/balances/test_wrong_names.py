"""Answers about names that cannot be right: they are refused, and the next endpoint is asked."""

import pytest
from chain.domains import Domains
from chain.ledger import Ledger
from chain.rpc_server import run_rpc
from support.fake_chain import SWEEP
from support.rpc_access import PatientClock, connect
from support.rpc_faults import WRONG_RESULTS, answer_error, change
from support.world import Clock, Visitor

from embed.balances.domain_names import MOST_WALLETS, Favourite, read_names
from embed.balances.solana_rpc import UnusableAnswer

pytestmark = pytest.mark.slow

LIES = WRONG_RESULTS | {
    name: change(edit)
    for name, edit in {
        "one account less": lambda answer: answer["result"]["value"].pop(),
        "no root": lambda answer: answer["result"]["value"].__setitem__(-1, None),
        "no base64": lambda answer: answer["result"]["value"][0].update(data=["?", "base64"]),
        "no program": lambda answer: answer["result"]["value"][0].pop("owner"),
        "data of another type": lambda answer: answer["result"]["value"][0].update(data=5),
    }.items()
}


@pytest.fixture
def named():
    """A ledger, and a wallet that has chosen a name there."""
    ledger, address = Ledger(), Visitor().address
    domain = Domains(ledger).give(address, "toly")
    return ledger, Favourite(address, domain, 5)


def read(rpc, *favourites):
    return [row for rows in read_names(rpc, Clock(), favourites) for row in rows]


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_wrong_answers_about_names_are_refused_and_the_next_endpoint_is_asked(named, lie):
    ledger, favourite = named
    with run_rpc(ledger) as liar, run_rpc(ledger) as honest:
        liar.fail(lie)
        (row,) = read(connect(liar, honest, clock=PatientClock()), favourite)
        assert row.name == "toly.sol"
        assert (liar.calls[SWEEP], honest.calls[SWEEP]) == (1, 1)


def test_call_without_an_answer_costs_no_other_wallet_its_name(named):
    ledger, favourite = named
    others = [Favourite(Visitor().address, favourite.domain, 5) for _ in range(MOST_WALLETS)]
    with run_rpc(ledger) as server:
        server.fail(answer_error(-32602), times=1)  # the first call, with 33 wallets
        names = read_names(connect(server, clock=PatientClock()), Clock(), [*others, favourite])
        assert [row.name for row in next(names)] == ["toly.sol"]
        with pytest.raises(UnusableAnswer):
            next(names)
