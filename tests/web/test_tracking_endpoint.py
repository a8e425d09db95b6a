"""GET /tracking/{id} (spec 4.1)."""

from world import Visitor


def test_page_without_wallets_has_just_the_fields_of_the_spec(world):
    answer = world.read()

    assert answer.status_code == 200
    assert answer.json == {
        "tokenName": "USD Coin",
        "tokenSymbol": "USDC",
        "tokenMint": world.page.token_mint,
        "publicTitle": None,
        "publicComments": None,
        "wallets": [],
        "tags": [],
    }


def test_approved_wallet_appears_under_its_nickname(world):
    visitor = Visitor()
    submitted = world.submit(visitor, "  Ｎｉｃｋ ")
    assert submitted.status_code == 201, submitted.json
    world.approve(submitted.json["submissionId"])

    (wallet,) = world.read().json["wallets"]
    assert (wallet["address"], wallet["publicAlias"]) == (visitor.address, "Nick")
