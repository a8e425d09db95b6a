"""What visitors do keeps what searches look at up to date, as their stories go on.

Changes by owners and commands: tests/web/dashboard/test_every_change.py, tests/cli.
"""

import pytest
from support.folded import list_wrongly_folded
from support.many_submissions import add_submissions
from support.world import Visitor, with_session

from embed.db import folded
from embed.db.connection import db
from embed.db.models import Submission, Wallet
from embed.domain.folding import fold_wallet
from embed.wallets import tracking

pytestmark = pytest.mark.databases("sqlite", "postgres")


@pytest.fixture(autouse=True)
def check_in_the_end(world):
    yield
    assert list_wrongly_folded() == []


def read_folded(address: str) -> str:
    return Wallet.get(Wallet.address == address).folded


@pytest.mark.parametrize("auto_approve", [True, False])
def test_submitted_wallet(world, auto_approve):
    world.configure(auto_approve=auto_approve)
    visitor = Visitor()

    submission_id = world.submit(visitor, "Émile").json["submissionId"]
    if not auto_approve:
        world.approve(submission_id)

    assert Submission.get().folded == read_folded(visitor.address)
    assert read_folded(visitor.address) == fold_wallet("emile", visitor.address)


def test_refused_submission_that_is_sent_again_with_another_name(world):
    visitor = with_session(world)
    world.configure(queue_capacity=0)

    for name in ("Ann", "Ben"):
        world.submit(visitor, name)

    assert Submission.get().folded == fold_wallet("ben", visitor.address)


def test_rejected_submission_is_not_found_by_its_name_after_its_withdrawal(world):
    visitor = Visitor()
    world.reject(world.submit(visitor, "Émile").json["submissionId"])
    world.clock.forward(minutes=1)

    world.withdraw(visitor)

    assert Submission.get().folded == fold_wallet(None, visitor.address)


def test_hidden_wallet_that_is_withdrawn_and_sent_again(world):
    visitor = Visitor()
    world.approve(world.submit(visitor, "Ann").json["submissionId"])
    hidden = tracking.WalletFields(is_hidden=True)
    tracking.update_wallet(Wallet.get().id, hidden, world.change())
    world.clock.forward(minutes=1)

    world.withdraw(visitor)
    assert read_folded(visitor.address) == fold_wallet(None, visitor.address)
    world.clock.forward(minutes=1)
    world.approve(world.submit(visitor, "Émile").json["submissionId"])

    assert read_folded(visitor.address) == fold_wallet("emile", visitor.address)


def test_all_rows_are_filled_in_batches(world, monkeypatch):
    monkeypatch.setattr(folded, "BATCH", 2)
    for alias in ("Ärzte", "100%_'x'", None, "Ольга", "Ben"):
        world.track(Visitor().address, alias=alias)
    add_submissions(world, 4, nickname="Łódź")
    for model in (Wallet, Submission):
        model.update(folded=None).execute()
    assert len(list_wrongly_folded()) == 9

    folded.fill(db.obj)

    assert list_wrongly_folded() == []
