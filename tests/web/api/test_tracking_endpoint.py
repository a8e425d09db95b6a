"""GET /tracking/{id} (docs/api.md, Read a page), and its payload."""

from decimal import Decimal

import pytest
from support.world import USDC, Visitor, code_of

from embed.db.models import Token
from embed.wallets import tags, tracking


def test_page_with_everything_has_just_the_fields_that_are_documented(world):
    world.use_endpoint("http://127.0.0.1:9/")
    Token.create(mint=USDC, supply=Decimal(1000), supply_observed_at=world.clock())
    address, unknown = Visitor().address, Visitor().address
    world.configure(public_title="Our holders", public_comments="Thank you.\nAll of you.")
    friend = world.add_tag("Friend", "green", is_counted=False)
    world.clock.forward(seconds=1)
    whale = world.add_tag("Whale", "blue-500")
    wallet = world.track(address, alias="Ann", tag_names=["Whale"], balance="12.5")
    world.clock.forward(seconds=1)
    second = world.track(unknown)

    answer = world.read()

    assert answer.content_type == "application/json"
    assert answer.json == {
        "tokenName": "USD Coin",
        "tokenSymbol": "USDC",
        "tokenMint": USDC,
        "publicTitle": "Our holders",
        "publicComments": "Thank you.\nAll of you.",
        "wallets": [
            {
                "id": wallet.id,
                "address": address,
                "publicAlias": "Ann",
                "tokenBalance": 12.5,
                "tags": [{"id": whale.id, "name": "Whale", "color": "blue-500"}],
            },
            {
                "id": second.id,
                "address": unknown,
                "publicAlias": None,
                "tokenBalance": 0,
                "tags": [],
            },
        ],
        "tags": [
            {"id": friend.id, "name": "Friend", "color": "green"},
            {"id": whale.id, "name": "Whale", "color": "blue-500"},
        ],
    }


def test_hidden_wallets_are_never_returned(world):
    shown, hidden = Visitor().address, Visitor().address
    world.track(shown)
    world.track(hidden, alias="Secret", balance=7, is_hidden=True)

    answer = world.read()

    assert [wallet["address"] for wallet in answer.json["wallets"]] == [shown]
    assert hidden not in answer.text
    assert "Secret" not in answer.text


CHANGES = {
    "title": lambda world, wallet, tag: world.configure(public_title="Another"),
    "tag renamed": lambda world, wallet, tag: tags.update_tag(
        tag.id, tags.TagFields(name="Foe"), world.change()
    ),
    "tag removed": lambda world, wallet, tag: tags.remove_tag(tag.id, world.change()),
    "wallet removed": lambda world, wallet, tag: tracking.remove_wallet(wallet.id, world.change()),
    "alias": lambda world, wallet, tag: tracking.update_wallet(
        wallet.id, tracking.WalletFields(alias="Another"), world.change()
    ),
    "balance": lambda world, wallet, tag: world.observe(wallet.address, 7),
    "approval": lambda world, wallet, tag: world.approve(
        world.submit(Visitor()).json["submissionId"]
    ),
}


@pytest.mark.parametrize("make_change", CHANGES.values(), ids=CHANGES)
def test_next_read_shows_every_change(world, make_change):
    tag = world.add_tag("Friend")
    wallet = world.track(Visitor().address, alias="Ann", tag_names=["Friend"], balance=1)
    before = world.read()
    assert world.read().data == before.data

    make_change(world, wallet, tag)

    assert world.read().data != before.data


def test_of_submissions_only_the_approved_one_appears_under_its_nickname(world):
    visitor = Visitor()
    submitted = world.submit(visitor, "  Ｎｉｃｋ ")
    world.submit(Visitor(), "Waits")
    world.reject(world.submit(Visitor(), "Rejected").json["submissionId"])
    assert world.read().json["wallets"] == []

    world.approve(submitted.json["submissionId"])

    (wallet,) = world.read().json["wallets"]
    assert (wallet["address"], wallet["publicAlias"]) == (visitor.address, "Nick")


@pytest.mark.parametrize("setting", ["is_public", "is_embeddable"])
def test_private_page_and_switched_off_embedding_are_refused(world, setting):
    world.configure(**{setting: False})
    assert code_of(world.read()) == "embed_disabled"

    world.configure(**{setting: True})
    assert world.read().status_code == 200


# GET /tracking/{id}/wallets/{address}


def read_wallet(world, address: str, **how):
    return world.call("GET", f"/api/embed/tracking/{world.page_id}/wallets/{address}", **how)


@pytest.mark.parametrize("key", ["public_key", "secret_key"])
def test_wallet_is_as_the_list_has_it(world, key):
    address = Visitor().address
    world.track(address, balance="1250.5", alias="Treasury")

    answer = read_wallet(world, address, key=getattr(world, key))

    assert [answer.json] == world.read().json["wallets"]
    assert answer.json["tokenBalance"] == 1250.5


def test_share_is_there_once_the_supply_is_known(world):
    world.use_endpoint("http://127.0.0.1:9/")
    known, unknown = Visitor().address, Visitor().address
    world.track(known, balance="250")
    world.track(unknown)
    assert "share" not in read_wallet(world, known).json

    Token.create(mint=USDC, supply=Decimal(1000), supply_observed_at=world.clock())

    assert read_wallet(world, known).json["share"] == 0.25
    assert "share" not in read_wallet(world, unknown).json


def test_hidden_and_unknown_wallets_cannot_be_told_apart(world):
    hidden = Visitor().address
    world.track(hidden, is_hidden=True)

    answers = [read_wallet(world, hidden), read_wallet(world, Visitor().address)]

    assert [code_of(one) for one in answers] == ["wallet_not_found"] * 2
    assert answers[0].data == answers[1].data
