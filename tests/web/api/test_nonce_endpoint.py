"""POST /siws/nonce (docs/api.md, Ask for a nonce), and the message to sign."""

import pytest
from support.world import Visitor, code_of, with_session

from embed.db.models import Proof, Submission, Wallet

pytestmark = pytest.mark.deployed


@pytest.mark.in_process
def test_duplicate_is_told_to_those_who_may_know_of_it_and_no_oracle_for_others(world):
    world.root = "/embed/api"
    visitor, stranger = with_session(world), with_session(world)
    asking = {"visitor": visitor.cookie, "stranger": stranger.cookie, "nobody": None}

    def told() -> set[str]:
        to = set()
        for name, cookie in asking.items():
            one = Visitor(visitor.key)
            one.cookie = cookie
            if world.ask_nonce(one).json["isDuplicate"]:
                to.add(name)
        return to

    assert told() == set()
    sent = world.submit(visitor, "Night heron").json["submissionId"]
    assert told() == {"visitor"}  # that it waits is nobody else's business
    world.approve(sent)
    assert told() == {"visitor", "stranger", "nobody"}
    Wallet.update(is_hidden=True).where(Wallet.address == visitor.address).execute()
    assert told() == {"visitor"}
    world.configure(is_public=False)
    assert told() == set()


@pytest.mark.in_process
def test_wallet_that_can_be_submitted_is_no_duplicate(world):
    world.root = "/embed/api"
    visitor = with_session(world)
    world.track(visitor.address)  # by the owner, so that its holder can still prove it
    assert world.ask_nonce(visitor).json["isDuplicate"] is False
    world.reject(world.submit(visitor).json["submissionId"])

    assert world.ask_nonce(visitor).json["isDuplicate"] is False


@pytest.mark.parametrize(
    ("public_url", "host"),
    [
        ("https://embed.example:8443", "embed.example:8443"),
        ("https://embed.example:443", "embed.example"),
    ],
)
@pytest.mark.in_process
def test_message_names_the_public_address(world_with, public_url, host):
    world = world_with(PUBLIC_URL=public_url)

    message = world.ask_nonce(Visitor(), headers={"Host": "embed.example"}).json["message"]

    assert message.startswith(f"{host} ")


def test_nothing_is_written_when_a_nonce_is_issued(world):
    visitor = with_session(world)
    before = world.dump()

    assert world.ask_nonce(visitor).status_code == 200

    assert world.dump() == before


def test_unknown_fields_are_ignored(world):
    body = {"trackingPageId": world.page_id, "walletAddress": Visitor().address, "more": [1]}
    body |= {"": None, "\ud800": "\ud800", "page_id": 1}  # no text, no JSON name of a field

    assert world.call("POST", "/api/embed/siws/nonce", json=body).status_code == 200


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON"])
@pytest.mark.in_process
def test_content_type_may_be_written_in_any_usual_way(world, content_type):
    body = f'{{"trackingPageId": "{world.page_id}", "walletAddress": "{Visitor().address}"}}'

    answer = world.call(
        "POST", "/api/embed/siws/nonce", data=body, headers={"Content-Type": content_type}
    )

    assert answer.status_code == 200


@pytest.mark.parametrize(
    "close_page",
    [
        lambda world: world.configure(is_public=False),
        lambda world: world.configure(is_embeddable=False),
        lambda world: world.delete_page(),
    ],
    ids=["private", "embedding off", "deleted"],
)
def test_state_of_the_page_is_judged_at_the_submission_only(world, close_page):
    close_page(world)

    assert world.ask_nonce(Visitor()).status_code == 200


@pytest.mark.parametrize(
    ("age", "code"),
    [({"seconds": 119, "milliseconds": 999}, None), ({"seconds": 120}, "invalid_nonce")],
    ids=["just before", "at the end"],
)
@pytest.mark.in_process
def test_nonce_lives_as_long_as_is_set(world_with, age, code):
    world = world_with(NONCE_LIFETIME="120")
    draft = world.draft(Visitor())

    world.clock.forward(**age)

    assert code_of(world.post(draft)) == code


# The optional nickname, which puts the name under the signature


@pytest.mark.parametrize("fields", [{}, {"nickname": None}], ids=["absent", "null"])
def test_message_without_a_name_has_no_such_line_and_goes_with_any_name(world, fields):
    visitor = Visitor()
    body = {"trackingPageId": world.page_id, "walletAddress": visitor.address} | fields
    nonce = world.call("POST", "/api/embed/siws/nonce", json=body).json

    assert "Name:" not in nonce["message"]
    assert code_of(world.post(world.draft(visitor, "Anybody", nonce=nonce))) is None


def submit_with_signed_name(world, nickname: str, signed_name: str):
    visitor = Visitor()
    nonce = world.ask_nonce(visitor, nickname=signed_name).json
    return world.post(world.draft(visitor, nickname, nonce=nonce))


@pytest.mark.in_process
def test_submission_brings_the_same_name_once_normalized(world):
    assert submit_with_signed_name(world, "Ａｄａ", "Ada").status_code == 201
    assert Submission.get().nickname == "Ada"
    assert "\nName: Ada\n" in Proof.get().message


@pytest.mark.parametrize("nickname", ["Bob", "Adа"])
@pytest.mark.in_process
def test_submission_with_another_name_is_refused(world, nickname):
    assert code_of(submit_with_signed_name(world, nickname, "Ada")) == "nonce_binding_mismatch"
    assert Submission.select().count() == Proof.select().count() == 0
