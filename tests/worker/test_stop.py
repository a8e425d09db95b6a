"""The end of the background work while it waits for others."""

import time

import pytest
from support.rpc_faults import answer_status
from support.waiting import wait_for
from support.world import USDC, Visitor

from embed.balances.token_accounts import MOST_ACCOUNTS
from embed.db.models import ChainBalance, Job, Lease
from embed.runtime import EXTENSION
from embed.worker import EXTENSION as JOBS
from embed.worker import Background

LIMIT_S = 20


@pytest.fixture
def background(environ, ledger, endpoint, request):
    environ["SOLANA_RPC_URL"] = endpoint.url
    ledger.create_mint(6, address=USDC)
    world = request.getfixturevalue("world")
    for _ in range(150):  # two calls
        world.track(Visitor().address)
    extensions = world.app.extensions
    background = Background(extensions[EXTENSION], extensions[JOBS], "worker")
    yield background
    background.stop(LIMIT_S)


def test_call_that_waits_for_its_endpoint_does_not_delay_the_end(background, endpoint):
    calls = []

    def fail_from_the_third(handler, right):
        calls.append(right)
        if len(calls) < 3:  # the mint, and the first of the balances
            handler.send_json(right)
        else:
            answer_status(503, Retry_After="60")(handler, right)

    endpoint.fail(fail_from_the_third)
    background.start()
    wait_for(lambda: len(calls) >= 3)
    began = time.monotonic()

    background.stop(LIMIT_S)

    assert time.monotonic() - began < 5
    assert not background.is_alive
    # What was read is kept, and another process does the rest at once.
    assert ChainBalance.select().count() == MOST_ACCOUNTS
    job = Job.get_by_id("balances")
    assert (job.due_at, job.failure, job.failed_at, job.finished_at) == (None,) * 4
    assert not Lease.select().exists()
