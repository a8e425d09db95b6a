"""flask submissions receipt, and flask export-receipts."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.servers import clean_environ
from support.world import USDC, Visitor

from embed.cli import receipts as command
from embed.db.models import Proof, Submission, Wallet, Withdrawal
from embed.submissions.proofs import list_public_proofs

pytestmark = pytest.mark.slow

NOWHERE = "0" * 20


@pytest.fixture
def run(app):
    """Run a command in this process."""
    runner = app.test_cli_runner()
    return lambda *arguments: runner.invoke(args=arguments)


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


def refuse(run, *arguments) -> str:
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    return line.removeprefix("Error: ")


def export(run, world) -> bytes:
    done = run("export-receipts", world.page_id)
    assert done.exit_code == 0, done.stderr
    assert done.stderr == f"{hashlib.sha256(done.stdout_bytes).hexdigest()}  -\n"
    return done.stdout_bytes


# One


@pytest.mark.databases("sqlite", "postgres")
def test_receipt_is_the_one_that_the_public_reads(run, world, prove):
    submission_id = prove()

    done = run("submissions", "receipt", submission_id, "--json")

    path = f"/embed/tracking/{world.page_id}/receipts/{submission_id}?key={world.public_key}"
    assert json.loads(done.stdout) == world.client.get(path).json


def test_receipt_that_there_is_not_is_refused_with_the_reason(run, world, prove):
    old, withdrawn = prove(), prove()
    Proof.delete().where(Proof.submission == old).execute()
    Submission.delete().where(Submission.id == withdrawn).execute()
    Withdrawal.create(submission_id=withdrawn, page=world.page_id, withdrawn_at=world.clock())

    def find(submission_id):
        return refuse(run, "submissions", "receipt", submission_id)

    assert find(old) == f"No proof was kept for submission {old}."
    assert find(NOWHERE) == f"There is no submission {NOWHERE}."
    assert find(withdrawn) == (
        f"The wallet's holder withdrew {withdrawn} at 2026-01-31T09:30:00.000Z."
    )


# All


@pytest.mark.databases("sqlite", "postgres")
def test_export_has_the_receipts_of_the_list_by_time_and_then_id(run, world, prove):
    first = prove("Ada")
    world.clock.forward(seconds=1)
    same_time = sorted([prove("Bob"), prove("Bob"), prove("अदिति")])

    written = export(run, world)

    exported = json.loads(written)
    receipts = exported.pop("receipts")
    assert exported == {
        "format": "tracking-embed-receipts/1",
        "trackingPageId": world.page_id,
        "tokenMint": USDC,
    }
    for submission_id, receipt in zip([first, *same_time], receipts, strict=True):
        done = run("submissions", "receipt", submission_id, "--json")
        assert json.loads(done.stdout) == receipt
    assert written.endswith(b"\n]}\n")
    assert len(written.splitlines()) == len(receipts) + 2  # a receipt in each line


def test_same_list_gives_the_same_bytes_at_any_time(run, world, prove):
    for _ in range(5):
        prove()
    before = export(run, world)

    world.clock.forward(days=3)
    world.submit(Visitor())  # waits, so it is not on the list
    world.configure(public_title="Another title")

    assert export(run, world) == before
    prove()
    assert export(run, world) != before


@pytest.mark.databases("sqlite", "postgres")
def test_export_has_only_what_the_public_may_read(run, world, prove):
    shown, hidden, withheld, rejected, removed = (Visitor() for _ in range(5))
    for visitor in (shown, hidden, withheld, removed):
        prove(visitor=visitor)
    world.reject(world.submit(rejected).json["submissionId"])
    world.submit(Visitor())
    world.track(Visitor().address)
    Wallet.update(is_hidden=True).where(Wallet.address == hidden.address).execute()
    Wallet.update(is_withheld=True).where(Wallet.address == withheld.address).execute()
    Wallet.delete().where(Wallet.address == removed.address).execute()

    receipts = json.loads(export(run, world))["receipts"]

    assert [receipt["walletAddress"] for receipt in receipts] == [shown.address]


def test_export_goes_to_a_file_whose_digest_can_be_checked(run, world, prove, tmp_path):
    prove()
    path = tmp_path / "receipts.json"

    done = run("export-receipts", world.page_id, "--output", str(path))

    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path}\n"
    assert path.read_bytes() == export(run, world)


@pytest.mark.parametrize(
    "close",
    [
        lambda world: world.configure(is_public=False),
        lambda world: world.configure(is_embeddable=False),
        lambda world: world.delete_page(),
    ],
    ids=["private", "embedding off", "deleted"],
)
def test_list_that_nobody_may_read_is_not_exported(run, world, prove, close):
    prove()
    close(world)

    assert "is not public, so there are no receipts" in refuse(
        run, "export-receipts", world.page_id
    )


def test_export_that_breaks_off_leaves_the_file_as_it_was(run, world, prove, tmp_path, monkeypatch):
    def break_off(page):
        yield from list_public_proofs(page)
        raise OSError(28, "No space left on device")

    prove()
    path = tmp_path / "receipts.json"
    path.write_text("before")
    monkeypatch.setattr(command, "list_public_proofs", break_off)

    told = refuse(run, "export-receipts", world.page_id, "--output", str(path))

    assert told == "[Errno 28] No space left on device"  # and no digest
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["receipts.json"]


def test_new_file_has_the_place_and_the_mode_of_the_one_before(run, world, tmp_path):
    path, link = tmp_path / "receipts.json", tmp_path / "link.json"
    path.touch(mode=0o600)
    link.symlink_to(path)

    assert run("export-receipts", world.page_id, "--output", str(link)).exit_code == 0

    assert (path.stat().st_mode & 0o777, link.is_symlink()) == (0o600, True)
    assert path.read_bytes() == export(run, world)


def test_device_is_written_to_and_not_replaced(run, world):
    told = refuse(run, "export-receipts", world.page_id, "--output", "/dev/full")

    assert told == "[Errno 28] No space left on device"
    assert Path("/dev/full").is_char_device()


def test_full_disk_behind_standard_output_gives_an_error_and_no_digest(world, environ):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "flask", "export-receipts", world.page_id],
            env=clean_environ() | environ,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )

    assert done.returncode == 1
    assert done.stderr == "Error: [Errno 28] No space left on device\n"
