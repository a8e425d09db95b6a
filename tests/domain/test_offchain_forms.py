"""Signatures by implementations that are not ours, in every form in which wallets sign."""

import base64
import hashlib
import json
import subprocess
from datetime import UTC, datetime, timedelta

import base58
import pytest
from solders.keypair import Keypair
from support.absence import find_node
from support.offchain_bytes import ASCII, FIELDS_BY_FORM, NO_APPLICATION, UTF8, Envelope
from support.servers import PROJECT_DIR

from embed.domain.nonces import Nonce
from embed.domain.wallet_signatures import FORMS, list_signable_forms, verify_signature

HOST = "embed.example"
LONG_HOST = "a-host-with-a-name-longer-than-32.example"
SEED = bytes(range(32))
WALLET = Keypair.from_seed(SEED)
ADDRESS = str(WALLET.pubkey())
ISSUED_AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def write_message(nickname: str, host: str = HOST) -> str:
    page, key, token = "p" * 20, "k" * 20, "t" * 20
    until = ISSUED_AT + timedelta(minutes=10)
    return Nonce(page, ADDRESS, key, host, token, nickname, ISSUED_AT, until).build_message()


ASCII_MESSAGE = write_message("Night heron")
MESSAGE = write_message("Nacht-Reiher ñ 夜鷺 ё")


def verify(message: str, signature: bytes, host: str = HOST):
    return verify_signature(ADDRESS, message, base64.b64encode(signature).decode(), host=host)


def sign(signed_bytes: bytes) -> bytes:
    return bytes(WALLET.sign_message(signed_bytes))


# The official packages of the Solana kit


@pytest.fixture(scope="module")
def kit() -> list[dict]:
    """What the packages sign: for each message without an application, then with the host's."""
    node = find_node()
    tasks = [
        {"text": text, "seed": [*SEED], "domain": [*application]}
        for text in (ASCII_MESSAGE, MESSAGE)
        for application in (NO_APPLICATION, HOST.encode().ljust(32, b"\0"))
    ]
    program = PROJECT_DIR / "tests/js/sign-with-kit.js"
    done = subprocess.run(
        [node, program], input=json.dumps(tasks), capture_output=True, text=True, check=True
    )
    return [task | answer for task, answer in zip(tasks, json.loads(done.stdout), strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["raw", "v0", "v1"])
def test_kit_of_solana_signs_what_is_accepted(kit, form):
    for made in kit:
        assert made["address"] == ADDRESS
        signed = made["signed"][form]

        verified = verify(made["text"], base64.b64decode(signed["signature"]))

        assert verified.form == form
        assert verified.signed_bytes == base64.b64decode(signed["bytes"])


# solders, over bytes built from the specifications


@pytest.mark.parametrize("form", [*FIELDS_BY_FORM, "raw"])
@pytest.mark.parametrize("message", [ASCII_MESSAGE, MESSAGE], ids=["ASCII", "not ASCII"])
def test_every_envelope_is_accepted_and_named(form, message):
    envelope = message.encode()
    if form != "raw":
        envelope = bytes(Envelope(form, envelope, (bytes(WALLET.pubkey()),)))

    verified = verify(message, sign(envelope))

    assert verified.form == form
    assert verified.signed_bytes == envelope


@pytest.mark.parametrize("form", ["legacy-v0", "v0"])
def test_ledgers_may_call_line_breaks_ascii_but_no_other_letters(form):
    def sign_as(format_: int, message: str) -> bytes:
        key = bytes(WALLET.pubkey())
        return sign(bytes(Envelope(form, message.encode(), (key,), format=format_)))

    assert verify(ASCII_MESSAGE, sign_as(ASCII, ASCII_MESSAGE)).form == form
    assert verify(MESSAGE, sign_as(UTF8, MESSAGE)).form == form
    with pytest.raises(Exception, match=r"^invalid_signature$"):
        verify(MESSAGE, sign_as(ASCII, MESSAGE))


@pytest.mark.parametrize("host", [HOST, LONG_HOST])
def test_application_may_be_the_host_cut_at_32_bytes(host):
    message = write_message("Nick", host)
    application = host.encode()[:32].ljust(32, b"\0")
    key = bytes(WALLET.pubkey())
    envelope = bytes(Envelope("v0", message.encode(), (key,), application=application))

    assert verify(message, sign(envelope), host).signed_bytes == envelope


# Digests that other implementations give for their own envelopes

# base58 of SHA-256, in the tests of solana-sdk offchain-message/src/lib.rs: what the command line
# signs before and from release 3.0 of the crate. The signer of the last is the zero key.
OF_THE_COMMAND_LINE = [
    ("legacy-v0", "Тестовое сообщение", "6GXTveatZQLexkX4WeTpJ3E7uk1UojRXpKp43c4ArSun"),
    ("v0", "Тестовое сообщение", "E5tkTdEzcYTe5deSvw5jqzwPUEVBT83P4aHCYxjtzEW8"),
]

# The first 20 bytes of SHA-256 of what OffchainMessageBuilder of @ledgerhq/device-signer-kit-solana
# 1.13.0 builds for the signer 00 01 02 ... 1f. The host is its application domain, by default none.
OF_LEDGER = [
    ("legacy-v0", "two\nlines", None, "a2705deb188cd5d95cf68b8b54aac4b6c0e03bd8"),
    ("v0", "two\nlines", HOST, "b5cf55154c7fa701b26ed0495593f47e12f0170b"),
    ("v0", "two\nlines", LONG_HOST, "dfa42aa18184d3b4d0dccd9be47b197eddea98ac"),
    ("legacy-v0", "Тестовое сообщение", None, "4e4497c01eaaae13b9f6b80f35609fb0c06a9087"),
    ("v0", "Тестовое сообщение", None, "26e4c33d1f2029e0c9304078ee51a172fbbacc34"),
    ("v0", "Тестовое сообщение", LONG_HOST, "5cf9996d273b38531e3cbcd2a70956ad78e81b3f"),
    ("v1-early", "Тестовое сообщение", None, "6ca8313486186353201ace214a6e1dc9744af8c8"),
    ("v1", "Тестовое сообщение", None, "0eb5e97696f01e375cfa4f564c139a1e82c65a26"),
]


def list_digests(text: str, signer: bytes, host: str) -> set[tuple[str, str]]:
    forms = list_signable_forms(text, signer, host=host)
    return {(form, hashlib.sha256(signed).hexdigest()[:40]) for form, signed in forms}


@pytest.mark.parametrize(("form", "text", "digest"), OF_THE_COMMAND_LINE)
def test_command_line_of_solana_signs_a_form_that_is_accepted(form, text, digest):
    hex_digest = base58.b58decode(digest).hex()[:40]

    assert (form, hex_digest) in list_digests(text, bytes(32), HOST)


@pytest.mark.parametrize(("form", "text", "host", "digest"), OF_LEDGER)
def test_kit_of_ledger_signs_a_form_that_is_accepted(form, text, host, digest):
    assert (form, digest) in list_digests(text, bytes(range(32)), host or HOST)


def test_every_form_was_tried():
    tried = {form for form, *_ in [*OF_THE_COMMAND_LINE, *OF_LEDGER]}

    assert tried | {"raw"} == {"raw", *FIELDS_BY_FORM} == set(FORMS)
