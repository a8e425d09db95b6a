"""flask submissions receipt, and flask export-receipts."""

import hashlib
import json

import pytest
from support.world import USDC, Visitor

from embed.db.models import Proof, Submission, Wallet, Withdrawal
from embed.submissions import proofs

pytestmark = pytest.mark.slow

NOWHERE = "0" * 20


@pytest.fixture
def prove(world):
    """Submit a wallet and have it approved; return the submission's id."""

    def submit_and_approve(nickname="Ada", visitor=None) -> str:
        visitor = visitor or Visitor()
        nonce = world.ask_nonce(visitor, nickname=nickname).json
        answer = world.post(world.draft(visitor, nickname, nonce=nonce))
        world.approve(answer.json["submissionId"])
        return answer.json["submissionId"]

    return submit_and_approve


def export(operator, world) -> bytes:
    done = operator.run("export-receipts", world.page_id)
    assert done.exit_code == 0, done.stderr
    assert done.stderr == f"{hashlib.sha256(done.stdout_bytes).hexdigest()}  -\n"
    return done.stdout_bytes


# One


@pytest.mark.databases("sqlite", "postgres")
def test_receipt_is_the_one_that_the_public_reads(operator, world, prove):
    submission_id = prove()

    path = f"/embed/tracking/{world.page_id}/receipts/{submission_id}?key={world.public_key}"
    assert operator.show("submissions", "receipt", submission_id) == world.client.get(path).json


def test_receipt_that_there_is_not_is_refused_with_the_reason(operator, world, prove):
    old, withdrawn = prove(), prove()
    Proof.delete().where(Proof.submission == old).execute()
    Submission.delete().where(Submission.id == withdrawn).execute()
    Withdrawal.create(submission_id=withdrawn, page=world.page_id, withdrawn_at=world.clock())

    def find(submission_id):
        return operator.refuse("submissions", "receipt", submission_id)

    assert find(old) == f"Error: No proof was kept for submission {old}."
    assert find(NOWHERE) == f"Error: There is no submission {NOWHERE}."
    assert find(withdrawn) == (
        f"Error: The wallet's holder withdrew {withdrawn} at 2026-01-31T09:30:00.000Z."
    )


# All


@pytest.mark.databases("sqlite", "postgres")
def test_export_has_the_receipts_of_the_list_by_time_and_then_id(operator, world, prove):
    first = prove("Ada")
    world.clock.forward(seconds=1)
    same_time = sorted([prove("Bob"), prove("Bob"), prove("अदिति")])

    written = export(operator, world)

    exported = json.loads(written)
    receipts = exported.pop("receipts")
    assert exported == {
        "format": "tracking-embed-receipts/1",
        "trackingPageId": world.page_id,
        "tokenMint": USDC,
    }
    for submission_id, receipt in zip([first, *same_time], receipts, strict=True):
        assert operator.show("submissions", "receipt", submission_id) == receipt
    assert written.endswith(b"\n]}\n")
    assert len(written.splitlines()) == len(receipts) + 2  # a receipt in each line


@pytest.mark.databases("sqlite", "postgres")
def test_export_has_only_what_the_public_may_read(operator, world, prove):
    shown, hidden, withheld, rejected, removed = (Visitor() for _ in range(5))
    for visitor in (shown, hidden, withheld, removed):
        prove(visitor=visitor)
    world.reject(world.submit(rejected).json["submissionId"])
    world.submit(Visitor())
    world.track(Visitor().address)
    Wallet.update(is_hidden=True).where(Wallet.address == hidden.address).execute()
    Wallet.update(is_withheld=True).where(Wallet.address == withheld.address).execute()
    Wallet.delete().where(Wallet.address == removed.address).execute()

    receipts = json.loads(export(operator, world))["receipts"]

    assert [receipt["walletAddress"] for receipt in receipts] == [shown.address]


@pytest.mark.parametrize("field", ["is_public", "is_embeddable"])
def test_list_that_nobody_may_read_is_not_exported(operator, world, prove, field):
    prove()
    world.configure(**{field: False})

    assert "is not public, so there are no receipts" in operator.refuse(
        "export-receipts", world.page_id
    )


def test_export_that_breaks_off_leaves_the_file_as_it_was(
    operator, world, prove, tmp_path, monkeypatch
):
    list_all = proofs.list_public_proofs

    def break_off(page):
        yield from list_all(page)
        raise OSError(28, "No space left on device")

    prove()
    path = tmp_path / "receipts.json"
    path.write_text("before")
    monkeypatch.setattr(proofs, "list_public_proofs", break_off)

    told = operator.refuse("export-receipts", world.page_id, "--output", str(path))

    assert told == "Error: [Errno 28] No space left on device"  # and no digest
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["receipts.json"]
