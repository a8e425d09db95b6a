"""Who may be asked for passkeys, what challenges are good for, and answers of any kind."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.passkey_device import Device

from embed.domain import passkeys
from embed.domain.passkeys import (
    ADD,
    CHALLENGE_LIFETIME,
    CONFIRM,
    SIGN_IN,
    RefusedPasskey,
    RelyingParty,
    check_challenge,
    issue_challenge,
)
from embed.domain.signing import Signer

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
PARTY = RelyingParty("https://embed.example", "embed.example")
PERSON = "person78901234567890"


def make_signer(*secret_keys: str, now: datetime = NOW) -> Signer:
    return Signer(secret_keys or ["secret"], lambda: now)


def make_creation(party: RelyingParty = PARTY) -> str:
    return passkeys.describe_creation(
        party,
        issue_challenge(make_signer(), ADD),
        person_id=PERSON,
        email="a@example.com",
        known_ids=[],
    )


DEVICE = Device(PARTY.origin, PARTY.host)
NEW = DEVICE.create(make_creation())
KEPT = passkeys.read_registration(passkeys.read_answer(NEW), PARTY)
ANSWER = DEVICE.get(passkeys.describe_request(PARTY, issue_challenge(make_signer(), SIGN_IN)))


def register(raw: str) -> None:
    passkeys.read_registration(passkeys.read_answer(raw), PARTY)


def verify(raw: str, person_id: str = PERSON) -> None:
    passkeys.verify_assertion(
        passkeys.read_answer(raw),
        PARTY,
        credential=KEPT.credential,
        person_id=person_id,
        needs_handle=True,
    )


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://embed.example", "embed.example"),
        ("https://embed.example:8443", "embed.example"),
        ("http://localhost:8000", "localhost"),
        ("http://embed.example", None),
        ("https://192.0.2.1", None),
        ("https://[2001:db8::1]", None),
    ],
)
def test_party_is_a_name_with_https_or_localhost(origin, host):
    party = RelyingParty.find(origin)

    assert (party and party.host) == host


def test_right_answers_are_accepted_for_their_person_alone():
    register(NEW)
    verify(ANSWER)
    with pytest.raises(RefusedPasskey, match="belongs to someone else"):
        verify(ANSWER, "another8901234567890")


# fido2 by itself would let a subdomain in.
@pytest.mark.parametrize(
    "origin",
    [
        "https://sub.embed.example",
        "https://embed.example:8443",
        "http://embed.example",
        "https://embed.example.",
        "android:apk-key-hash:x",
    ],
)
def test_origin_is_exactly_ours(origin):
    device = Device(origin, PARTY.host)

    with pytest.raises(RefusedPasskey, match="origin"):
        register(device.create(make_creation()))


@given(st.data())
def test_damaged_answer_is_refused_or_is_the_same(data):
    for use, whole in ((register, NEW), (verify, ANSWER)):
        place = data.draw(st.integers(0, len(whole) - 1))
        damaged = whole[:place] + data.draw(st.characters()) + whole[place + 1 :]
        with suppress(RefusedPasskey):
            use(damaged)
    with pytest.raises(RefusedPasskey):
        passkeys.read_answer(data.draw(st.text()))


# Challenges


def test_challenge_is_good_for_what_it_was_issued_for():
    raw = issue_challenge(make_signer(), CONFIRM, "session")

    _, expires_at = check_challenge(raw, make_signer(), CONFIRM, "session")

    assert expires_at == NOW + CHALLENGE_LIFETIME
    for purpose, session_id in ((SIGN_IN, ""), (ADD, "session"), (CONFIRM, "other"), (CONFIRM, "")):
        with pytest.raises(RefusedPasskey):
            check_challenge(raw, make_signer(), purpose, session_id)


def test_challenge_ends_and_only_ours_is_one():
    raw = issue_challenge(make_signer(), SIGN_IN)
    in_time = make_signer(now=NOW + CHALLENGE_LIFETIME - timedelta(milliseconds=1))
    check_challenge(raw, in_time, SIGN_IN)

    for signer in (make_signer(now=NOW + CHALLENGE_LIFETIME), make_signer("another")):
        with pytest.raises(RefusedPasskey, match="expired"):
            check_challenge(raw, signer, SIGN_IN)
