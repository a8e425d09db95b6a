"""Access to the chain: by HTTP to endpoints of a ledger, or without HTTP for a whole service."""

from collections.abc import Iterator

import pytest
from chain.rpc_server import RpcServer, run_rpc
from support.fake_chain import FakeChain
from support.rpc_access import connect

from embed.balances.solana_rpc import SolanaRpc
from embed.runtime import EXTENSION
from embed.wallets.balance_refresh import refresh_balances


@pytest.fixture
def rpc(endpoint) -> SolanaRpc:
    return connect(endpoint)


@pytest.fixture
def second(ledger) -> Iterator[RpcServer]:
    with run_rpc(ledger) as server:
        yield server


@pytest.fixture
def chain() -> FakeChain:
    return FakeChain()


@pytest.fixture
def run(world):
    """Refresh: ``run()`` what is due, ``run(page_id)`` all of a page."""

    def act(page_id=None, on_progress=lambda done, total: None):
        runtime = world.app.extensions[EXTENSION]
        return refresh_balances(runtime, page_id=page_id, on_progress=on_progress)

    return act
