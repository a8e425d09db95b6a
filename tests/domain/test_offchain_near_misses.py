"""What almost is an off-chain envelope around our message proves nothing."""

import base64
import struct

import base58
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey
from support.offchain_bytes import FIELDS_BY_FORM, LONG_UTF8, SIGNING_DOMAIN, Envelope

from embed.domain.wallet_signatures import list_signable_forms, verify_signature
from embed.errors import ApiError

HOST = "embed.example"
MESSAGE = f"{HOST} asks for proof that you own this wallet.\n\nName: Nacht-Reiher ñ\n\nIt is free."
BODY = MESSAGE.encode()
WALLET, OTHER = SigningKey(bytes(range(32))), SigningKey(bytes(range(1, 33)))
KEY, OTHER_KEY = bytes(WALLET.verify_key), bytes(OTHER.verify_key)
ADDRESS = base58.b58encode(KEY).decode()
LENGTH = struct.pack("<H", len(BODY))


def find_code(signed_bytes: bytes, *, key=WALLET, message=MESSAGE, host=HOST) -> str | None:
    """Return the code with which the signature of `signed_bytes` is refused, or None."""
    signature = base64.b64encode(key.sign(signed_bytes).signature).decode()
    try:
        verify_signature(ADDRESS, message, signature, host=host)
    except ApiError as refusal:
        return refusal.code
    return None


def build(form: str, **changes: object) -> bytes:
    return bytes(Envelope(form, BODY, (KEY,)).change(**changes))


each_form = pytest.mark.parametrize("form", FIELDS_BY_FORM)

IN_EVERY_FORM = {
    "a domain with another first byte": {"signing_domain": b"\xfe" + SIGNING_DOMAIN[1:]},
    "version 2": {"version": 2},
    "a line break at the end": {"body": BODY + b"\n"},
    "the message without its last byte": {"body": BODY[:-1]},
    "line ends of Windows": {"body": BODY.replace(b"\n", b"\r\n")},
    "another host": {"body": b"e" + BODY},
    "the message in Latin-1": {"body": MESSAGE.encode("latin-1")},
}
WITH_A_FIELD = [
    ("application", "one letter less", HOST[:-1].encode().ljust(32, b"\0")),
    ("application", "another host", b"embed.example.evil".ljust(32, b"\0")),
    ("format", "ASCII, which it is not", 0),
    ("format", "long", LONG_UTF8),
    ("signers", "another", (OTHER_KEY,)),
    ("signers", "none", ()),
    ("signers", "two", tuple(sorted((KEY, OTHER_KEY)))),
    ("signers", "itself twice", (KEY, KEY)),
    ("count", "two", 2),
    ("length", "one less", struct.pack("<H", len(BODY) - 1)),
    ("length", "the other byte first", LENGTH[::-1]),
    ("length", "of four bytes", LENGTH + bytes(2)),
    ("length", "left out", b""),
    ("length", "in characters", struct.pack("<H", len(MESSAGE))),
]


@each_form
def test_envelope_without_a_mistake_would_be_accepted(form):
    assert find_code(build(form)) is None


@each_form
@pytest.mark.parametrize("changes", IN_EVERY_FORM.values(), ids=list(IN_EVERY_FORM))
def test_mistake_in_an_envelope_is_refused(form, changes):
    assert find_code(build(form, **changes)) == "invalid_signature"


@pytest.mark.parametrize(
    ("form", "changes"),
    [
        pytest.param(form, {field: value}, id=f"{form}, {field}: {name}")
        for form, fields in FIELDS_BY_FORM.items()
        for field, name, value in WITH_A_FIELD
        # v1 has no length: leaving it out of the early form makes the final one.
        if field in fields and (form, name) != ("v1-early", "left out")
    ],
)
def test_mistake_in_a_field_is_refused(form, changes):
    assert find_code(build(form, **changes)) == "invalid_signature"


@each_form
def test_another_signer_is_refused(form):
    assert find_code(build(form), key=OTHER) == "invalid_signature"
    assert find_code(build(form, signers=(OTHER_KEY,)), key=OTHER) == "invalid_signature"


@each_form
def test_envelope_for_another_host_is_refused(form):
    """Each host asks with a text that names it; only v0 repeats the host."""
    theirs = MESSAGE.replace(HOST, "other.example")
    envelope = build(form, body=theirs.encode(), application=b"other.example".ljust(32, b"\0"))

    assert find_code(envelope) == "invalid_signature"
    assert find_code(envelope, host="other.example") == "invalid_signature"


@each_form
@given(data=st.data())
def test_envelope_with_a_part_replaced_is_refused(form, data):
    envelope = build(form)
    start = data.draw(st.integers(0, len(envelope)))
    end = data.draw(st.integers(start, len(envelope)))
    changed = envelope[:start] + data.draw(st.binary(max_size=80)) + envelope[end:]

    expected = None if changed in list_accepted() else "invalid_signature"
    assert find_code(changed) == expected


def list_accepted() -> set[bytes]:
    return {signed for _, signed in list_signable_forms(MESSAGE, KEY, host=HOST)}


def test_message_of_any_length_can_be_signed_raw_but_envelopes_hold_what_a_ledger_signs():
    for size, forms in ((1_212, set(FIELDS_BY_FORM) | {"raw"}), (1_213, {"raw", "v1"})):
        listed = list_signable_forms("x" * size, KEY, host=HOST)
        assert {form for form, _ in listed} == forms


def test_ascii_is_what_a_ledger_shows_and_line_breaks():
    def has_ascii_form(text: str) -> bool:
        forms = [form for form, _ in list_signable_forms(text, KEY, host=HOST)]
        return forms.count("legacy-v0") == 2

    shown = {code for code in range(0x200) if has_ascii_form(f"x{chr(code)}x")}
    assert shown == {0x0A, *range(0x20, 0x7F)}
