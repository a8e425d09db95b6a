"""GET /embed/tracking/{id}/proofs and /receipts/{id}: what holders signed, for everyone."""

import base64
import re
from datetime import timedelta

import base58
import pytest
from frames import ask
from nacl.signing import VerifyKey
from support.world import SITE, USDC, Visitor, code_of, with_session

from embed.db.models import Proof, Submission, Wallet, Withdrawal
from embed.domain.wallet_signatures import list_signable_forms
from embed.errors import NotFound
from embed.submissions.erasure import erase_old_rejections
from embed.submissions.proofs import get_proof
from embed.wallets import tracking

on_both_databases = pytest.mark.databases("sqlite", "postgres")


def ask_receipt(world, submission_id, **arguments):
    return ask(world, f"/receipts/{submission_id}", **arguments)


def read_proofs(world, *wallet_ids) -> dict:
    answer = ask(world, "/proofs", wallets=",".join(wallet_ids))
    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    return answer.json["wallets"]


def submit(world, visitor=None, nickname="Ada") -> str:
    """Submit with a text that names the nickname; return the submission's id."""
    visitor = visitor or Visitor()
    nonce = world.ask_nonce(visitor, nickname=nickname).json
    draft = world.draft(visitor, nickname, nonce=nonce)
    return world.post(draft, cookie=visitor.cookie).json["submissionId"]


def prove(world, visitor=None, nickname="Ada") -> str:
    submission_id = submit(world, visitor, nickname)
    world.approve(submission_id)
    return submission_id


def find_wallet(submission_id) -> Wallet:
    submission = Submission.get_by_id(submission_id)
    return Wallet.get(
        Wallet.page == submission.page_id, Wallet.address == submission.wallet_address
    )


# Receipts


@on_both_databases
def test_receipt_has_all_that_is_needed_to_check_it(world):
    visitor = Visitor()
    submission_id = prove(world, visitor)

    answer = ask_receipt(world, submission_id)

    receipt = answer.json
    signed = base64.b64decode(receipt["signedBytes"])
    key = VerifyKey(base58.b58decode(receipt["walletAddress"]))
    assert key.verify(signed, base64.b64decode(receipt["signature"])) == signed
    assert signed == receipt["message"].encode()
    assert "\nName: Ada\n" in receipt["message"]
    assert receipt == {
        "format": "tracking-embed-receipt/1",
        "trackingPageId": world.page_id,
        "tokenMint": USDC,
        "walletAddress": visitor.address,
        "nickname": "Ada",
        "message": receipt["message"],
        "signature": receipt["signature"],
        "form": "raw",
        "signedBytes": receipt["signedBytes"],
        "createdAtIso": "2026-01-31T09:30:00.000Z",
    }
    headers = answer.headers
    assert answer.content_type == "application/json"
    name = f"receipt-{submission_id}.json"
    assert headers["Content-Disposition"] == f"inline; filename={name}"
    assert headers["Cache-Control"] == "private, no-store"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "Set-Cookie" not in headers


@pytest.mark.parametrize("number", range(7))
def test_receipt_tells_the_form_and_the_bytes_that_the_wallet_signed(world, number):
    visitor = Visitor()
    nonce = world.ask_nonce(visitor).json
    variants = list_signable_forms(
        nonce["message"], bytes(visitor.key.verify_key), host="localhost"
    )
    form, signed = list(variants)[number]
    signature = base64.b64encode(visitor.key.sign(signed).signature).decode()
    answer = world.post(world.draft(visitor, nonce=nonce, signature=signature))
    world.approve(answer.json["submissionId"])

    receipt = ask_receipt(world, answer.json["submissionId"]).json

    assert receipt["form"] == form
    assert base64.b64decode(receipt["signedBytes"]) == signed


@on_both_databases
@pytest.mark.parametrize("status", ["pending", "rejected"])
def test_what_is_not_on_the_list_is_read_by_its_sender_only(world, status):
    visitor, other = with_session(world), with_session(world)
    wallet = world.track(visitor.address)  # the owner's, which this doesn't prove
    submission_id, without_session = submit(world, visitor), submit(world)
    if status == "rejected":
        world.reject(submission_id)

    own = ask_receipt(world, submission_id, cookie=visitor.cookie, headers={"Origin": SITE})
    assert own.json["nickname"] == "Ada"
    assert not any(name.startswith("Access-Control-") for name, _ in own.headers)
    for cookie in (None, other.cookie, "forged"):
        answer = ask_receipt(world, submission_id, cookie=cookie)
        assert code_of(answer) == "not_found"
        assert answer.headers["Cache-Control"] == "private, no-store"
    assert code_of(ask_receipt(world, without_session)) == "not_found"
    assert read_proofs(world, wallet.id) == {}


LEAVE = {
    "hidden": lambda wallet, world: (
        Wallet.update(is_hidden=True).where(Wallet.id == wallet.id).execute()
    ),
    "withheld": lambda wallet, world: (
        Wallet.update(is_withheld=True).where(Wallet.id == wallet.id).execute()
    ),
    "removed": lambda wallet, world: tracking.remove_wallet(wallet.id, world.change()),
    "undone": lambda wallet, world: world.undo(Submission.get().id),
}


@on_both_databases
@pytest.mark.parametrize("leave", LEAVE.values(), ids=LEAVE)
def test_wallet_that_is_not_on_the_list_any_more_has_no_public_receipt(world, leave):
    visitor = with_session(world)
    submission_id = prove(world, visitor)
    wallet = find_wallet(submission_id)
    assert ask_receipt(world, submission_id).status_code == 200

    leave(wallet, world)

    assert code_of(ask_receipt(world, submission_id)) == "not_found"
    assert read_proofs(world, wallet.id) == {}
    assert ask_receipt(world, submission_id, cookie=visitor.cookie).status_code == 200


def test_submission_from_before_proofs_were_kept_has_no_receipt(world):
    submission_id = prove(world)
    Proof.delete().execute()

    assert code_of(ask_receipt(world, submission_id)) == "not_found"
    assert read_proofs(world, find_wallet(submission_id).id) == {}
    assert world.open_widget(Visitor()).status_code == 200


def test_withdrawn_receipt_says_so(world):
    submission_id = prove(world)
    Withdrawal.create(submission_id=submission_id, page=world.page_id, withdrawn_at=world.clock())
    Submission.delete().where(Submission.id == submission_id).execute()

    answer = ask_receipt(world, submission_id)

    assert answer.status_code == 410
    assert answer.content_type == "application/json"
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.json == {
        "error": "receipt_withdrawn",
        "withdrawnAtIso": "2026-01-31T09:30:00.000Z",
    }
    other = world.make_page()
    key = world.make_key("public", page_id=other)
    assert code_of(ask_receipt(world, submission_id, page_id=other, key=key)) == "not_found"


def test_receipt_of_an_erased_rejection_says_so(world):
    submission_id = world.submit(Visitor()).json["submissionId"]
    world.reject(submission_id)
    erase_old_rejections(world.clock() + timedelta(days=1))

    answer = ask_receipt(world, submission_id)

    assert (answer.status_code, answer.json) == (410, {"error": "receipt_erased"})
    with pytest.raises(NotFound, match=f"{submission_id} was erased"):
        get_proof(submission_id)


# Proofs of the list


@on_both_databases
def test_wallets_of_another_page_are_left_out(world):
    visitor = Visitor()
    wallet = world.track(visitor.address, alias="Whale")
    submission_id = prove(world, visitor)
    assert read_proofs(world, wallet.id) == {
        wallet.id: {
            "submissionId": submission_id,
            "nickname": "Ada",
            "createdAtIso": "2026-01-31T09:30:00.000Z",
        }
    }
    other = world.make_page()
    elsewhere = world.track(visitor.address, page_id=other)

    assert read_proofs(world, elsewhere.id) == {}
    key = world.make_key("public", page_id=other)
    both = f"{wallet.id},{elsewhere.id}"
    answer = ask(world, "/proofs", page_id=other, key=key, wallets=both)
    assert answer.json == {"wallets": {}}


@pytest.mark.parametrize("wallets", ["", "x", "\0"])
def test_what_is_no_id_is_left_out(world, wallets):
    prove(world)

    assert read_proofs(world, wallets) == {}


@on_both_databases
def test_a_hundred_take_as_many_statements_as_one_and_no_more_are_answered(
    world_with, count_statements
):
    world = world_with(LIMIT_IP_SUBMISSIONS="1000/hour")
    ids = [find_wallet(prove(world)).id for _ in range(101)]

    one = count_statements(lambda: read_proofs(world, ids[0]))
    assert count_statements(lambda: read_proofs(world, *ids)) == one == 3
    assert read_proofs(world, *ids).keys() == set(ids[:100])


def test_list_marks_proved_wallets_and_no_others(world):
    waits = Visitor()
    proved = find_wallet(prove(world))
    world.track(waits.address)
    submit(world, waits)
    text = ask(world).text

    rows = re.findall('<li class="wallet" data-id="(.*?)"(.*?)</li>', text, re.DOTALL)
    assert len(rows) == 2
    assert [wallet for wallet, row in rows if 'class="proved"' in row] == [proved.id]


# Refusals


def test_receipt_of_another_page_is_not_found_even_by_its_sender(world):
    visitor = with_session(world)
    submission_id = prove(world, visitor)
    other = world.make_page()
    key = world.make_key("public", page_id=other)
    world.track(visitor.address, page_id=other)

    for cookie in (None, visitor.cookie):
        answer = ask_receipt(world, submission_id, page_id=other, key=key, cookie=cookie)
        assert code_of(answer) == "not_found"


@pytest.mark.parametrize(
    "submission_id",
    ["x", "%00", "%ED%A0%80", "..%2f.."],
)
def test_receipt_that_there_is_not_is_not_found(world, submission_id):
    prove(world)

    assert code_of(ask_receipt(world, submission_id)) == "not_found"
