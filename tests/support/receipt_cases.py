"""Receipts that hold, and ones that come close: for every way of checking them."""

import base64
import json
from collections.abc import Callable
from datetime import timedelta

import base58
from nacl.signing import SigningKey
from support.world import USDC, Clock

from embed.db.models import Page, Proof, Submission
from embed.domain.nonces import Nonce
from embed.domain.wallet_signatures import list_signable_forms
from embed.serializers import describe_receipt

PAGE_ID = "KcSGXVu1dM9WKcnWRfvt"
HOST = "embed.example"
LONG_HOST = "wallets.of-a-long-name.embed.example:8443"  # an envelope has room for 32 bytes
WALLET = SigningKey(bytes(range(32)))

Receipt = dict[str, str]


def encode(value: bytes) -> str:
    return base64.b64encode(value).decode()


def list_receipts(nickname: str | None = "Ada", host: str = HOST) -> list[Receipt]:
    """Return a receipt in each variant of each form."""
    key = bytes(WALLET.verify_key)
    message = build_message(nickname, host=host)
    variants = list_signable_forms(message, key, host=host)
    return [make_receipt(message, form, signed, nickname) for form, signed in variants]


def make(form: str = "raw", nickname: str | None = "Ada") -> Receipt:
    return next(one for one in list_receipts(nickname) if one["form"] == form)


def build_message(nickname: str | None, address: str | None = None, host: str = HOST) -> str:
    now = Clock()()
    return Nonce(
        page_id=PAGE_ID,
        wallet_address=address or base58.b58encode(bytes(WALLET.verify_key)).decode(),
        key_id="k",
        host=host,
        token="M861dCFXZggWrOk2YJND",
        issued_at=now,
        expires_at=now + timedelta(minutes=10),
        detail=nickname or "",
    ).build_message()


def make_receipt(
    message: str, form: str, signed_bytes: bytes, nickname: str | None = "Ada", **fields: str
) -> Receipt:
    """Return what the service would tell of this signature by WALLET; `fields` replace."""
    page = Page(id=PAGE_ID, token_mint=USDC)
    address = base58.b58encode(bytes(WALLET.verify_key)).decode()
    submission = Submission(
        page=page,
        wallet_address=address,
        nickname=nickname or "Anybody",
        created_at=Clock()(),
    )
    proof = Proof(
        submission=submission,
        message=message,
        signature=WALLET.sign(signed_bytes).signature,
        form=form,
        envelope=signed_bytes,
    )
    return describe_receipt(proof) | fields


def flip(text: str, position: int = 5) -> str:
    """Return base64 with one bit of one byte changed."""
    changed = bytearray(base64.b64decode(text))
    changed[position] ^= 1
    return encode(bytes(changed))


OTHER = base58.b58encode(bytes(SigningKey(bytes(32)).verify_key)).decode()


def sign_other(receipt: Receipt, message: str, **fields: str) -> Receipt:
    """Return a receipt with a good signature by the wallet, over another text."""
    return make_receipt(message, "raw", message.encode(), "Ada", **fields)


def sign_behind(receipt: Receipt, head: bytes, form: str) -> Receipt:
    """Return a receipt whose text stands behind bytes that are no envelope."""
    message = receipt["message"]
    return make_receipt(message, form, head + message.encode())


# What makes a receipt in the form "raw" one that does not hold, each by one change.
NEAR_MISSES: dict[str, Callable[[Receipt], Receipt]] = {
    "a bit of R": lambda one: one | {"signature": flip(one["signature"])},
    "63 bytes of signature": lambda one: (
        one | {"signature": encode(base64.b64decode(one["signature"])[:63])}
    ),
    "another name": lambda one: one | {"nickname": "Bob"},
    "a name that looks alike": lambda one: one | {"nickname": "Аda"},
    "another wallet": lambda one: one | {"walletAddress": OTHER},
    "another page": lambda one: one | {"trackingPageId": PAGE_ID[::-1]},
    "a form that there is not": lambda one: one | {"form": "v2"},
    "a byte of the signed bytes": lambda one: one | {"signedBytes": flip(one["signedBytes"])},
    "all but the signature": lambda one: (
        one
        | {
            "message": one["message"].replace("Ada", "Bob"),
            "nickname": "Bob",
            "signedBytes": encode(one["message"].replace("Ada", "Bob").encode()),
        }
    ),
    "a text for something else": lambda one: sign_other(
        one, one["message"].replace("asks for proof that you own this", "may withdraw this")
    ),
    "a text with more before it": lambda one: sign_other(one, "I do not agree:\n" + one["message"]),
    "two names": lambda one: sign_other(
        one, one["message"].replace("Name: Ada\n", "Name: Ada\nName: Bob\n")
    ),
    "the text behind a transaction": lambda one: sign_behind(one, b"\1" * 50, "v1"),
    "an envelope of another version": lambda one: sign_behind(
        one, b"\xffsolana offchain\2\1" + bytes(WALLET.verify_key), "v1"
    ),
}


def list_forgeries() -> list[Receipt]:
    """Return receipts for keys of small order, whose signatures need no secret.

    With S = 0 and R the identity, the identity key fits every text, and the others fit some.
    """
    keys = ("01" + "00" * 31, "ec" + "ff" * 30 + "7f", "00" * 32, "ee" + "ff" * 30 + "7f")
    forgeries = []
    for key in map(bytes.fromhex, keys):
        address = base58.b58encode(key).decode()
        message = build_message("Ada", address)
        forged = encode(b"\1" + bytes(63))
        forgeries.append(
            make_receipt(message, "raw", message.encode(), walletAddress=address, signature=forged)
        )
    return forgeries


def write(receipt: Receipt) -> str:
    return json.dumps(receipt, ensure_ascii=False)
