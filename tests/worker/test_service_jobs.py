"""The service's own jobs: what they do, and what is told of them."""

import pytest
from support.rpc_access import PatientClock, connect
from support.rpc_faults import answer_error
from support.world import SECRET_KEY, Visitor

from embed.db.models import Page, UsedNonce
from embed.runtime import EXTENSION, Runtime
from embed.settings import Settings
from embed.wallets.balance_refresh import RefreshFailed
from embed.web.dashboard.server import TITLES
from embed.worker import KNOWN_ERRORS, list_jobs

pytestmark = pytest.mark.databases("sqlite", "postgres")

WITH_ENDPOINT = {"SECRET_KEY": SECRET_KEY, "SOLANA_RPC_URL": "http://localhost:8899"}


@pytest.fixture
def chain(endpoint):
    return connect(endpoint, clock=PatientClock())


def read_settings(environ: dict[str, str]) -> Settings:
    return Settings.from_environ({"SECRET_KEY": SECRET_KEY} | environ)


def list_names(settings: Settings) -> set[str]:
    return {job.name for job in list_jobs(settings)}


def run_job(name: str, runtime: Runtime) -> str:
    (job,) = (job for job in list_jobs(read_settings(WITH_ENDPOINT)) if job.name == name)
    return job.run(runtime, lambda: None)


def test_every_job_has_a_title_for_owners():
    assert list_names(read_settings(WITH_ENDPOINT)) == set(TITLES)


def test_balances_are_no_job_without_an_endpoint():
    assert "balances" not in list_names(read_settings({}))


def test_nonces_that_have_expired_are_pruned(app, world):
    world.show_records(Visitor())
    run_job("prune", app.extensions[EXTENSION])
    assert UsedNonce.select().exists()
    world.clock.forward(days=1, minutes=10)
    run_job("prune", app.extensions[EXTENSION])

    assert not UsedNonce.select().exists()


def test_balances_that_could_not_all_be_read_are_a_failure_that_is_told(
    app, world, ledger, endpoint
):
    mint, holder = ledger.create_mint(), Visitor().address
    ledger.mint_to(holder, mint, 5_000_000)
    Page.update(token_mint=mint).execute()
    world.track(holder)

    endpoint.fail(answer_error(-32005))
    with pytest.raises(RefreshFailed) as failure:
        run_job("balances", app.extensions[EXTENSION])
    assert isinstance(failure.value, KNOWN_ERRORS)
    assert "secret" not in str(failure.value)

    endpoint.heal()
    assert run_job("balances", app.extensions[EXTENSION]).startswith("1 balance read")
    assert [one["tokenBalance"] for one in world.read().json["wallets"]] == [5]
