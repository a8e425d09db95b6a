"""A refresh that is killed: what it stored stays, nothing is half written, the next one goes on."""

import subprocess
import sys

import pytest
from chain.ledger import Ledger
from chain.rpc_server import run_rpc
from support.remote import make_environ, run_here
from support.waiting import LIMIT_S, wait_for
from support.world import USDC, Visitor, World

from embed.balances.refresh import WRITE_ROWS
from embed.balances.token_accounts import MOST_ACCOUNTS
from embed.db.connection import db
from embed.db.models import ChainBalance, DailyBalance, Wallet
from embed.domain import times
from embed.domain.identifiers import make_id
from embed.factory import create_app
from embed.settings import PROJECT_DIR, Settings

pytestmark = pytest.mark.slow

COUNT = WRITE_ROWS + 1000


@pytest.fixture
def environ(emptied_database_url):
    """Settings with an endpoint that takes 200 ms for each call."""
    ledger = Ledger()
    ledger.create_mint(6, address=USDC)
    with run_rpc(ledger, latency_s=0.2) as endpoint:
        yield make_environ(emptied_database_url, SOLANA_RPC_URL=endpoint.url, LIMIT_RPC="20/second")


@pytest.fixture
def world(environ):
    """A page with many wallets, which nobody has the keys of."""
    world = World(create_app(Settings.from_environ(environ)), times.now)
    rows = [
        {"id": make_id(), "page": world.page_id, "address": address, "created_at": times.now()}
        for address in (Visitor().address for _ in range(COUNT))
    ]
    for start in range(0, COUNT, 1000):
        Wallet.insert_many(rows[start : start + 1000]).execute()
    yield world
    db.close()


def wait_until_something_is_stored(process: subprocess.Popen) -> None:
    wait_for(lambda: ChainBalance.select().exists() or process.poll() is not None)
    assert process.poll() is None, process.communicate()


def refresh(environ):
    db.close()  # a command opens the database again
    return run_here("balances", "refresh", environ=environ)


def test_what_was_stored_before_kill_9_stays_and_the_next_refresh_reads_the_rest(world, environ):
    command = [sys.executable, "-m", "flask", "balances", "refresh"]
    process = subprocess.Popen(
        command, env=environ, cwd=PROJECT_DIR, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        wait_until_something_is_stored(process)
    finally:
        process.kill()
        process.communicate(timeout=LIMIT_S)

    stored = ChainBalance.select().count()
    assert 0 < stored < COUNT
    assert stored % MOST_ACCOUNTS == 0
    assert DailyBalance.select().count() == stored

    done = refresh(environ)
    assert done.exit_code == 0, done.output
    assert f"{COUNT - stored:,} balances read" in done.stdout
    assert ChainBalance.select().count() == DailyBalance.select().count() == COUNT
