"""Texts by which wallets sign people in: what they say, and that none is taken for another."""

import base64
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import base58
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from embed.domain.account_nonces import (
    NONCE_LIFETIME,
    PURPOSES,
    AccountNonce,
    AccountNonceSigner,
)
from embed.domain.nonces import ACTIONS, STATEMENT, Nonce, NonceSigner, RecordNonce
from embed.domain.wallet_signatures import list_signable_forms, verify_signature
from embed.errors import ApiError

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
KEY = SigningKey(bytes(range(32)))
ADDRESS = base58.b58encode(bytes(KEY.verify_key)).decode()
SESSION = "session8901234567890"
LONGEST_HOST = ".".join(["a" * 63, "b" * 63, "c" * 63, "d" * 61]) + ":65535"

IDS = st.text("0123456789ABCXYZabcxyz", min_size=20, max_size=20)
HOSTS = st.sampled_from(["localhost", "embed.example:8080", "[2001:db8::1]:443", LONGEST_HOST])
EMAILS = st.sampled_from(
    ["", "ann@example.com", "ж" * 64 + "@example.com", "a" * 64 + "@" + "b" * 185 + ".com"]
)
ADDRESSES = st.binary(min_size=32, max_size=32).map(lambda raw: base58.b58encode(raw).decode())
INSTANTS = st.integers(0, 10**9).map(lambda n: NOW + n * MILLISECOND)
NONCES = st.builds(
    AccountNonce, st.sampled_from(PURPOSES), ADDRESSES, HOSTS, EMAILS, IDS, IDS, INSTANTS, INSTANTS
)
VISITORS_NONCES = st.one_of(
    st.builds(
        Nonce, IDS, ADDRESSES, IDS, HOSTS, IDS, INSTANTS, INSTANTS, st.sampled_from(["", "Ada"])
    ),
    st.builds(
        RecordNonce, IDS, ADDRESSES, IDS, HOSTS, IDS, INSTANTS, INSTANTS, st.sampled_from(ACTIONS)
    ),
)


def make_signer(*secret_keys: str, now: datetime = NOW) -> AccountNonceSigner:
    return AccountNonceSigner(secret_keys or ["secret"], lambda: now)


def issue(purpose="link", signer: AccountNonceSigner | None = None) -> tuple[str, AccountNonce]:
    return (signer or make_signer()).issue(
        purpose,
        wallet_address=ADDRESS,
        host="embed.example",
        email="ann@example.com",
        session_id=SESSION,
    )


def sign(text: str) -> str:
    return base64.b64encode(KEY.sign(text.encode()).signature).decode()


NONCE = replace(issue()[1], token="token678901234567890")


def test_issued_nonce_comes_back_and_lives_ten_minutes():
    nonce_id, nonce = issue()

    assert nonce.expires_at - nonce.issued_at == NONCE_LIFETIME == timedelta(minutes=10)
    assert make_signer(now=nonce.expires_at - MILLISECOND).unsign(nonce_id) == nonce
    assert replace(nonce, token="") == AccountNonce(
        "link",
        ADDRESS,
        "embed.example",
        "ann@example.com",
        SESSION,
        "",
        NOW,
        NOW + NONCE_LIFETIME,
    )
    with pytest.raises(ApiError, match=r"^invalid_nonce$"):
        make_signer(now=nonce.expires_at).unsign(nonce_id)


def test_no_two_nonces_are_the_same():
    assert issue()[1].build_message() != issue()[1].build_message()


def test_nonce_outlives_a_rotation_of_the_secret_key_and_no_other_key_makes_one():
    nonce_id, nonce = issue()

    assert make_signer("newer", "secret").unsign(nonce_id) == nonce
    with pytest.raises(ApiError, match=r"^invalid_nonce$"):
        make_signer("another").unsign(nonce_id)


@given(st.text(st.characters()))
def test_any_other_text_is_an_invalid_nonce(raw):
    with pytest.raises(ApiError, match=r"^invalid_nonce$"):
        make_signer().unsign(raw)


def test_no_character_of_what_is_signed_can_be_changed():
    nonce_id, _ = issue()
    for position in range(nonce_id.rindex(".")):
        changed = "A" if nonce_id[position] != "A" else "B"
        with pytest.raises(ApiError, match=r"^invalid_nonce$"):
            make_signer().unsign(nonce_id[:position] + changed + nonce_id[position + 1 :])


def test_nonces_of_visitors_and_of_people_are_never_taken_for_each_other():
    given = {
        "page_id": "page5678901234567890",
        "wallet_address": ADDRESS,
        "key_id": "key45678901234567890",
        "host": "embed.example",
        "lifetime": NONCE_LIFETIME,
    }
    submissions = NonceSigner(Nonce, ["secret"], lambda: NOW)
    records = NonceSigner(RecordNonce, ["secret"], lambda: NOW)
    raws = [submissions.issue(**given)[0], records.issue(**given, detail="withdraw")[0]]

    for raw in raws:
        with pytest.raises(ApiError, match=r"^invalid_nonce$"):
            make_signer().unsign(raw)
    for purpose in PURPOSES:
        for signer in (submissions, records):
            with pytest.raises(ApiError, match=r"^invalid_nonce$"):
                signer.unsign(issue(purpose)[0])


def test_nonce_is_bound_to_purpose_wallet_and_session():
    binding = {"purpose": "link", "wallet_address": ADDRESS, "session_id": SESSION}

    NONCE.check_binding(**binding)
    for other in (
        {"purpose": "sign in"},
        {"purpose": "confirm"},
        {"wallet_address": "1" * 32},
        {"wallet_address": ADDRESS.lower()},
        {"session_id": "another"},
        {"session_id": ""},
    ):
        with pytest.raises(ApiError, match=r"^nonce_binding_mismatch$"):
            NONCE.check_binding(**(binding | other))


def test_text_says_what_is_signed_for():
    assert NONCE.build_message() == (
        "embed.example asks you to link this wallet to your account.\n"
        "\n"
        "From then on, whoever holds this wallet can sign in to the account below.\n"
        "\n"
        f"Wallet: {ADDRESS}\n"
        "Account: ann@example.com\n"
        "Nonce: token678901234567890\n"
        "Issued at: 2026-01-31T09:30:00.000Z\n"
        "Valid until: 2026-01-31T09:40:00.000Z\n"
        "\n"
        "Signing is free. This signature does not authorize any transaction."
    )


def test_text_for_signing_in_names_no_account():
    text = replace(NONCE, purpose="sign in", email="", session_id="").build_message()

    assert text.startswith("embed.example asks you to sign in to its dashboard with this wallet.\n")
    assert f"\nWallet: {ADDRESS}\nNonce: " in text


@given(NONCES)
def test_text_is_what_a_ledger_can_sign(nonce):
    text = nonce.build_message()

    assert all(character == "\n" or " " <= character <= "~" for character in text)
    assert len(text.encode()) < 1200
    assert text.endswith(STATEMENT)


@pytest.mark.parametrize(
    "change",
    [
        {"purpose": "confirm"},
        {"wallet_address": "another"},
        {"host": "another.example"},
        {"email": "bob@example.com"},
        {"token": "another"},
        {"issued_at": NOW - MILLISECOND},
        {"expires_at": NOW + MILLISECOND},
    ],
    ids=lambda change: next(iter(change)),
)
def test_text_depends_on_every_part_that_it_names(change):
    assert replace(NONCE, **change).build_message() != NONCE.build_message()


def read_first_line(nonce) -> str:
    host, _, rest = nonce.build_message().partition("\n")[0].partition(" ")
    assert host == nonce.host
    return rest


@given(NONCES, NONCES, VISITORS_NONCES)
def test_no_text_is_one_for_another_purpose_or_one_of_a_visitor(one, other, visitors):
    is_same = one.purpose == other.purpose

    assert (read_first_line(one) == read_first_line(other)) == is_same
    assert read_first_line(one) != read_first_line(visitors)


@given(NONCES, st.one_of(NONCES, VISITORS_NONCES))
def test_no_form_of_a_text_is_one_of_another(one, other):
    """An envelope that one wallet puts around a text is no other text, and no other envelope."""

    def list_forms(nonce) -> set[bytes]:
        signer = base58.b58decode(ADDRESS)
        forms = list_signable_forms(nonce.build_message(), signer, host=nonce.host)
        return {signed for _, signed in forms}

    if one.build_message() != other.build_message():
        assert list_forms(one).isdisjoint(list_forms(other))


@given(NONCES, st.one_of(NONCES, VISITORS_NONCES))
def test_signature_of_another_text_is_invalid(one, other):
    if one.build_message() == other.build_message():
        return
    with pytest.raises(ApiError, match=r"^invalid_signature$"):
        verify_signature(ADDRESS, one.build_message(), sign(other.build_message()), host=one.host)
